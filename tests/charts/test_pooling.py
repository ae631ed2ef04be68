"""Runs that a figure does not tell apart are pooled, and it says so."""

import polars as pl
import pytest

from glassware import charts
from glassware.charts.pooling import common, pooled
from glassware.sweeps import grid
from tests.charts.made import data, specification, texts
from tests.helpers import TINY
from tests.luck.made import NEVER, made, table

SGD = {"optimiser": {"name": "sgd", "lr": 0.1}}


def rows(axes):
    """Made rows of every run of a grid, two seeds each, of which the first succeeds."""
    cells = grid({**TINY, **SGD, "m": 30}, axes)
    return table(*(made([20, NEVER], **cell.model_dump(exclude={"seed"})) for cell in cells))


@pytest.mark.parametrize(
    ("axes", "found"),
    [
        ({"model.width": [4, 8], "m": [30, 40]}, []),
        ({"optimiser.lr": [0.1, 0.2]}, ["lr"]),
        ({"model.width": [4, 8], "optimiser.momentum": [None, 0.9]}, ["momentum"]),
        ({"evaluation.every": [10, 20]}, ["every"]),
        ({"init.scheme": ["dense", "sign"], "task.noise": [0.0, 0.1]}, ["noise", "scheme"]),
        ({"probes": [(), ("neuron_norms",)], "pairing": ["a", "b"]}, []),  # luck, and what is kept
    ],
)
def test_fields_that_vary_within_what_is_shown(axes, found):
    assert sorted(pooled(rows(axes), ["m", "width"])) == found


def test_only_what_varies_within_a_cell_is_pooled():
    frame = rows({"optimiser.lr": [0.1, 0.2]})
    assert pooled(frame, ["m", "lr"]) == []
    assert pooled(frame.with_columns(panel=pl.format("eta {}", "lr")), ["panel"]) == []
    assert pooled(frame, []) == ["lr"]
    assert pooled(frame.drop("spec"), ["m"]) == []  # nobody can know


def test_what_all_runs_have_in_common():
    frame = rows({"task.k": [2, 3]})
    assert common(frame) == "n = 20, m = 30, r = 8"
    assert common(frame, shown=["width", "m"]) == "n = 20"
    one = frame.filter(pl.col("k") == 3)
    assert common(one) == "n = 20, k = 3, m = 30, r = 8"
    assert common(one, ["n = 20, dense", "k = 30", "r = 8"]) == "k = 3, m = 30"


@pytest.mark.parametrize(
    "draw",
    [
        lambda frame, **more: charts.success_heat_map(frame, title="T", **more),
        lambda frame, **more: charts.success_curves(frame, x="m", colour="width", title="T", **more),
        lambda frame, **more: charts.time_curves(frame, x="m", colour="width", title="T", **more),
        lambda frame, **more: charts.slices(frame, colour="width", title="T", **more),
        lambda frame, **more: charts.training_curves(frame, by=["m", "width"], title="T", **more),
    ],
    ids=["heat map", "success", "time", "slices", "training"],
)
def test_no_figure_pools_in_silence(draw):
    frame = rows({"optimiser.lr": [0.1, 0.2], "loss": ["hinge", "square"]})
    said = specification(draw(frame, subtitle="below"))["title"]["subtitle"]
    assert said[:2] == ["below", "n = 20, k = 3"]
    assert said[2] in ("pooled over loss, lr", "pooled over lr, loss")
    meant = specification(draw(frame, over=("lr", "loss")))["title"]["subtitle"]
    assert [line for line in meant if "95%" not in line] == ["n = 20, k = 3"]


def test_any_two_columns_make_a_heat_map():
    frame = rows({"optimiser.lr": [0.2, 0.1], "loss": ["square", "hinge"]})
    spec = specification(charts.success_heat_map(frame, title="T", x="loss", y="lr", column=None))
    found = {(row["x"], row["y"]): row["shade"] for row in data(spec, "shade")}
    assert found == {(loss, lr): 50 for loss in ("square", "hinge") for lr in ("0.1", "0.2")}
    drawn = texts(spec)
    assert {"learning rate η", "loss", "square", "hinge", "0.1", "0.2", "n = 20, k = 3, m = 30, r = 8"} <= set(drawn)
    assert "square, η = 0.2" in drawn  # the picked cell
    assert not [text for text in drawn if "pooled" in text]


def test_a_missing_number_is_online_for_a_sample_size_only():
    frame = rows({"optimiser.momentum": [None, 0.9], "m": ["online", 30]})
    spec = specification(charts.success_heat_map(frame, title="T", x="m", y="momentum", column=None))
    wanted = {(m, momentum) for m in ("30", "online") for momentum in ("0.9", "none")}
    assert {(row["x"], row["y"]) for row in data(spec, "shade")} == wanted


def test_numbers_are_shown_by_their_median():
    frame = rows({"model.width": [4, 8]}).with_columns(final_loss=pl.Series([1.0, 3.0, 5.0, 9.0]))
    spec = specification(charts.success_heat_map(frame, title="T", value="final_loss"))
    found = {row["y"]: (row["shade"], row["interval"]) for row in data(spec, "shade")}
    assert found == {"4": (2.0, "1.5–2.5"), "8": (7.0, "6–8")}
    assert "median final loss" in texts(spec)


def test_curves_are_those_of_the_measure_of_success():
    names = {f"curve_{which}_error": f"curve_{which}_cross_entropy" for which in ("test", "train")}
    spec = specification(charts.success_heat_map(rows({"model.width": [4, 8]}).rename(names), title="T"))
    drawn = texts(spec)
    assert {"training cross entropy", "test cross entropy, dense", "cross entropy"} <= set(drawn)
    assert not [text for text in drawn if "error" in text]
    assert data(spec, "threshold") == [{"threshold": 0.1}]


def test_a_probe_by_which_runs_succeed_has_one_line_per_run():
    frame = rows({"model.width": [4, 8]}).with_columns(measure=pl.lit("gap"), curve_gap="curve_loss")
    drawn = texts(specification(charts.training_curves(frame, by=["width"], title="T")))
    assert {"gap", "gap, dense"} <= set(drawn)
    assert not [text for text in drawn if text.startswith("training ") and text != "training step"]
