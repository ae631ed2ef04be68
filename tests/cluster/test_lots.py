"""How the runs of a sweep are dealt."""

import glassware as gw
from glassware.cluster.lots import DEATHS, FIRST, SECONDS, Kind, Lots
from glassware.sweeps import named
from tests.helpers import TINY

CPU = Kind("CPU", 2)
RUNS = named(gw.grid(TINY, {"model.width": [8, 16]}, seeds=200), None)


def test_every_run_is_dealt_once_and_a_lot_has_one_shape():
    lots, dealt = Lots(RUNS), []
    while lot := lots.take(CPU, 3, set()):
        assert len({run.shape() for run in lot.runs.values()}) == 1
        dealt += lot.runs
        lots.done(lot, CPU, 0.1 * len(lot.runs), True)
    assert sorted(dealt) == sorted(RUNS)
    assert not lots


def test_lots_grow_with_the_speed_and_shrink_at_the_end():
    lots, sizes = Lots(dict(list(RUNS.items())[:200])), []
    while lot := lots.take(CPU, 2, set()):
        sizes.append(len(lot.runs))
        lots.done(lot, CPU, len(lot.runs) / 1000, True)
    assert sizes[0] == FIRST * CPU.devices
    assert max(sizes) == 48  # a fourth of what is left, although 15 s would take all
    assert sizes[-1] <= CPU.devices
    slow = Lots(RUNS)
    slow.done(slow.take(CPU, 2, set()), CPU, 8 * SECONDS / 4, True)
    assert len(slow.take(CPU, 2, set()).runs) == 4


def test_a_lost_machine_brings_its_runs_back():
    lots = Lots(RUNS)
    lot = lots.take(CPU, 1, set())
    assert lots.lost(lot, died=False) == []
    assert lots.left == len(RUNS)


def test_a_run_that_ends_every_worker_is_found_and_given_up():
    lots, fatal, given_up, trained, lost = Lots(RUNS), list(RUNS)[7], [], set(), 0
    while lot := lots.take(CPU, 1, set()):
        if fatal in lot.runs:
            given_up += lots.lost(lot, died=True)
            lost += 1
        else:
            trained |= set(lot.runs)
    assert given_up == [fatal]
    assert trained == set(RUNS) - {fatal}
    assert lost <= DEATHS + 5
