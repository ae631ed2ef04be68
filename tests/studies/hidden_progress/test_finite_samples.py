import math

import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.hidden_progress.finite_samples import PAPER_DECAYS, PAPER_SAMPLES, STUDY, _grid, _run, delays
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, stuck, table, whole
from tests.studies.made import check

NEVER = math.inf


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)


def cell(m, decay, *delayed, n=30, train=0.0, level=0.5):
    """Runs that fit their sample at the tenth examination and pass the test so many times later, or never.

    After the tenth examination their training error is ``train``; their test error is ``level`` until they pass.
    """
    (run,) = _grid(_run(n, 3, 50_000, 50, 1000), [m], [decay])
    found = []
    for seeded, delay in zip(repeat([run], len(delayed)), delayed, strict=True):
        last = 20 if math.isinf(delay) else round(10 * delay)
        test = [level if math.isinf(delay) or i < last else 0.0 for i in range(last + 1)]
        found.append(drawn(seeded, test, train=[0.5 if i < 10 else train for i in range(last + 1)]))
    return found


def untrained(m, decay, n=30, runs=10):
    (run,) = _grid(_run(n, 3, 50_000, 50, 1000), [m], [decay])
    return [stuck(one) for one in repeat([run], runs)]


def test_delays():
    assert delays(table(cell(500, 0.003, 5, 20, NEVER)), 30, 500, 0.003) == [5, 20, NEVER]
    (run,) = _grid(_run(30, 3, 50_000, 50, 1000), [500], [0.003])
    nearly = drawn(run, [0.5, 0.5, 0.5, 0.01, 0.0], train=[0.5, 0.01, 0.0, 0.0, 0.0])  # an error of 1% is not 0
    assert delays(table(nearly), 30, 500, 0.003) == [2.0]


@pytest.mark.parametrize(
    ("delayed", "every", "typical"),
    [
        ([5, 20] * 5, "holds", "holds"),
        ([4.9] + [20] * 9, "fails", "holds"),
        ([20] * 9 + [NEVER], "fails", "holds"),
        ([20] * 6 + [NEVER] * 4, "fails", "too close to call"),
        ([4, 20] * 5, "fails", "too close to call"),
        ([4.9] * 10, "fails", "fails"),
        ([NEVER] * 10, "fails", "fails"),
        ([20] * 4, "not enough runs", "not enough runs"),
    ],
)
def test_grokking(delayed, every, typical):
    made = table(cell(500, 0.003, *delayed))
    assert check(STUDY, "4b-groks", made).verdict == every
    assert check(STUDY, "4b-median-groks", made).verdict == typical
    assert check(STUDY, "4b-groks", table(cell(500, 0.01, *delayed))).verdict == "not enough runs"


@pytest.mark.parametrize(
    ("delayed", "verdict"), [([1] * 9 + [3], "holds"), ([1] * 9 + [3.1], "fails"), ([1] * 9 + [NEVER], "fails")]
)
def test_no_gap(delayed, verdict):
    assert check(STUDY, "4b-no-gap", table(cell(1000, 0.01, *delayed))).verdict == verdict


@pytest.mark.parametrize(
    ("train", "level", "verdict"), [(0.0, 0.2, "holds"), (0.0, 0.19, "fails"), (0.001, 0.5, "fails")]
)
def test_one_run_with_too_few_examples_that_generalises_is_enough(train, level, verdict):
    memorise = cell(300, 0.003, *[NEVER] * 9)
    finding = check(STUDY, "4b-too-few", table(memorise, cell(300, 0.01, NEVER, train=train, level=level)))
    assert finding.verdict == verdict
    assert finding.measured.value == (1.0 if verdict == "holds" else 0.9)
    assert check(STUDY, "4b-too-few", table(cell(500, 0.003, NEVER))).verdict == "not enough runs"


def test_untrained_networks_meet_no_claim():
    laptop = table(*(untrained(m, decay) for m in (1000, 500, 300) for decay in (0.003, 0.01)))
    paper = table(*(untrained(m, decay, 50, 5) for m in PAPER_SAMPLES for decay in PAPER_DECAYS))
    for claim in STUDY.claims:
        assert check(STUDY, claim.id, laptop if claim.id.startswith("4b") else paper).verdict != "holds"


# -- the paper's grid -------------------------------------------------------------------------------------------------


def grid_of(**special):
    """Five runs per cell of the paper's grid that pass when they fit; some cells (``m_decay``) are otherwise."""
    usual = runs_of(*[1.0] * 5)
    chosen = {(m, decay): usual(m, decay) for m in PAPER_SAMPLES for decay in PAPER_DECAYS}
    for name, make in special.items():
        m, decay = name[1:].split("_")
        chosen[int(m), PAPER_DECAYS[int(decay)]] = make(int(m), PAPER_DECAYS[int(decay)])
    return table(*chosen.values())


def runs_of(*delayed, **more):
    return lambda m, decay: cell(m, decay, *delayed, n=50, **more)


@pytest.mark.parametrize(
    ("delayed", "verdict"),
    [((5, 6, 7, 8, 9), "holds"), ((1, 4, 6, 8, 9), "too close to call"), ((1, 4.5, 4.6, 4.7, 4.8), "fails")],
)
def test_the_median_run_of_some_cell_groks(delayed, verdict):
    assert check(STUDY, "15-groks", grid_of(m500_2=runs_of(*delayed))).verdict == verdict


@pytest.mark.parametrize(
    ("special", "verdict"),
    [
        ({"m10000_1": runs_of(*[2.0] * 5)}, "holds"),
        ({"m10000_1": runs_of(*[2.1] * 5)}, "fails"),
        ({"m10000_1": runs_of(1.0, 1.0, 2.0, 2.5, 2.5)}, "too close to call"),
        ({"m5000_1": runs_of(*[9.0] * 5)}, "holds"),
        ({"m10000_4": runs_of(*[NEVER] * 5, train=0.001)}, "holds"),  # a decay that does not fit the sample is left out
    ],
)
def test_no_gap_at_the_largest_sample(special, verdict):
    assert check(STUDY, "15-no-gap", grid_of(**special)).verdict == verdict


def test_too_much_decay_stops_training_and_less_does_not():
    never = {f"m{size}_5": runs_of(*[NEVER] * 5, train=0.001) for size in PAPER_SAMPLES}
    verdict = lambda **more: check(STUDY, "15-too-much-decay", grid_of(**{**never, **more})).verdict
    assert verdict() == "holds"
    assert verdict(m500_5=runs_of(NEVER)) == "holds"
    assert verdict(m1000_5=runs_of(NEVER)) == "fails"
    assert verdict(m1000_3=runs_of(NEVER, train=0.001)) == "fails"
    made = grid_of(**never)
    rest = made.filter((made["m"] != 5000) | (made["weight_decay"] != 0.1))
    assert check(STUDY, "15-too-much-decay", rest).verdict == "not enough runs"


def solvable_from(smallest, won=5):
    """From this sample size on all of five runs succeed, or so many, by decay, and below it none does."""
    usual, some, none = (runs_of(*[1.0] * w, *[NEVER] * (5 - w)) for w in (5, won, 0))
    places = [(m, i, least) for i, least in enumerate(smallest) for m in PAPER_SAMPLES]
    return grid_of(**{f"m{m}_{i}": none if m < least else some if m == least else usual for m, i, least in places})


@pytest.mark.parametrize(
    ("smallest", "won", "verdict"),
    [
        ((5000, 5000, 2000, 1000, 1000, NEVER), 5, "holds"),
        ((5000, 2000, 5000, 1000, 1000, NEVER), 5, "fails"),
        ((5000, 2000, 1000, 500, 1000, 200), 5, "fails"),
        ((NEVER, 5000, 2000, 1000, 1000, NEVER), 5, "holds"),
        ((2000, 2000, 2000, 2000, 2000, NEVER), 5, "fails"),  # decay saves nothing
        ((5000, 5000, 2000, 1000, 1000, NEVER), 3, "too close to call"),
        ((5000, NEVER, NEVER, NEVER, NEVER, NEVER), 5, "fails"),
    ],
)
def test_the_smallest_solvable_sample_may_not_grow_with_decay(smallest, won, verdict):
    made = solvable_from(smallest, won)
    assert check(STUDY, "15-decay-saves-examples", made).verdict == verdict
    missing = made.filter((pl.col("m") != 200) | (pl.col("weight_decay") != 0.01))
    assert check(STUDY, "15-decay-saves-examples", missing).verdict == "not enough runs"


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=140, paper=180)
