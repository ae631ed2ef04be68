import pytest

from glassware.studies.pareto.kernel_control import LABELS, STUDY, error_table
from tests.studies.made import cell, check, table

# Mean test error at m = 300, 1,000, 3,000.
GOOD = {"rbf": (0.43, 0.21, 0.0), "ntk": (0.5, 0.49, 0.49), "ntk with bias": (0.5, 0.46, 0.3)}
CHANCE = dict.fromkeys(GOOD, (0.5, 0.5, 0.5))


def frame(network=9, noise=0.01, **changes):
    """Ten networks of which so many learn, and four machines of each kind, whose errors differ by the noise."""
    made = {**GOOD, **changes}
    kernels = [
        [{**row, "n": 20, "test_error": error + noise * (i % 2)} for i, row in enumerate(_cell(label, m))]
        for label, errors in made.items()
        for m, error in zip((300, 1000, 3000), errors, strict=True)
    ]
    return table(cell(network, 10, model="mlp", init="dense", m=300, n=20, test_error=0.0), *kernels)


def _cell(label, m):
    return cell(0, 4, model="kernel-ridge", kernel=label, m=m)


@pytest.mark.parametrize(
    ("claim", "made", "said"),
    [
        ("network", frame(), "holds"),
        ("network", frame(network=8), "too close to call"),
        ("network", frame(network=5), "too close to call"),  # a coin
        ("network", frame(network=0), "fails"),
        ("kernels", frame(), "holds"),
        ("kernels", frame(rbf=(0.345, 0.2, 0.0)), "too close to call"),
        ("kernels", frame(**{"ntk with bias": (0.3, 0.3, 0.3)}), "fails"),
        ("kernels", frame(rbf=(0.43, 0.43, 0.4)), "fails"),  # not with more data either
        ("kernels", frame(**CHANCE), "fails"),
        ("bias", frame(), "holds"),
        ("bias", frame(ntk=(0.5, 0.5, 0.445)), "too close to call"),
        ("bias", frame(ntk=(0.5, 0.4, 0.3)), "fails"),
        ("bias", frame(**CHANCE), "fails"),
    ],
)
def test_claims(claim, made, said):
    assert check(STUDY, claim, made).verdict == said


def test_missing_rows_are_not_enough():
    made = frame()
    unknown = lambda claim, part: check(STUDY, claim, part).verdict == "not enough runs"
    assert unknown("network", made.filter(made["kernel"].is_not_null()))
    for claim in ("kernels", "bias"):
        assert unknown(claim, made.filter(made["kernel"].is_null()))
        assert unknown(claim, made.filter(made["m"] != 3000))
        assert unknown(claim, made.filter(made["kernel"].ne_missing("ntk")))


def test_the_figure_has_every_machine():
    assert set(error_table(frame())["machine"]) == {*LABELS, "network, dense init"}


def test_machines_and_networks_see_as_many_examples():
    runs = STUDY.runs("laptop")
    machines = {(run.seed, run.m) for run in runs if run.model.solved}
    assert machines == {(run.seed, run.m) for run in runs if not run.model.solved}
