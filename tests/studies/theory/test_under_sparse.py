"""One truncated step from under-sparse weights: claims on rows we choose."""

import math

import numpy as np
import polars as pl
import pytest

from glassware.foundation import statistics
from glassware.studies.theory.under_sparse import STUDY
from glassware.studies.theory.under_sparse_runs import parts, samples
from glassware.sweeps import run_id
from glassware.theory.pareto.sparse_gradients import under_sparse_signal
from glassware.theory.pareto.under_sparse import apply_step, bias_levels, step
from tests import reference
from tests.studies.judged import spread, verdict


@pytest.fixture(autouse=True)
def _resamples(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 100)


def test_corrected_forms_hold_and_printed_ones_fail_in_every_case(smoke):
    _, rows = smoke(STUDY)
    assert verdict(STUDY, "closed-forms", rows) == "holds"
    assert verdict(STUDY, "closed-forms", rows.with_columns(pl.col("gap") + 1e-11)) == "fails"
    for claim in ("printed-ratio", "printed-weights"):
        assert verdict(STUDY, claim, rows) == "fails"
        assert verdict(STUDY, claim, rows.with_columns(gap=0.0)) == "holds"
    assert rows.filter(part="exact", form="printed")["gap"].min() > 0.05


def needed(power, noise=0.02, levels=(1.0, 1.0, 1.0)):
    """Three repeats per n of (n - 2)^power examples; the law's constant has these levels."""
    return [
        {"part": "m50", "n": n, "k": 4, "s": 2, "m50": 100 * (n - 2) ** power * math.exp(d * noise),
         "signal": math.sqrt(level * math.log(n) / (n - 2) ** power)}
        for n, level in zip((15, 31, 61), levels, strict=True)
        for d in (-1, 0, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("power", "noise", "expected"),
    [(1.3, 0.1, "holds"), (1.75, 0.5, "too close to call"), (2.5, 0.1, "fails"), (0.0, 0.1, "fails")],
)
def test_the_exponent_of_the_examples(power, noise, expected):
    rows = needed(power, noise)
    assert verdict(STUDY, "slope", [*rows, *({**row, "k": 6, "m50": 1e9} for row in rows)]) == expected
    assert verdict(STUDY, "slope", rows[:6]) == "not enough runs"


@pytest.mark.parametrize(
    ("levels", "noise", "expected"),
    [((1.0, 1.2, 1.4), 0.02, "holds"), ((1.0, 1.0, 3.0), 0.3, "too close to call"), ((1.0, 2.0, 5.0), 0.02, "fails")],
)
def test_the_constant_of_the_law(levels, noise, expected):
    assert verdict(STUDY, "constant", needed(1.3, noise, levels)) == expected


@pytest.mark.parametrize(("claim", "form"), [("subnetwork", "corrected"), ("printed-cutoff", "printed")])
@pytest.mark.parametrize(
    ("level", "expected"), [(0.998, "holds"), (0.99, "too close to call"), (0.8, "fails"), (0.5, "fails")]
)
def test_accuracy_with_the_most_examples(claim, form, level, expected):
    at = lambda m: lambda accuracy: [{"part": "accuracy", "form": form, "m": m, "accuracy": accuracy}]
    assert verdict(STUDY, claim, [*spread(at(100), level), *spread(at(10), 0.6)]) == expected


def test_a_run_takes_the_truncated_step_of_good_neurons(smoke):
    """Against the step in float64 on the same examples, its gates decided in whole numbers."""
    _, rows = smoke(STUDY)
    run = STUDY.runs("smoke")[-1]
    n, k, s = 15, 4, 2
    row = rows.row(by_predicate=pl.col("id") == run_id(run), named=True)
    weights = np.array(row["first_layer"]).reshape(-1, n)
    eps, levels, on = run.init.eps, np.arange(20) % k, np.isin(np.arange(n), row["support"])
    drawn = np.asarray(run.network.init(run.values()["init"], run.task)[0]["w"]).T
    ones = (drawn == 1).astype(float)[:20]
    assert np.all(ones.sum(axis=1) == s)
    assert not ones[:, ~on].any()
    x, y = reference.example(run, np.arange(run.m, dtype=np.uint32))
    strong, weak = x @ ones.T, x @ (1 - ones).T + bias_levels(k, 1.0)[::-1][levels]
    gate = (strong > 0) | ((strong == 0) & (weak > 0))
    xi = (gate * y[:, None]).T @ x / run.m
    rule = step(n, k, s, eps)._replace(gamma=run.optimiser.truncation)
    for copy, sign in ((weights[:20], 1.0), (weights[20:], -1.0)):
        towards = sign * np.sign(under_sparse_signal(n, k, s).relevant)
        expected = apply_step(ones, xi, eps, rule, towards)
        assert np.mean(np.abs(copy - expected) < 0.02 * eps / (2 * k)) > 0.995  # noise at the cut-off may go either way
    assert step(n, k, s, eps, printed=True).gamma == run.optimiser.truncation


def test_rows_say_who_has_found_the_support():
    """Weights as the step on the whole distribution leaves them, in some of the neurons; the others are at a loss."""
    n, k, s, support = 15, 4, 2, [1, 4, 5, 9]
    eps, runs = 0.01 / (n - s), []
    good, lost = np.where(np.isin(np.arange(n), support), eps / (2 * k), 0.0), np.zeros(n)
    for share, m in zip((0, 0, 4, 16, 20, 20, 20), samples((n, k, s)), strict=True):
        layer = np.concatenate([np.tile(good, (share, 1)), np.tile(lost, (40 - share, 1))])
        for cut in (False, True):
            runs.append({"n": n, "k": k, "s": s, "m": m, "seed": 1, "support": support, "first_layer": layer.ravel(),
                         "truncation": step(n, k, s, eps, cut).gamma})  # fmt: skip
    table = pl.DataFrame([{**run, "first_layer": run["first_layer"].tolist()} for run in runs]).with_columns(part=None)
    found = parts(table)
    few, many = samples((n, k, s))[2:4]
    (m50,) = found.filter(part="m50")["m50"]
    assert m50 == pytest.approx(few * (many / few) ** 0.5)  # from 0.2 to 0.8
    right = found.filter(part="accuracy", form="corrected")["accuracy"].to_list()
    assert right[2:] == [1.0] * 5  # four good neurons make the subnetwork
    assert max(right[:2]) < 0.6
