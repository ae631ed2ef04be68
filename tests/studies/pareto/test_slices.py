import numpy as np
import pytest

from glassware.foundation import statistics
from glassware.foundation.statistics import NEVER
from glassware.studies.pareto.slice_curves import first_learned, rise_after_minimum, rise_seen_twice
from glassware.studies.pareto.slices import INITS, PAPER_SAMPLES, PAPER_WIDTHS, SAMPLES, STUDY
from tests.studies.made import cell, check, table

# Successes of 40 and median steps at each of the six sample sizes, by (init, width): the claims all hold.
GOOD = {
    ("dense", 30): ([0, 0, 8, 32, 36, 40], [0, 0, 4300, 4200, 2000, 1400]),
    ("dense", 300): ([0, 0, 36, 40, 40, 40], [0, 0, 4800, 2400, 1700, 1100]),
    ("sparse", 30): ([0, 12, 16, 40, 40, 40], [0, 2400, 2800, 2600, 2000, 1900]),
    ("sparse", 300): ([0, 16, 40, 40, 40, 40], [0, 5400, 3800, 2000, 1000, 800]),
}
LAPTOP = [claim.id for claim in STUDY.claims if "laptop" in claim.scales]


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def laptop(changes=None):
    made = {**GOOD, **(changes or {})}
    return table(
        *(
            cell(won, 40, steps, init=init, width=width, m=m)
            for (init, width), (wins, times) in made.items()
            for m, won, steps in zip(SAMPLES, wins, times, strict=True)
        )
    )


def other(init, width, wins=None, times=None):
    """One column of the good results with other successes or other steps."""
    return laptop({(init, width): (wins or GOOD[init, width][0], times or GOOD[init, width][1])})


FAILING = {
    "width loses at the edge": ("2-width-luck", other("dense", 300, [0, 0, 4, 40, 40, 40])),
    "width gains at 500 and loses elsewhere": ("2-width-luck", other("dense", 300, [0, 0, 36, 0, 0, 0])),
    "one init loses time": ("2-width-time", other("sparse", 300, times=[2900] * 6)),
    "wide networks fail at 2,000": ("2-width-time", other("dense", 300, [0, 0, 36, 40, 40, 8])),
    "narrow sparse is unluckier": ("3-sparse-luck-each", other("sparse", 30, [0, 0, 0, 12, 20, 20])),
    "wide sparse is unluckier": ("3-sparse-luck", other("sparse", 300, [0, 0, 0, 12, 20, 20])),
    "time does not fall with data": ("4-data-or-time", other("dense", 300, times=[1000] * 6)),
    "only the largest m is learned": ("4-data-or-time", other("dense", 300, [0, 0, 0, 0, 0, 40])),
}
CLOSE = {
    "width gains 30 points": ("2-width-luck", other("dense", 30, [0, 0, 24, 32, 36, 40])),
    "sparse is as lucky": ("3-sparse-luck-each", other("sparse", 30, GOOD["dense", 30][0])),
    "wide sparse is as lucky": ("3-sparse-luck", other("sparse", 300, GOOD["dense", 300][0])),
}


@pytest.mark.parametrize("claim", LAPTOP)
def test_claims_hold_on_results_that_show_them(claim):
    assert check(STUDY, claim, laptop()).verdict == "holds"


@pytest.mark.parametrize("case", FAILING)
def test_claims_fail_on_results_that_do_not(case):
    assert check(STUDY, *FAILING[case]).verdict == "fails"


@pytest.mark.parametrize("case", CLOSE)
def test_claims_can_be_too_close_to_call(case):
    assert check(STUDY, *CLOSE[case]).verdict == "too close to call"


@pytest.mark.parametrize("claim", LAPTOP)
def test_neither_networks_that_never_learn_nor_coins_nor_a_constant_pass(claim):
    dice = np.random.default_rng(0)
    coin = {place: (dice.binomial(40, 0.5, 6).tolist(), [1000] * 6) for place in GOOD}
    for made in (dict.fromkeys(GOOD, ([0] * 6, [0] * 6)), dict.fromkeys(GOOD, ([40] * 6, [1000] * 6)), coin):
        assert check(STUDY, claim, laptop(made)).verdict != "holds"


@pytest.mark.parametrize("claim", LAPTOP)
def test_a_missing_cell_is_not_enough(claim):
    frame = laptop()
    part = frame.filter(~((frame["m"] == 2000) & (frame["width"] == 300) & (frame["init"] == "sparse")))
    assert check(STUDY, claim, part).verdict == "not enough runs"


def paper(turns=None, slow=None):
    """Every width succeeds from its own m on, after 1,000 steps or what ``slow`` says at the largest sample sizes."""
    turns = {**{(init, r): 20_000 // (10 ** (i + (init == "sparse"))) + 2000 for init in INITS
                for i, r in enumerate(PAPER_WIDTHS)}, **(turns or {})}  # fmt: skip
    return table(
        *(
            cell(
                10 if m >= turn else 0,
                10,
                (slow or {}).get((init, r), 1000) if m > 50_000 else 1000,
                init=init,
                width=r,
                m=m,
            )
            for (init, r), turn in turns.items()
            for m in PAPER_SAMPLES
        )
    )


SLOW_NARROW = {("dense", 100): 2000}


@pytest.mark.parametrize(
    ("claim", "frame", "said"),
    [
        ("2-width-data", paper(), "holds"),
        ("2-width-data", paper({("dense", 1000): 90_000}), "fails"),
        ("2-width-data", paper({("dense", 1000): 22_000}), "fails"),  # as many as with width 100
        ("2-width-data", paper({("sparse", 100): 10**9, ("sparse", 1000): 10**9}), "not enough runs"),
        ("3-sparse-data", paper(), "holds"),
        ("3-sparse-data", paper({("dense", 10_000): 10**9}), "holds"),
        ("3-sparse-data", paper({("sparse", 10_000): 70_000}), "fails"),
        ("3-sparse-data", paper({("sparse", 10_000): 2200}), "fails"),  # as many as dense
        ("4-more-data-slower", paper(slow=SLOW_NARROW), "holds"),
        ("4-more-data-slower", paper(), "fails"),
        ("4-more-data-slower", paper(slow={**SLOW_NARROW, ("dense", 10_000): 2000}), "fails"),
    ],
)
def test_claims_at_paper_scale(claim, frame, said):
    assert check(STUDY, claim, frame).verdict == said
    assert check(STUDY, claim, frame.filter(frame["m"] != PAPER_SAMPLES[7])).verdict in ("not enough runs", "fails")


def test_rise_after_minimum():
    assert rise_after_minimum([NEVER, 300, 100, 250, 200]) == 2.5
    assert rise_after_minimum([NEVER, 300, 100, NEVER]) == NEVER
    assert rise_after_minimum([NEVER, 300, 200, 100]) == 1
    assert rise_after_minimum([100, 200, 300]) == 1
    assert rise_after_minimum([NEVER, NEVER]) == 1


def test_noise_alone_makes_no_rise():
    rng = np.random.default_rng(0)
    cells = [rng.lognormal(7, 0.5, 50).tolist() for _ in range(24)]
    low, high = rise_seen_twice(cells, confidence=0.95)[1:]
    assert low < 1 < high < 1.5
    assert rise_seen_twice([[300.0] * 10, [100.0] * 10, [250.0] * 10], 0.95) == (2.5, 2.5, 2.5)


def test_the_first_sample_size_at_which_half_succeed():
    assert first_learned([[NEVER] * 2, [NEVER, 1.0], [1.0, 1.0]]) == 1
    assert first_learned([[NEVER] * 2, [NEVER] * 2]) == 1


def test_the_papers_sample_sizes_are_twelve_per_decade():
    assert (PAPER_SAMPLES[0], PAPER_SAMPLES[12], len(PAPER_SAMPLES)) == (1000, 10_000, 24)
