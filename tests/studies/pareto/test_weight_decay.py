import pytest

from glassware.foundation import statistics
from glassware.studies.pareto.panels import SAMPLES
from glassware.studies.pareto.weight_decay import PAPER_DECAYS, STUDY
from tests.studies.made import cell, check, table


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def laptop(*cells):
    return table(*(cell(won, 25, m=m, weight_decay=decay, init="dense") for m, decay, won in cells))


def helps(none, some, more):
    return laptop((1000, 0.0, none), (1000, 0.01, some), (1000, 0.03, more))


def hurts(good, much):
    return laptop((10_000, 0.03, good), (10_000, 0.06, much))


@pytest.mark.parametrize(
    ("claim", "made", "said"),
    [
        ("decay-helps", helps(2, 24, 25), "holds"),
        ("decay-helps", helps(2, 16, 25), "too close to call"),
        ("decay-helps", helps(2, 25, 5), "fails"),
        ("decay-helps", helps(12, 13, 12), "fails"),  # coins
        ("decay-helps", helps(0, 0, 0), "fails"),  # never trained
        ("decay-helps", laptop((1000, 0.0, 2), (1000, 0.01, 25), (10_000, 0.03, 25)), "not enough runs"),
        ("decay-hurts", hurts(25, 15), "holds"),
        ("decay-hurts", hurts(25, 25), "too close to call"),
        ("decay-hurts", hurts(0, 0), "too close to call"),
        ("decay-hurts", hurts(15, 25), "fails"),
        ("decay-hurts", laptop((10_000, 0.03, 25)), "not enough runs"),
        ("decay-hurts", laptop((10_000, 0.06, 25)), "not enough runs"),
    ],
)
def test_claims(claim, made, said):
    assert check(STUDY, claim, made).verdict == said


def paper(dense, sparse, share=1.0):
    """Success from these sample sizes on, one for each decay; half as often, or what ``share`` says, just there."""
    return table(
        *(
            cell(0 if m < turn else round(10 * share) if m == turn else 10, 10, m=m, weight_decay=decay, init=init)
            for init, turns in (("dense", dense), ("sparse", sparse))
            for decay, turn in zip(PAPER_DECAYS, turns, strict=True)
            for m in SAMPLES
        )
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (paper([10**9, 3000, 2000, 2000], [2000] * 4), "holds"),
        (paper([2000] * 4, [1000, 1000, 600, 300]), "holds"),
        (paper([10**9] * 4, [1000, 1000, 600, 300]), "holds"),  # no edge in one initialisation
        (paper([1000] * 3 + [2000], [1000] * 4, share=0.5), "too close to call"),  # twice, by half of ten runs
        (paper([2000] * 4, [1000] * 4), "fails"),
        (paper([3000, 3000, 2000, 2000], [1000] * 4), "fails"),
        (paper([10**9] * 4, [10**9] * 4), "not enough runs"),
    ],
)
def test_the_edge_moves_or_not(made, said):
    assert check(STUDY, "decay-moves-the-edge", made).verdict == said
    assert check(STUDY, "decay-moves-the-edge", made.filter(made["m"] != 600)).verdict == "not enough runs"
