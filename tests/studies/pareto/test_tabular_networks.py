"""Claims on the paper's forests and networks: rows that just hold and rows that just fail."""

from functools import partial

import numpy as np
import polars as pl
import pytest

from glassware.studies.pareto.tabular import STUDY
from glassware.studies.pareto.tabular_figures import by_optimiser_table
from glassware.tabular.benchmark.printed import TASKS
from tests.studies.made import check
from tests.studies.pareto.tabular_rows import EXACT, forest, network, on, rows, sgd, together

NETWORKS = together(
    network(), network(-1, width=300), network(-2, width=300, init="s=2"), network(-1, width=300, init="s=4"),
    network(-1, width=300, decay=0.01), network(1, depth=1, width=300), network(0, depth=2, width=300),
)  # fmt: skip
SHALLOW = together(forest(1, depth=10), forest(0.1, depth=10, cap=None))
TWOS, FOURS = network(init="s=2"), network(0.1, init="s=4")


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("forests-full", forest(2), True),
        ("forests-full", forest(3), False),
        ("forests-full", forest(-3), False),  # far better is far, too
        ("forests-rows", together(forest(), forest(-5, cap=None)), True),
        ("forests-rows", together(forest(-5), forest(cap=None)), False),
        ("forests-depth", together(SHALLOW, forest(-1), forest(-5, cap=None)), True),
        ("forests-depth", together(SHALLOW, forest(0), forest(-5, cap=None)), False),
        ("networks-tenth", network(2), True),
        ("networks-tenth", network(-9), True),
        ("networks-tenth-adam", network(3), False),
        ("networks-hundredth", together(network(3), network(1, rule="sgd")), True),
        ("networks-hundredth-sgd", together(network(1), network(3, rule="sgd")), False),
        ("width", NETWORKS, True),
        ("width", together(network(), network(2, width=300)), False),
        ("sparse", NETWORKS, True),
        ("sparse", together(network(), network(1, init="s=2")), False),
        ("depth", NETWORKS, True),
        ("depth", together(network(), network(-1, depth=1)), False),
        ("width-sgd", together(sgd(depth=1), sgd(0.9, depth=1, width=300), sgd(9), sgd(19, width=300)), True),
        ("width-sgd", together(sgd(depth=2), sgd(1.1, depth=2, width=300), network(-9, depth=2, width=300)), False),
        ("width-sgd", sgd(depth=1), None),  # one width
        ("sparse-sgd", together(sgd(depth=2), sgd(-1, depth=2, init="s=2"), network(-9, depth=2)), True),
        ("sparse-sgd", together(sgd(depth=1), sgd(1, depth=1, init="s=2"), sgd(-9, depth=2, init="s=2")), False),
        ("depth-sgd", together(sgd(), sgd(1, depth=1), network(9)), True),
        ("depth-sgd", together(sgd(), sgd(-1, depth=1), network(-9)), False),
        ("four", NETWORKS, True),
        ("four", together(network(init="s=2"), network(init="s=4")), False),
        ("decay", NETWORKS, True),
        ("decay", together(network(), network(-1, decay=0.01)), False),
        ("forests-win", together(forest(), network()), True),
        ("forests-win", together(forest(9), network()), False),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


@pytest.mark.parametrize(
    ("claim", "frame", "holds"),
    [
        ("forests-tenth", on(11, forest, 2.45, 2.55), True),
        ("forests-tenth", on(10, forest, 2.45, 2.55), False),
        ("networks-tenth", on(10, network, 2.45, 2.55), True),
        ("networks-tenth", on(9, network, 2.45, 2.55), False),
        ("width", together(network(), on(10, partial(network, width=300), 0.95, 1.05)), True),
        ("width", together(network(), on(9, partial(network, width=300), 0.95, 1.05)), False),
        ("sparse", together(network(), on(5, partial(network, init="s=2"), -0.1, 0.1)), True),
        ("sparse", together(network(), on(4, partial(network, init="s=2"), -0.1, 0.1)), False),
        ("depth", together(network(), on(10, partial(network, depth=1), 0.1, -9)), True),
        ("depth", together(network(), on(9, partial(network, depth=1), 0.1, -9)), False),
        ("four", together(network(init="s=2"), on(10, partial(network, init="s=4"), 0.1, -9)), True),
        ("four", together(network(init="s=2"), on(9, partial(network, init="s=4"), 0.1, -9)), False),
        ("decay", together(network(), network(0.45, decay=0.01)), True),
        ("decay", together(network(), network(0.55, decay=0.01)), False),
        ("decay", together(network(), network(-0.55, decay=0.01)), False),
        ("forests-win", together(forest(), on(10, network, 9, -20)), True),
        ("forests-win", together(forest(), on(9, network, 9, -20)), False),
    ],
)
def test_claims_at_their_thresholds(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


def test_networks_near_or_better_on_ten_exact_tables():
    near = partial(check, STUDY, "networks-tenth")
    inexact = network(tasks=[task for task in TASKS if task not in EXACT]).with_columns(pl.col("rows") + 999_999)
    found = near(together(on(9, network, 2.45, 2.55), inexact))
    assert found.holds is False
    assert found.measured.value == pytest.approx(9 / 13)
    assert near(network(tasks=EXACT[:10])).holds is True
    assert near(together(network(tasks=EXACT[:9]), inexact)).holds is None
    assert near(network(-2.45)).detail == "13/13 tasks, 0 of them better by more"
    assert near(network(-2.55)).detail == "13/13 tasks, 13 of them better by more"


@pytest.mark.parametrize("other", [{"init": "s=2"}, {"decay": 0.01}, {"rule": "sgd"}, {"depth": 2}])
def test_width_is_that_of_dense_networks_without_decay(other):
    narrow, wide = network(), network(0.95, width=300)
    for frame in (together(narrow, wide), together(wide, network(5, width=200), narrow)):
        finding = check(STUDY, "width", together(frame, network(20, width=600, **other)))
        assert finding.holds is True
        assert finding.measured.value == pytest.approx(-0.0095)


def test_equal_errors_are_neither_better_nor_worse():
    assert check(STUDY, "sparse", together(network(), network(init="s=2"))).holds is False
    assert check(STUDY, "depth", together(network(), network(depth=1))).holds is False


def test_decayed_networks_are_left_out_of_sparsity_and_depth():
    finding = check(STUDY, "sparse", together(network(), TWOS, network(-1, init="s=2", decay=0.01)))
    assert finding.measured.value == pytest.approx(0.0)
    apart = together(network(), network(0.1, depth=1))
    for other in ({"decay": 0.01}, {"init": "s=4"}):
        both = together(network(20, **other), network(-20, depth=1, **other))
        assert check(STUDY, "depth", together(apart, both)).measured.value == pytest.approx(0.001)


def test_depth_is_compared_in_both_initialisations():
    sparse = together(TWOS, network(-0.1, depth=1, init="s=2"))
    finding = check(STUDY, "depth", together(network(), network(0.3, depth=1), sparse))
    assert finding.holds is True
    assert finding.measured.value == pytest.approx(0.001)


@pytest.mark.parametrize(("off", "holds"), [(0.1, True), (-0.1, False)])
def test_depth_two_is_told_beside_depth_three(off, holds):
    finding = check(STUDY, "depth", together(network(), network(-1, depth=2), network(off, depth=1)))
    assert finding.holds is holds
    assert finding.measured.value == pytest.approx(off / 100)
    assert finding.detail.endswith(f"worse than depth 2 on 13/13 tasks, by {off + 1:.2f}")
    assert "depth 2" not in check(STUDY, "depth", together(network(), network(depth=1))).detail


@pytest.mark.parametrize("other", [{"depth": 2}, {"decay": 0.01}, {"rule": "sgd"}])
def test_four_ones_are_judged_at_depth_three_with_adam_and_no_decay(other):
    finding = check(STUDY, "four", together(TWOS, FOURS, network(-20, init="s=4", **other)))
    assert finding.holds is True
    assert finding.measured.value == pytest.approx(0.001)


@pytest.mark.parametrize(("off", "near", "holds"), [(0.45, 13, True), (0.55, 13, False), (-0.99, 13, False)])
def test_decay_is_compared_with_none(off, near, holds):
    decayed = network(off, decay=0.01)
    for frame in (together(network(), decayed), together(decayed, network(), network(-20, depth=2, decay=0.01))):
        finding = check(STUDY, "decay", frame)
        assert finding.holds is holds
        assert finding.measured.value == pytest.approx(off / 100)
        assert finding.detail == f"{near}/13 tasks within a point"
    assert check(STUDY, "decay", together(network(), network(-1.01, decay=0.01))).detail.startswith("0/13")


def test_forests_win_on_ten_tables_by_their_medians():
    level = lambda t: t.forest.at(0.01) / 100
    skewed = rows("networks", lambda t, f, i: level(t) + (-0.001, 0.001, -0.3)[i], optimiser="adam", depth=3, width=1,
                  init="dense", weight_decay=0.0)  # fmt: skip
    assert check(STUDY, "forests-win", together(forest(), skewed)).measured.value == 0.0
    better = skewed.with_columns(error=pl.col("error") + 0.002)
    assert check(STUDY, "forests-win", together(forest(), better)).measured.value == 1.0
    for count, holds in ((10, True), (9, None)):
        assert check(STUDY, "forests-win", together(forest(), network(9, tasks=EXACT[:count]))).holds is holds
        assert check(STUDY, "forests-win", together(forest(tasks=EXACT[:count]), network(9))).holds is holds
    assert check(STUDY, "forests-win", forest()).holds is None
    assert check(STUDY, "forests-win", network()).holds is None


def test_means_over_tables_are_over_the_same_tables():
    some = network(width=300, tasks=EXACT[:5])
    table = by_optimiser_table(together(network(), network(1, init="s=2"), some, sgd(depth=1), network(decay=0.01)))
    mean = np.mean([task.mlp.at(0.01) for task in EXACT]) / 100
    assert table["panel", "kind", "width", "tables"].rows() == [
        ("Adam, depth 3", "dense", 100, 13), ("Adam, depth 3", "s=2", 100, 13), ("SGD, depth 1", "dense", 100, 13),
    ]  # fmt: skip
    assert np.allclose(table["error"], [mean, mean + 0.01, mean])
    assert not len(by_optimiser_table(forest()))
