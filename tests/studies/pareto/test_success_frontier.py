"""The claims of the success frontier on results we choose: each can hold, fail, and be too close to call."""

from itertools import product

import numpy as np
import pytest

from glassware.studies import find
from tests.studies.made import cell, check, table

STUDY = find("pareto/success-frontier")
INITS = ("dense", "sparse")
MS = (300, 1000, 2000, 10_000)
PLACES = tuple(product((50, 100, 150, 200), (3, 4, 5)))  # twelve, of two panels each
RUNS = 40
HEAT_MAP = [claim.id for claim in STUDY.claims if "grokking" not in claim.id]


def heat_map(won, places=((50, 3),), widths=(10, 300, 1000), samples=MS, runs=RUNS):
    """So many runs per cell, of which the share ``won(n, k, init, width, m)`` succeeds."""
    cells = product(places, INITS, widths, samples)
    return table(
        *(
            cell(round(runs * won(n, k, init, width, m)), runs, n=n, k=k, init=init, width=width, m=m, train_size=0)
            for (n, k), init, width, m in cells
        )
    )


def as_in_the_paper(n, k, init, width, m):
    """Wider networks and sparse ones need less data."""
    return 1.0 if m * width * (3 if init == "sparse" else 1) >= 600_000 else 0.5 if m * width >= 300_000 else 0.0


def verdict(claim, won, *places, **more):
    return check(STUDY, claim, heat_map(won, *places, **more)).verdict


def at(place, share, other):
    """A heat map with another share in one cell (init, width, m)."""
    return lambda n, k, *cell: share if cell == place else other(n, k, *cell)


def test_a_coin_passes_no_claim():
    coin = np.random.default_rng(1)
    made = heat_map(lambda *_: coin.binomial(RUNS, 0.5) / RUNS, PLACES)
    assert "holds" not in {check(STUDY, claim, made).verdict for claim in HEAT_MAP}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_a_constant_passes_no_claim_and_nor_do_networks_that_never_learn(share):
    made = heat_map(lambda *_: share, PLACES)
    held = {claim for claim in HEAT_MAP if check(STUDY, claim, made).verdict == "holds"}
    assert held <= ({"1-frontier-panels"} if share > 0.5 else set())


@pytest.mark.parametrize(
    ("claim", "won", "said"),
    [
        ("1-frontier", as_in_the_paper, "holds"),
        ("1-frontier", at(("dense", 300, 2000), 0.95, as_in_the_paper), "too close to call"),
        ("1-frontier", at(("dense", 300, 2000), 0.7, as_in_the_paper), "fails"),
        ("2-width-luck", as_in_the_paper, "holds"),
        ("2-width-luck", at(("sparse", 10, 2000), 0.5, as_in_the_paper), "too close to call"),
        ("2-width-luck", at(("sparse", 10, 2000), 0.9, as_in_the_paper), "fails"),
        ("3-sparse", at(("dense", 300, 1000), 0.1, as_in_the_paper), "holds"),
        ("3-sparse", as_in_the_paper, "too close to call"),
        ("3-sparse", at(("dense", 300, 1000), 0.9, as_in_the_paper), "fails"),
        ("1-frontier-panels", as_in_the_paper, "holds"),
        ("1-frontier-panels", lambda n, k, init, width, m: 0.5 if m < 2000 else 1.0, "too close to call"),
        ("1-frontier-panels", lambda n, k, init, width, m: 1.0 if m == 10_000 else 0.0, "fails"),
    ],
)
def test_a_claim_follows_the_interval_of_its_cells(claim, won, said):
    assert verdict(claim, won, *([PLACES] if claim == "1-frontier-panels" else [])) == said


@pytest.mark.parametrize("claim", ["1-frontier", "2-width-luck", "3-sparse"])
def test_a_missing_cell_is_not_enough(claim):
    frame = heat_map(as_in_the_paper)
    wide = (frame["width"] == 300) & (frame["init"] == "sparse")
    assert check(STUDY, claim, frame.filter(~wide)).verdict == "not enough runs"


def test_no_step_of_width_hurts():
    claim = "2-width-monotone"
    assert verdict(claim, as_in_the_paper, runs=100) == "holds"
    assert verdict(claim, lambda n, k, init, width, m: float(width > 10), runs=10) == "too close to call"
    one_pair = at(("dense", 1000, 10_000), 0.7, as_in_the_paper)  # 30 points less than the narrower network
    finding = check(STUDY, claim, heat_map(one_pair, runs=100, samples=(*MS, *range(5, 35))))
    assert finding.verdict == "fails"
    assert finding.measured.low > 0
    assert "100/100 to 70/100 at n = 50, k = 3, dense, m = 10000, r = 300 to 1000" in finding.detail
    everywhere = lambda less: lambda n, k, init, width, m: 0.9 - less if width == 1000 else 0.9 if width == 300 else 0.2
    assert verdict(claim, everywhere(0.06), runs=100) == "too close to call"
    assert verdict(claim, everywhere(0.1), runs=100) == "fails"  # though no single pair falls significantly


def test_luck_decides_in_few_cells():
    claim, samples = "luck", tuple(range(100, 1100, 100))
    edge = lambda n, k, init, width, m: 0.5 if m == 500 else float(m > 500)
    assert verdict(claim, edge, samples=samples) == "holds"
    assert verdict(claim, edge, samples=samples, runs=4) == "too close to call"
    assert verdict(claim, lambda n, k, init, width, m: float(m > 500), samples=samples) == "fails"
    assert verdict(claim, edge, samples=samples[:2], widths=(10,)) == "not enough runs"


def test_sparse_starts_succeed_more_often_and_much_less_often_nowhere():
    claim = "3-sparse-region"
    better = lambda n, k, init, width, m: 1.0 if init == "sparse" or m > 1000 else 0.0
    assert verdict(claim, better, PLACES) == "holds"
    assert verdict(claim, better, PLACES[:-1]) == "not enough runs"
    worse_once = lambda n, k, init, width, m: better(n, k, init, width, m) if n > 50 else float(init == "dense")
    assert verdict(claim, worse_once, PLACES) == "fails"
    narrow_only = lambda n, k, init, width, m: 1.0 if init == "sparse" or width >= 1000 else 0.0
    assert verdict(claim, narrow_only, PLACES) == "not enough runs"  # all edges lie below the smallest m


@pytest.mark.parametrize(("flat", "said"), [(4, "holds"), (5, "fails")])
def test_width_turns_twenty_of_24_panels(flat, said):
    still = set(PLACES[:flat])
    won = lambda n, k, init, width, m: 0.5 if (n, k) in still and init == "dense" else float(width > 10)
    finding = check(STUDY, "2-width-columns", heat_map(won, PLACES, samples=(300,)))
    assert finding.verdict == said
    assert finding.measured.value == pytest.approx(1 - flat / 24)
    assert verdict("2-width-columns", won, PLACES[:-1]) == ("not enough runs" if said == "holds" else "fails")
    assert verdict("2-width-columns", lambda n, k, init, width, m: float(width == 10), PLACES) == "fails"


@pytest.mark.parametrize(
    ("shares", "said"),
    [((1, 0, 1, 1), "holds"), ((1, 0.6, 1, 1), "too close to call"), ((0, 0, 1, 1), "fails"), ((1, 1, 0, 0), "fails")],
)
def test_a_row_falls_and_rises_again(shares, said):
    won = lambda n, k, init, width, m: shares[MS.index(m)] if (n, k, init, width) == (200, 3, "dense", 300) else 1.0
    assert verdict("4-more-data-hurts", won, PLACES, runs=100) == said
    # One panel can show that there is such a row, not that there is none.
    one = verdict("4-more-data-hurts", won, ((200, 3),), runs=100)
    assert one == ("holds" if said == "holds" else "not enough runs")
