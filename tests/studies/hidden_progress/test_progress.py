import math

import numpy as np
import pytest

from glassware.foundation import statistics
from glassware.studies.hidden_progress.progress import LARGE, MAIN, NETWORK, STUDY, _run
from glassware.studies.hidden_progress.shared.movement import exponent, overtaking, value_at
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, table, whole
from tests.studies.made import check

EVERY, DROP, END = 25, 800, 1000
STEPS = np.arange(0, 2001, EVERY)
N = 50


def signal(cell=MAIN[0], *, power=1.0, scale=1e-3, drop=DROP, overtakes=200, ahead=True, seeds=5):
    """Runs whose rho grows as t^power, whose error falls at ``drop`` and is 0 from ``END`` on."""
    errors = [0.5 if t < drop else 0.4 if t < END else 0.0 for t in STEPS]
    behind = [0.0 if t < overtakes else 1.0 for t in STEPS]
    level = [0.5] * len(STEPS)
    rows = []
    for run in repeat([_run(cell, 0.0)], seeds):
        support = run.task.hidden_support(run.key())
        last = support[-1]
        weights = {
            f"weight_0_{i}": [1.0 if i in support and (ahead or i != last) else 0.5] * len(STEPS) for i in range(N)
        }
        rows.append(
            drawn(
                run, errors, every=EVERY, movement=scale * STEPS**power, relevant_moved=behind, irrelevant_moved=level,
                relevant_weight=behind, irrelevant_weight=level, **(weights if cell[0] == "xiv" else {}),
            )
        )  # fmt: skip
    return rows


def control(cell=MAIN[0], *, power=0.5, scale=1e-3, seeds=5):
    """Runs on random labels whose rho grows as t^power."""
    flat = [0.5] * len(STEPS)
    names = ("relevant_moved", "irrelevant_moved", "relevant_weight", "irrelevant_weight")
    runs = repeat([_run(cell, 0.5)], seeds)
    return [drawn(run, flat, every=EVERY, movement=scale * STEPS**power, **dict.fromkeys(names, flat)) for run in runs]


MAKERS = {"real": signal, "noise": control}


def test_the_exponent_of_a_power_law():
    row = {"curve_step": STEPS.tolist(), "curve_movement": (0.3 * STEPS**0.7).tolist()}
    assert exponent(row) == pytest.approx(0.7)
    row["curve_movement"] = np.where(STEPS <= 500, STEPS, 10 * STEPS).tolist()
    assert exponent(row, 500) == pytest.approx(1)
    assert exponent(row) > 1.1
    assert math.isnan(exponent(row, 2 * EVERY))


def test_the_value_at_a_step():
    row = {"curve_step": [0, 10, 20], "curve_movement": [0.0, 1.0, 2.0]}
    assert [value_at(row, "curve_movement", t) for t in (0, 9, 10, 19, 25)] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("first", "step"),
    [([0, 2, 2, 2], 10), ([2, 2, 2, 2], 0), ([0, 2, 0, 2], 30), ([0, 0, 0, 2], 30), ([0, 0, 0, 0], math.inf)],
)
def test_overtaking_is_for_good(first, step):
    row = {"curve_step": [0, 10, 20, 30, 40], "steps_to_success": 30, "a": [*first, 0], "b": [1] * 5}
    assert overtaking(row, ("a", "b")) == step


CASES = [
    ("random-walk", {}, {"noise": {"power": 0.61}}),
    ("random-walk", {"noise": {"power": 0.41}}, {"noise": {"power": 0.39}}),
    ("drift", {"real": {"power": 0.76}}, {"real": {"power": 0.5}}),
    ("distinguishable", {"real": {"scale": 1e-2}}, {"real": {"power": 0.5, "scale": 1.9e-3}}),
    ("late-drop", {"real": {"drop": 750}}, {"real": {"drop": 700}}),
    ("overtakes", {"real": {"overtakes": 400}}, {"real": {"overtakes": 450}}),
]


@pytest.mark.parametrize(("claim", "good", "bad"), CASES)
def test_figure_3(claim, good, bad):
    for changed, verdict in ((good, "holds"), (bad, "fails")):
        made = [signal(**changed.get("real", {})), control(**changed.get("noise", {}))]
        assert check(STUDY, f"3-{claim}", table(*made)).verdict == verdict
        others = [
            part for cell in LARGE[:1] + LARGE[2:]
            for part in (signal(cell, scale=1e-2), control(cell))
        ]  # fmt: skip
        everywhere = table(*made, *others)
        assert check(STUDY, f"13-{claim}", everywhere).verdict == verdict
        missing = "fails" if verdict == "fails" else "not enough runs"
        assert check(STUDY, f"13-{claim}", table(*made)).verdict == missing


@pytest.mark.parametrize(("claim", "good", "bad"), CASES)
def test_runs_on_both_sides_of_a_threshold_decide_nothing(monkeypatch, claim, good, bad):
    monkeypatch.setattr(statistics, "RESAMPLES", 200)
    parts = [make(**changed.get(name, {})) for changed in (good, bad) for name, make in MAKERS.items()]
    assert check(STUDY, f"3-{claim}", table(*parts)).verdict == "too close to call"


def test_weights_that_never_move_and_runs_that_never_learn_say_nothing():
    still = [signal(scale=0.0), control(scale=0.0)]
    assert check(STUDY, "3-random-walk", table(*still)).verdict == "not enough runs"
    assert check(STUDY, "3-drift", table(*still)).verdict == "not enough runs"
    for claim in ("drift", "distinguishable", "late-drop", "overtakes", "all-relevant-first"):
        assert check(STUDY, f"3-{claim}", table(control())).verdict == "not enough runs"
        assert check(STUDY, f"3-{claim}", table(signal(seeds=4), control())).verdict == "not enough runs"


def test_figure_13():
    cells = [("xiv", 4), *LARGE]
    far = {cell: (signal(cell, scale=1e-2), control(cell)) for cell in cells}
    verdicts = lambda: [
        check(STUDY, claim, table(*(part for parts in far.values() for part in parts))).verdict
        for claim in ("13-movement", "13-movement-small-batches")
    ]
    assert verdicts() == ["holds", "holds"]
    far["xiv", 4] = signal(("xiv", 4), power=0.5, scale=1.9e-3), control(("xiv", 4))
    assert verdicts() == ["holds", "fails"]
    far[NETWORK] = far[NETWORK][0], []
    assert verdicts() == ["not enough runs", "fails"]


def test_the_interval_allows_for_the_controls():
    sure = check(STUDY, "3-distinguishable", table(signal(seeds=9), control(seeds=9))).measured
    assert sure.low == sure.high
    rough = [row for scale in (1, 2, 3, 4, 5) for row in control(scale=1e-3 * scale, seeds=2)]
    found = check(STUDY, "3-distinguishable", table(signal(seeds=9), rough)).measured
    assert found.low < found.value <= found.high


def test_one_run_whose_weights_are_not_ahead_is_enough():
    assert check(STUDY, "3-all-relevant-first", table(signal())).verdict == "holds"
    finding = check(STUDY, "3-all-relevant-first", table(signal(), signal(ahead=False, seeds=1)))
    assert finding.verdict == "fails"
    assert finding.measured.value == pytest.approx(5 / 6)


@pytest.mark.parametrize(("weight", "verdict"), [(-0.99, "holds"), (0.99, "holds"), (-1.01, "fails"), (1.01, "fails")])
def test_one_larger_weight_off_the_support_is_enough(weight, verdict):
    (run,) = signal(seeds=1)
    relevant = {f"curve_weight_0_{i}": [-1.0] * len(STEPS) for i in run["support"]}
    other = next(f"curve_weight_0_{i}" for i in range(N) if i not in run["support"])
    odd = run | relevant | {other: [weight] * len(STEPS)}
    assert check(STUDY, "3-all-relevant-first", table(signal(), odd)).verdict == verdict


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=280, paper=1000)
