import math

import numpy as np
import pytest

from glassware.studies.hidden_progress.progress import LARGE, MAIN, NETWORK, STUDY, _run
from glassware.studies.hidden_progress.shared.movement import exponent, overtaking, value_at
from glassware.studies.hidden_progress.shared.trials import repeat
from tests.studies.drawn import drawn, table, whole
from tests.studies.made import check

EVERY, DROP, END = 25, 800, 1000
STEPS = np.arange(0, 2001, EVERY)
N = 50


def signal(cell=MAIN[0], *, power=1.0, scale=1e-3, drop=DROP, overtakes=200, ahead=True, seeds=3):
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


def control(cell=MAIN[0], *, power=0.5, scale=1e-3, seeds=3):
    """Runs on random labels whose rho grows as t^power."""
    flat = [0.5] * len(STEPS)
    names = ("relevant_moved", "irrelevant_moved", "relevant_weight", "irrelevant_weight")
    runs = repeat([_run(cell, 0.5)], seeds)
    return [drawn(run, flat, every=EVERY, movement=scale * STEPS**power, **dict.fromkeys(names, flat)) for run in runs]


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


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("random-walk", {}, {"noise": {"power": 0.61}}),
        ("random-walk", {"noise": {"power": 0.41}}, {"noise": {"power": 0.39}}),
        ("drift", {"real": {"power": 0.76}}, {"real": {"power": 0.74}}),
        ("distinguishable", {"real": {"scale": 1e-2}}, {"real": {"power": 0.5, "scale": 1.9e-3}}),
        ("late-drop", {"real": {"drop": 750}}, {"real": {"drop": 700}}),
        ("overtakes", {"real": {"overtakes": 400}}, {"real": {"overtakes": 450}}),
    ],
)
def test_figure_3(claim, good, bad):
    for changed, holds in ((good, True), (bad, False)):
        made = [signal(**changed.get("real", {})), control(**changed.get("noise", {}))]
        assert check(STUDY, f"3-{claim}", table(*made)).holds is holds
        others = [
            part for cell in LARGE[:1] + LARGE[2:]
            for part in (signal(cell, scale=1e-2), control(cell))
        ]  # fmt: skip
        everywhere = table(*made, *others)
        assert check(STUDY, f"13-{claim}", everywhere).holds is holds
        assert check(STUDY, f"13-{claim}", table(*made)).holds is None


def test_all_relevant_weights_first():
    assert check(STUDY, "3-all-relevant-first", table(signal())).holds
    assert not check(STUDY, "3-all-relevant-first", table(signal(ahead=False), control())).holds
    assert check(STUDY, "3-all-relevant-first", table(control())).holds is None


def test_figure_13():
    cells = [("xiv", 4), *LARGE]
    far = {cell: (signal(cell, scale=1e-2), control(cell)) for cell in cells}
    made = table(*(part for parts in far.values() for part in parts))
    assert check(STUDY, "13-movement", made).holds
    assert check(STUDY, "13-movement-small-batches", made).holds
    far["xiv", 4] = signal(("xiv", 4), power=0.5, scale=1.9e-3), control(("xiv", 4))
    made = table(*(part for parts in far.values() for part in parts))
    assert check(STUDY, "13-movement", made).holds
    assert not check(STUDY, "13-movement-small-batches", made).holds
    far[NETWORK] = far[NETWORK][0], []
    made = table(*(part for parts in far.values() for part in parts))
    assert check(STUDY, "13-movement", made).holds is None


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def three(make, name, middle, low, high, cell=MAIN[0]):
    """Three runs that differ in one number: their median is the middle one's."""
    return [row for value in (high, middle, low) for row in make(cell, seeds=1, **{name: value})]


TWICE = 2e-3 / 700**0.5  # rho = TWICE t is twice 0.001 sqrt(t) at step 700, the last before 0.9 times 800


@pytest.mark.parametrize(
    ("claim", "make", "name", "middle", "ends", "held"),
    [
        ("random-walk", control, "power", 0.401, (0.1, 2.0), True),
        ("random-walk", control, "power", 0.399, (0.1, 2.0), False),
        ("random-walk", control, "power", 0.599, (0.1, 2.0), True),
        ("random-walk", control, "power", 0.601, (0.1, 2.0), False),
        ("drift", signal, "power", 0.751, (0.1, 2.0), True),
        ("drift", signal, "power", 0.749, (0.1, 2.0), False),
        ("distinguishable", signal, "scale", 1.01 * TWICE, (1e-9, 1.0), True),
        ("distinguishable", signal, "scale", 0.99 * TWICE, (1e-9, 1.0), False),
        ("late-drop", signal, "drop", 750, (100, 975), True),
        ("late-drop", signal, "drop", 725, (100, 975), False),
        ("overtakes", signal, "overtakes", 400, (0, 800), True),
        ("overtakes", signal, "overtakes", 425, (0, 800), False),
    ],
)
def test_medians_that_just_hold(claim, make, name, middle, ends, held):
    runs = three(make, name, middle, *ends)
    made = table(runs, signal() if make is control else three(control, "scale", 1e-3, 1e-9, 1.0))
    finding = check(STUDY, f"3-{claim}", made)
    assert finding.holds is held
    wanted = {"late-drop": middle / END, "overtakes": middle / DROP, "distinguishable": 2 * middle / TWICE}
    assert finding.measured.value == pytest.approx(wanted.get(claim, middle))


@pytest.mark.parametrize("cell", [("xiv", 32), NETWORK])
@pytest.mark.parametrize(("factor", "held"), [(1.01, True), (0.99, False)])
def test_at_convergence_each_cell_has_moved_twice_as_far(cell, factor, held):
    scale = factor * 2e-3 / END**0.5
    cells = [(c, scale if c == cell else 1.0) for c in (("xiv", 4), *LARGE)]
    made = table(*(part for c, s in cells for part in (three(signal, "scale", s, 1e-9, 9.0, c), control(c))))
    for claim in ("13-movement", "13-movement-small-batches"):
        finding = check(STUDY, claim, made)
        assert finding.holds is held
        assert held or finding.measured.value == pytest.approx(2 * factor)


def test_the_interval_allows_for_the_controls():
    sure = check(STUDY, "3-distinguishable", table(signal(seeds=9), control(seeds=9))).measured
    assert sure.low == sure.high
    rough = [row for scale in (1, 2, 3, 4, 5) for row in control(scale=1e-3 * scale, seeds=2)]
    found = check(STUDY, "3-distinguishable", table(signal(seeds=9), rough)).measured
    assert found.low < found.value <= found.high


def test_one_run_whose_weights_are_not_ahead_is_enough():
    finding = check(STUDY, "3-all-relevant-first", table(signal(seeds=2), signal(ahead=False, seeds=1)))
    assert finding.holds is False
    assert finding.measured.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(("weight", "held"), [(-0.99, True), (0.99, True), (-1.01, False), (1.01, False)])
def test_one_larger_weight_off_the_support_is_enough(weight, held):
    (run,) = signal(seeds=1)
    relevant = {f"curve_weight_0_{i}": [-1.0] * len(STEPS) for i in run["support"]}
    other = next(f"curve_weight_0_{i}" for i in range(N) if i not in run["support"])
    made = table([run | relevant | {other: [weight] * len(STEPS)}])
    assert check(STUDY, "3-all-relevant-first", made).holds is held


def test_the_whole_study(tmp_path):
    whole(STUDY, tmp_path, laptop=200, paper=1000)
