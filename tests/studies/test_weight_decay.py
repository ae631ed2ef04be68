import pytest

from glassware.studies.pareto.success_frontier import SAMPLES
from glassware.studies.pareto.weight_decay import PAPER_DECAYS, STUDY
from tests.studies.made import cell, check, table


def laptop(*cells):
    return table(*(cell(won, 10, m=m, weight_decay=decay, init="dense") for m, decay, won in cells))


HELPS = [(1000, 0.0, 1), (1000, 0.01, 9), (1000, 0.03, 10)]


@pytest.mark.parametrize(
    ("claim", "made", "holds"),
    [
        ("decay-helps", laptop(*HELPS), True),
        ("decay-helps", laptop(*HELPS[:2], (1000, 0.03, 5)), False),
        ("decay-helps", laptop(*HELPS[:2]), None),
        ("decay-helps", laptop(*HELPS[:2], (10_000, 0.03, 10)), None),
        ("decay-hurts", laptop((10_000, 0.03, 10), (10_000, 0.06, 6)), True),
        ("decay-hurts", laptop((10_000, 0.03, 6), (10_000, 0.06, 6)), False),
        ("decay-hurts", laptop((10_000, 0.03, 6)), None),
        ("decay-hurts", laptop((10_000, 0.06, 6)), None),
        ("decay-hurts", laptop((10_000, 0.03, 1), (10_000, 0.06, 0)), True),
    ],
)
def test_claims(claim, made, holds):
    assert check(STUDY, claim, made).holds is holds


def paper(dense, sparse):
    """Success from these sample sizes on, one for each decay."""
    return table(
        *(
            cell(2 if m >= turn else 0, 2, m=m, weight_decay=decay, init=init)
            for init, turns in (("dense", dense), ("sparse", sparse))
            for decay, turn in zip(PAPER_DECAYS, turns, strict=True)
            for m in SAMPLES
        )
    )


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        (paper([10**9, 3000, 2000, 2000], [2000] * 4), True),
        (paper([2000] * 4, [1000, 1000, 600, 300]), True),
        (paper([2000] * 4, [1000] * 4), False),
        (paper([3000, 3000, 2000, 2000], [1000] * 4), False),
        (paper([10**9] * 4, [10**9] * 4), False),
        (paper([10**9] * 4, [1000, 1000, 600, 300]), True),  # no edge in one initialisation
    ],
)
def test_the_edge_moves_or_not(made, holds):
    assert check(STUDY, "decay-moves-the-edge", made).holds is holds
    assert check(STUDY, "decay-moves-the-edge", made.filter(made["m"] != 600)).holds is None


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "won", "held"), [(0.01, 6, True), (0.01, 5, False), (0.03, 6, True), (0.03, 5, False)]
)
def test_both_decays_must_gain_fifty_points(place, won, held):
    made = laptop((1000, 0.0, 1), *((1000, decay, won if decay == place else 10) for decay in (0.01, 0.03)))
    finding = check(STUDY, "decay-helps", made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx((won - 1) / 10)


@pytest.mark.parametrize("init", ["dense", "sparse"])
@pytest.mark.parametrize(("largest", "held"), [(2000, True), (1000, False)])
def test_the_edge_moves_twice_in_one_initialisation(init, largest, held):
    """All or nothing from a size on: the edge lies half way, in log m, between that size and the one before it."""
    at = lambda turn: (turn * max(m for m in SAMPLES if m < turn)) ** 0.5
    moved = [600, 600, 600, largest]
    finding = check(
        STUDY, "decay-moves-the-edge", paper(*((moved, [600] * 4) if init == "dense" else ([600] * 4, moved)))
    )
    assert finding.measured.value == pytest.approx(at(largest) / at(600))
    assert finding.holds is held is (at(largest) / at(600) >= 2)


def test_an_edge_at_half_of_the_runs_moves_twice():
    """Half of the runs succeed at the edge itself: 1,000 and 2,000 examples."""
    made = table(
        *(
            cell(0 if m < turn else 1 if m == turn else 2, 2, m=m, weight_decay=decay, init=init)
            for init in ("dense", "sparse")
            for decay, turn in zip(PAPER_DECAYS, (1000, 1000, 1000, 2000), strict=True)
            for m in SAMPLES
        )
    )
    finding = check(STUDY, "decay-moves-the-edge", made)
    assert finding.holds is True
    assert finding.measured.value == 2.0
