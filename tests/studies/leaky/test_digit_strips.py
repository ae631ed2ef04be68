"""Strips of digits: the pairing, and claims on rows we choose."""

import polars as pl
import pytest

from glassware.studies.leaky.digit_strips import FIXED, METHODS, NETWORK, STUDY, by_method, stage
from tests.studies.judged import verdict

ONE, THREE = (0.98, 0.96, 0.9, 0.97, 0.95), (0.75, 0.5, 0.5, 0.51, 0.52)  # in the order of METHODS


def strips(k, levels, seed=1, shift=0.0):
    """One seed's rows of all methods, all shifted alike."""
    rows = []
    for method, level in zip(METHODS, levels, strict=True):
        model, init, rates = METHODS[method]
        rows.append({"k": k, "model": model.name, "activation": getattr(model, "activation", None), "init": init.scheme,
                     "layer_rates": list(rates), "seed": seed, "test_error": 1 - level - shift})  # fmt: skip
    return rows


def seeds(one=ONE, three=THREE):
    """Three seeds: one is lucky and one unlucky, for all methods alike."""
    shifts = enumerate((-0.01, 0.0, 0.01))
    return [row for seed, d in shifts for k, levels in ((1, one), (3, three)) for row in strips(k, levels, seed, d)]


def test_rows_know_their_method():
    rows = pl.DataFrame(strips(1, ONE))
    assert by_method(rows)["method"].to_list() == list(METHODS)


def test_every_method_sees_the_same_strips():
    runs = stage("laptop", 1, pl.DataFrame())
    for k in (1, 3):
        assert len({tuple(run.key()) for run in runs if run.task.k == k}) == 1
    assert len({tuple(run.key()) for run in runs}) == 2


@pytest.mark.parametrize(
    ("claim", "one", "three", "expected"),
    [
        ("one-digit", ONE, THREE, "holds"),
        ("one-digit", (0.99, 0.9, 0.9, 0.94, 0.9), THREE, "fails"),
        ("one-digit", (0.5,) * 5, THREE, "fails"),  # guessing: no lead, and nothing read
        ("network", ONE, THREE, "holds"),
        ("network", ONE, (0.71, 0.5, 0.5, 0.5, 0.5), "too close to call"),
        ("network", ONE, (0.5,) * 5, "fails"),
        ("fixed", ONE, THREE, "holds"),
        ("fixed", ONE, (0.75, 0.5, 0.5, 0.5, 0.55), "too close to call"),
        ("fixed", ONE, (0.75, 0.5, 0.65, 0.5, 0.5), "fails"),
        ("fixed", (0.5,) * 5, (0.5,) * 5, "fails"),
    ],
)
def test_claims(claim, one, three, expected):
    rows = seeds(one, three)
    assert verdict(STUDY, claim, rows) == expected
    assert verdict(STUDY, claim, [row for row in rows if row["model"] != "gated"]) == "not enough runs"


def test_the_lead_is_judged_in_pairs():
    """Seeds differ far more than methods do: the difference within a seed is sure."""
    rows = [row for seed, d in enumerate((-0.1, 0.0, 0.1)) for row in strips(1, (0.9, *ONE[1:]), seed, d)]
    assert verdict(STUDY, "one-digit", rows) == "too close to call"  # 85% may not be read
    near = [row for seed, d in enumerate((-0.02, 0.0, 0.02)) for row in strips(1, ONE, seed, d)]
    assert verdict(STUDY, "one-digit", near) == "holds"
    jitter = [row for seed, d in enumerate((-0.02, 0.0, 0.02)) for row in strips(1, (ONE[0] + d, *ONE[1:]), seed)]
    assert verdict(STUDY, "one-digit", jitter) == "too close to call"


def test_the_best_fixed_method_counts():
    for method in FIXED:
        levels = tuple(0.98 if name in (NETWORK, method) else 0.9 for name in METHODS)
        assert verdict(STUDY, "one-digit", seeds(levels)) == "holds"
