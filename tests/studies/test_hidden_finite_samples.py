import math

import pytest

from glassware.studies.hidden_progress.finite_samples import PAPER_DECAYS, PAPER_SAMPLES, STUDY, _grid, _run, delays
from glassware.studies.hidden_progress.trials import repeat
from tests.studies.drawn import drawn, table, whole
from tests.studies.made import check

STEPS = 60


def cell(m, decay, *delayed, n=30, fits=True):
    """Runs that fit their sample at step 100 and pass the test so many times later, or never."""
    (run,) = _grid(_run(n, 3, 50_000, 50, 1000), [m], [decay])
    rows = []
    for seeded, delay in zip(repeat([run], len(delayed)), delayed, strict=True):
        test = [0.5 if i < delay else 0.0 for i in range(STEPS if math.isinf(delay) else int(delay) + 1)]
        train = [0.5] + [0.0 if fits else 0.1] * (len(test) - 1)
        rows.append(drawn(seeded, test, train=train))
    return rows


NEVER = math.inf


def test_delays():
    assert delays(table(cell(500, 0.003, 5, 20, NEVER)), 30, 500, 0.003) == [5, 20, NEVER]


@pytest.mark.parametrize(
    ("delayed", "every", "typical"),
    [([5, 20], True, True), ([4, 20, 30], False, True), ([5, 20, NEVER], False, True), ([4, 4, 20], False, False),
     ([5, NEVER, NEVER], False, False)],
)  # fmt: skip
def test_grokking(delayed, every, typical):
    made = table(cell(500, 0.003, *delayed))
    assert check(STUDY, "4b-groks", made).holds is every
    assert check(STUDY, "4b-median-groks", made).holds is typical
    assert check(STUDY, "4b-groks", table(cell(500, 0.01, *delayed))).holds is None


@pytest.mark.parametrize(("delayed", "holds"), [([1, 3], True), ([1, 4], False), ([1, NEVER], False)])
def test_no_gap(delayed, holds):
    assert check(STUDY, "4b-no-gap", table(cell(1000, 0.01, *delayed))).holds is holds


def test_too_few():
    never = cell(300, 0.003, NEVER, NEVER)
    assert check(STUDY, "4b-too-few", table(never, cell(300, 0.01, NEVER))).holds
    assert not check(STUDY, "4b-too-few", table(never, cell(300, 0.01, 20))).holds
    assert not check(STUDY, "4b-too-few", table(never, cell(300, 0.01, NEVER, fits=False))).holds
    assert check(STUDY, "4b-too-few", table(cell(500, 0.003, NEVER))).holds is None


def paper(delay=2.0, **changed):
    """The paper's grid: every m from a decay's own on is solvable with this delay; at decay 0.1 none is."""
    smallest = {0.0: 5000, 0.001: 5000, 0.003: 2000, 0.01: 1000, 0.03: 1000, **changed.get("smallest", {})}
    return table(
        *(
            cell(m, decay, delay if m >= smallest.get(decay, NEVER) else NEVER, n=50, fits=decay < 0.1)
            for m in PAPER_SAMPLES
            for decay in PAPER_DECAYS
        )
    )


def test_the_papers_grid():
    made = paper()
    assert check(STUDY, "15-decay-saves-examples", made).holds
    assert not check(STUDY, "15-decay-saves-examples", paper(smallest={0.01: 5000})).holds
    assert check(STUDY, "15-no-gap", made).holds
    assert not check(STUDY, "15-no-gap", paper(delay=3)).holds
    assert check(STUDY, "15-groks", paper(delay=5)).holds
    assert not check(STUDY, "15-groks", made).holds
    assert check(STUDY, "15-too-much-decay", made).holds
    rest = made.filter((made["m"] != 5000) | (made["weight_decay"] != 0.1))
    assert check(STUDY, "15-too-much-decay", rest).holds is None
    assert not check(STUDY, "15-too-much-decay", table(*(cell(m, 0.1, 2, n=50) for m in PAPER_SAMPLES))).holds


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=60, paper=180)
