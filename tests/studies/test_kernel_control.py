import pytest

from glassware.studies.pareto.kernel_control import LABELS, STUDY, error_table
from tests.studies.made import cell, check, table

# Mean test error at m = 300, 1,000, 3,000.
GOOD = {"rbf": (0.43, 0.21, 0.0), "ntk": (0.5, 0.49, 0.49), "ntk with bias": (0.5, 0.46, 0.3)}


def frame(network=9, **changes):
    made = {**GOOD, **changes}
    kernels = [
        [{**row, "n": 20, "test_error": error + 0.01 * (i % 2)} for i, row in enumerate(_cell(label, m))]
        for label, errors in made.items()
        for m, error in zip((300, 1000, 3000), errors, strict=True)
    ]
    return table(cell(network, 10, model="mlp", init="dense", m=300, n=20, test_error=0.0), *kernels)


def _cell(label, m):
    return cell(0, 4, model="kernel-ridge", kernel=label, m=m)


@pytest.mark.parametrize(
    ("claim", "made", "holds"),
    [
        ("network", frame(), True),
        ("network", frame(network=5), False),
        ("kernels", frame(), True),
        ("kernels", frame(rbf=(0.3, 0.2, 0.0)), False),
        ("kernels-need-data", frame(), True),
        ("kernels-need-data", frame(rbf=(0.43, 0.43, 0.32)), True),
        ("kernels-need-data", frame(rbf=(0.43, 0.43, 0.35)), False),
        ("bias", frame(), True),
        ("bias", frame(ntk=(0.5, 0.4, 0.3)), False),
    ],
)
def test_claims(claim, made, holds):
    assert check(STUDY, claim, made).holds is holds


def test_missing_rows_are_not_enough():
    made = frame()
    assert check(STUDY, "network", made.filter(made["kernel"].is_not_null())).holds is None
    for claim in ("kernels", "kernels-need-data", "bias"):
        assert check(STUDY, claim, made.filter(made["kernel"].is_null())).holds is None
    assert check(STUDY, "kernels", made.filter(made["kernel"].ne_missing("ntk"))).holds is None
    for m in (300, 3000):
        assert check(STUDY, "kernels-need-data", made.filter(made["m"] != m)).holds is None


def test_the_figure_has_every_machine():
    assert set(error_table(frame())["machine"]) == {*LABELS, "network, dense init"}


def test_machines_and_networks_see_the_same_seeds():
    runs = STUDY.runs("laptop")
    machines = {(run.seed, run.m) for run in runs if run.model.solved}
    assert machines == {(run.seed, run.m) for run in runs if not run.model.solved}


# -- thresholds: rows that just hold and rows that just fail ----------------------------------------------------------


def level(error):
    """Errors of four runs are half a point around this mean."""
    return error - 0.005


@pytest.mark.parametrize(
    ("claim", "made", "held", "value"),
    [
        ("network", frame(network=6), True, 0.6),
        ("network", frame(network=5), False, 0.5),
        ("kernels", frame(rbf=(level(0.351), 0.2, 0.0)), True, 0.351),
        ("kernels", frame(rbf=(level(0.349), 0.2, 0.0)), False, 0.349),
        ("kernels", frame(**{"ntk with bias": (level(0.349), 0.4, 0.3)}), False, 0.349),
        ("kernels-need-data", frame(rbf=(0.401, 0.2, 0.3)), True, 0.101),
        ("kernels-need-data", frame(rbf=(0.399, 0.2, 0.3)), False, 0.099),
        ("bias", frame(ntk=(0.5, 0.1, level(0.451))), True, 0.451),
        ("bias", frame(ntk=(0.5, 0.5, level(0.449))), False, 0.449),
    ],
)
def test_claims_near_their_thresholds(claim, made, held, value):
    finding = check(STUDY, claim, made)
    assert finding.holds is held
    assert finding.measured.value == pytest.approx(value)
    assert claim == "network" or finding.measured.low < value < finding.measured.high
