import pytest

from benchmarks.cell import Cell, Reading, Setting
from benchmarks.peers import ENGINE, EVALUATED, VMAPPED, measure
from benchmarks.steps import Result, table, verdicts

TINY = Cell(n=6, r=4)


@pytest.mark.parametrize("peer", [ENGINE, EVALUATED])
def test_a_reading_of_the_engine_counts_whole_rounds_of_all_lanes(peer):
    reading = measure(peer, TINY, Setting(lanes=2), 0.05)
    assert isinstance(reading, Reading)
    assert reading.steps > 0
    assert reading.steps % 100 == 0
    assert reading.wall >= 0.05
    assert reading.cpu > 0
    assert reading.rate == reading.steps / reading.wall


def test_a_result_gives_one_row_a_peer_and_one_line_an_acceptance():
    readings = {
        peer: [Reading(steps, 1.0, 1.0, 0.0), Reading(2 * steps, 1.0, 2.0, 0.5)]
        for peer, steps in ((VMAPPED, 100), (EVALUATED, 150), (ENGINE, 200))
    }
    result = Result(TINY, dict.fromkeys(readings, Setting(2)), readings, [Reading(10**9, 1.0, 2.0, 0.0)] * 2)
    rows = result.rows()
    assert [row["peer"] for row in rows] == [peer.title for peer in readings]
    assert [row["ratio"] for row in rows] == pytest.approx([2.0, 4 / 3, 1.0])
    assert [row["ratio_evaluated"] for row in rows] == pytest.approx([1.5, 1.0, 0.75])
    assert table([result]).row_count == len(rows) + 1
    assert verdicts([result]) == [
        "engine >= 15 x PyTorch one-model loop: not measured",
        "engine >= jit(vmap(scan)): yes (2.00)",
    ]
