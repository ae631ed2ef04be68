from functools import partial

import numpy as np
import polars as pl
import pytest

from glassware.studies import claims, figures, left_in_pieces, missing, train
from glassware.studies.pareto.tabular import STUDY
from glassware.studies.pareto.tabular_figures import beside_printed_table, by_optimiser_table, by_rows_table
from glassware.sweeps import Store
from glassware.tabular.benchmark.compare import mean_difference, ranking
from glassware.tabular.benchmark.printed import TASKS
from tests.calls import call
from tests.studies.made import check

EXACT = [task for task in TASKS if task.name not in ("MiniBooNE", "Higgs", "jannis")]
FRACTIONS = (1.0, 0.1, 0.01)


def rows(family, error, trials=3, fractions=FRACTIONS, tasks=EXACT, **more):
    """Made rows: ``error`` takes a task, a fraction and a trial, and may add to what is printed."""
    return pl.DataFrame(
        [
            {"family": family, "task": t.name, "fraction": f, "cap": 10_000, "trial": i, "columns": t.columns,
             "rows": t.rows, "train_rows": int(1000 * f), "error": error(t, f, i), **more}
            for t in tasks for f in fractions for i in range(trials)
        ],
        schema_overrides={"max_depth": pl.Int64} if "max_depth" in more else None,
    )  # fmt: skip


def forest(off=0.0, cap=10_000, depth=None, **more):
    made = rows(
        "forest",
        lambda t, f, i: (t.forest.at(f) + off) / 100,
        max_depth=depth,
        max_features="1",
        n_estimators=100,
        **more,
    )
    return made.with_columns(cap=pl.lit(cap, pl.Int64))


def network(off=0.0, depth=3, width=100, init="dense", decay=0.0, rule="adam", **more):
    return rows(
        "networks", lambda t, f, i: (t.mlp.at(f) + off + 0.1 * (i - 1)) / 100, depth=depth, width=width, init=init,
        weight_decay=decay, optimiser=rule, **more,
    )  # fmt: skip


def sgd(off=0.0, **more):
    return network(off, rule="sgd", **more)


def method(name, off=0.0, trials=3, **more):
    return rows("methods", lambda t, f, i: (t.mlp.at(f) + off + 0.1 * (i - 1)) / 100, trials, method=name, **more)


def together(*frames):
    return pl.concat(frames, how="diagonal_relaxed")


NETWORKS = together(
    network(), network(-1, width=300), network(-2, width=300, init="s=2"), network(-1, width=300, init="s=4"),
    network(-1, width=300, decay=0.01), network(1, depth=1, width=300), network(0, depth=2, width=300),
)  # fmt: skip
SHALLOW = together(forest(1, depth=10), forest(0.1, depth=10, cap=None))
METHODS = [method(name, off) for name, off in (("MLPClassifier", 1), ("XGBoost", 2), ("LightGBM", 3), ("dense", 0.5))]


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
        ("ours-printed-hundredth", method("sparse", -1), True),
        ("ours-printed-full", method("sparse", 1), False),
        ("ours-mlp-tenth", together(method("sparse"), *METHODS), True),
        ("ours-dense-tenth", together(method("sparse", 0.6), *METHODS), False),
        ("ours-rank-hundredth", together(method("sparse"), method("CatBoost", 9), *METHODS), True),
        ("ours-rank-hundredth", together(method("sparse", 1.5), method("CatBoost", 9), *METHODS), False),
        ("ours-rank-full", together(method("sparse", 1.5), method("CatBoost", 9), *METHODS), True),
    ],
)
def test_claims(claim, frame, holds):
    assert check(STUDY, claim, frame).holds is holds


def made_xor(narrow=0.3, wide=0.2, forest=0.25, sgd=0.45):
    """Errors on the made table, three trials each: of sparse networks by width, of a forest, of SGD; dense ones 30%."""
    networks = [
        {"method": "network", "width": r, "init": init, "optimiser": rule,
         "error": sgd if rule == "sgd" else 0.3 if init == "dense" else {30: narrow, 300: wide}[r]}
        for r in (30, 300) for init in ("dense", "s=2") for rule in ("adam", "sgd")
    ]  # fmt: skip
    return pl.DataFrame(
        [
            {"family": "xor", "train_rows": rows, "trial": i, **one, "error": one["error"] + 0.001 * i}
            for rows in (300, 1000)
            for one in [*networks, {"method": "forest", "error": forest}]
            for i in range(3)
        ]
    )


@pytest.mark.parametrize(
    ("claim", "changes", "holds"),
    [
        ("xor-width", {}, True),
        ("xor-width", {"wide": 0.26}, False),
        ("xor-width", {"wide": 0.5}, False),
        ("xor-forest", {}, True),
        ("xor-forest", {"forest": 0.19}, False),
        ("xor-sgd", {"sgd": 0.41}, True),
        ("xor-sgd", {"sgd": 0.39}, False),
    ],
)
def test_claims_on_the_made_table(claim, changes, holds):
    frame = made_xor(**changes)
    assert check(STUDY, claim, frame).holds is holds
    lacking = frame.filter(pl.col("train_rows") == 300)
    assert check(STUDY, claim, lacking).holds is (holds if claim == "xor-width" else None)


def test_a_forest_that_wins_at_one_size_wins():
    better = pl.when((pl.col("method") == "forest") & (pl.col("train_rows") == 1000)).then(0.1).otherwise("error")
    assert check(STUDY, "xor-forest", made_xor().with_columns(error=better)).holds is False


def test_printed_networks_are_compared_where_as_many_rows_were_used():
    found = check(STUDY, "ours-printed-full", method("sparse", -1))
    assert "/5 tasks" in found.detail  # the tables with at most 11,111 rows
    assert found.measured.value == pytest.approx(-0.01)


def test_a_method_with_fewer_trials_is_ranked_in_a_second_list():
    frame = together(method("sparse"), method("CatBoost", 9), method("RealMLP", -5, trials=1), *METHODS)
    found = check(STUDY, "ours-rank-hundredth", frame)
    assert found.holds
    assert "sparse 1.0, MLPClassifier 2.0" in found.detail
    assert "with RealMLP, mean ranks on 13 tasks, at least 1 trials: RealMLP 1.0, sparse 2.0" in found.detail


def test_rows_of_other_families_are_not_enough():
    for claim in STUDY.claims:
        if claim.scales == ("paper",):
            assert claim.check(pl.DataFrame({"family": ["xor"], "error": [0.5]})).holds is None, claim.id


def test_the_interval_draws_trials_within_tasks():
    apart = {"a": [0.0] * 9, "b": [1.0] * 9}
    assert mean_difference(apart) == (0.5, 0.5, 0.5)
    low, high = mean_difference({"a": [0.0, 1.0] * 5, "b": [1.0] * 9})[1:]
    assert 0.5 < low < 0.75 < high <= 1.0


def test_ranks_rest_on_what_all_methods_have():
    table = ranking(
        {"good": {"a": {0: 0.1, 1: 0.9}, "b": {0: 0.2}, "c": {0: 0.9}}, "bad": {"a": {0: 0.2}, "b": {0: 0.3}}}
    )
    assert table.to_dicts() == [
        {"method": "good", "tasks": 2, "trials": 1, "error": pytest.approx(15.0), "rank": 1.0},
        {"method": "bad", "tasks": 2, "trials": 1, "error": pytest.approx(25.0), "rank": 2.0},
    ]
    assert not len(ranking({"a": {"x": {0: 0.1}}, "b": {"y": {0: 0.1}}}))


def test_the_table_of_the_figure_has_every_task_and_fraction():
    table = beside_printed_table(together(forest(1), network()))
    assert len(table) == 2 * 3 * len(EXACT)
    assert table["column"].unique(maintain_order=True).to_list() == ["all rows", "10%", "1%"]
    assert np.allclose(table.filter(pl.col("panel") == "forests")["value"], 1.0)
    curves = by_rows_table(together(forest(), network(), method("sparse")))
    assert curves["kind"].n_unique() == 5
    assert curves["panel"].n_unique() == len(EXACT)


def on(count, make, good, bad):
    """Rows of ``make``: so many tasks with the first offset, the others with the second."""
    return together(make(good, tasks=EXACT[:count]), make(bad, tasks=EXACT[count:]))


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


TWOS, FOURS = network(init="s=2"), network(0.1, init="s=4")
SMALL = [task for task in EXACT if task.rows <= 11_111]  # 10,000 rows are 90% of them, or more
OURS = together(method("sparse"), method("CatBoost", 9), *METHODS)


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


@pytest.mark.parametrize(("best", "holds"), [(-0.41, True), (-0.39, False)])
def test_the_mean_over_tables_decides_against_printed_networks(best, holds):
    made = together(*(method("sparse", best if t is SMALL[0] else 0.1, tasks=[t]) for t in SMALL))
    found = check(STUDY, "ours-printed-full", made)
    assert found.holds is holds
    assert found.measured.value == pytest.approx((best + 0.4) / 500)
    assert "better on 1/5 tasks" in found.detail
    printed, ours = (np.mean([t.mlp.at(1.0) for t in SMALL]) + off for off in (0.0, (best + 0.4) / 5))
    assert f"ours {ours:.1f}%, printed {printed:.1f}%" in found.detail
    assert check(STUDY, "ours-printed-full", method("sparse", -1, tasks=SMALL[1:])).holds is None


@pytest.mark.parametrize(("best", "holds"), [(-1.21, True), (-1.19, False)])
def test_the_mean_over_tables_decides_against_a_method(best, holds):
    made = together(on(12, partial(method, "sparse"), 0.1, best), method("MLPClassifier"))
    found = check(STUDY, "ours-mlp-tenth", made)
    assert found.holds is holds
    assert found.measured.value == pytest.approx((best + 1.2) / 1300)
    assert found.detail == "better on 1/13 tasks"


@pytest.mark.parametrize(("off", "place"), [(0.0, 1), (1.5, 2), (2.5, 3), (3.5, 4)])
def test_places_among_all_methods(off, place):
    made = together(method("sparse", off), method("CatBoost", 9), *METHODS)
    for name, need in (("full", 3), ("tenth", 3), ("hundredth", 1)):
        found = check(STUDY, f"ours-rank-{name}", made)
        assert found.holds is (place <= need)
        assert found.measured.value == place


def test_a_rank_needs_five_methods_our_twin_apart():
    rank = partial(check, STUDY, "ours-rank-tenth")
    assert rank(OURS.filter(pl.col("method") != "CatBoost")).holds is None
    assert rank(together(OURS, method("RealMLP")).filter(pl.col("method") != "sparse")).holds is None
    few = pl.when((pl.col("method") != "CatBoost") | (pl.col("trial") == 0)).then(True).otherwise(False)
    assert rank(OURS.filter(few)).holds is None


@pytest.mark.parametrize(("count", "listed"), [(9, False), (10, True)])
def test_a_method_on_nine_tables_is_not_ranked(count, listed):
    found = check(STUDY, "ours-rank-tenth", together(OURS, method("RealMLP", -5, tasks=EXACT[:count])))
    assert found.measured.value == 1
    assert ("RealMLP" in found.detail) is listed


def test_a_method_that_lacks_trials_on_one_table_is_incomplete():
    lacking = together(method("RealMLP", -5, tasks=EXACT[1:]), method("RealMLP", -5, trials=1, tasks=EXACT[:1]))
    found = check(STUDY, "ours-rank-tenth", together(OURS, lacking))
    assert found.measured.value == 1
    assert "; with RealMLP, " in found.detail
    whole = check(STUDY, "ours-rank-tenth", together(OURS, method("RealMLP", -5)))
    assert whole.measured.value == 2
    assert "; with" not in whole.detail


def test_means_over_tables_are_over_the_same_tables():
    some = network(width=300, tasks=EXACT[:5])
    table = by_optimiser_table(together(network(), network(1, init="s=2"), some, sgd(depth=1), network(decay=0.01)))
    mean = np.mean([task.mlp.at(0.01) for task in EXACT]) / 100
    assert table["panel", "kind", "width", "tables"].rows() == [
        ("Adam, depth 3", "dense", 100, 13), ("Adam, depth 3", "s=2", 100, 13), ("SGD, depth 1", "dense", 100, 13),
    ]  # fmt: skip
    assert np.allclose(table["error"], [mean, mean + 0.01, mean])
    assert not len(by_optimiser_table(forest()))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


def test_smoke_is_computed_once_piece_by_piece(store, tmp_path):
    told = []

    class Teller:
        def told(self, line):
            told.append(line)

    ((name, left, every, seconds),) = left_in_pieces(STUDY, "smoke", store)
    assert (name, left, every) == ("pareto/tabular/smoke", 6, 6)
    assert seconds > 0
    before = call("estimate", "pareto/tabular", "--scale", "smoke", "--store", store.path).stdout
    assert "pareto/tabular/smoke: 6 of 6 pieces left, about " in before
    frame = train(STUDY, "smoke", store, reporter=Teller())
    assert left_in_pieces(STUDY, "smoke", store) == [("pareto/tabular/smoke", 0, 6, 0)]
    assert missing(STUDY, "smoke", store) == (0, 1)
    assert set(frame["method"]) == {"network", "forest"}
    assert any("6 of 6 pieces" in line for line in told)
    told.clear()
    assert train(STUDY, "smoke", store, reporter=Teller()).equals(frame)
    assert told == ["pareto/tabular/smoke: 6 pieces, 6 there before"]
    assert {j.verdict for j in claims(STUDY, "smoke", frame)} == {"not judged at this scale"}
    assert [path.stem for path in figures(STUDY, "smoke", frame, tmp_path)] == ["xor", "xor"]


def test_a_stop_keeps_the_pieces_that_are_done(tmp_path, monkeypatch):
    from glassware.tabular.benchmark import synthetic

    def stop(*_):
        raise KeyboardInterrupt

    store = Store(tmp_path / "store")
    monkeypatch.setattr(synthetic, "forest_errors", stop)
    with pytest.raises(KeyboardInterrupt):
        train(STUDY, "smoke", store)
    monkeypatch.undo()
    monkeypatch.setattr(synthetic, "network_errors", stop)  # those before the first forest are there
    with pytest.raises(KeyboardInterrupt):
        train(STUDY, "smoke", store)
    monkeypatch.undo()
    assert len(train(STUDY, "smoke", store)) == 2 * (2 * 4 * 2 + 2)
