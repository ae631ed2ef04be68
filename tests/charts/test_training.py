import polars as pl
import pytest

from glassware.charts import training_curves
from glassware.charts.theme import DENSE, SPARSE, TRAIN
from glassware.foundation.errors import GlasswareError
from tests.charts.made import cell, data, marks, nodes, specification, texts

CURVE = [0.5, 0.4, 0.3, 0.05]


def made() -> pl.DataFrame:
    cells = [cell(1, 3, init=init, m=m, curve=CURVE) for init in ("sparse", "dense") for m in (None, 10_000, 300)]
    return pl.concat(cells)


def test_a_panel_a_combination_in_order() -> None:
    spec = specification(training_curves(made(), by=["init", "m", "width"], title="Curves", subtitle="three runs"))
    panels = [f"{init}, {m}, r = 100" for init in ("dense", "2-sparse") for m in ("m = 300", "m = 10k", "online")]
    assert spec["facet"]["sort"] == panels
    assert spec["columns"] == 3
    drawn = texts(spec)
    assert [text for text in drawn if text in panels] == panels
    assert {"Curves", "three runs", "training error", "test error, dense", "test error, 2-sparse"} <= set(drawn)
    assert len(marks(spec, "line mark")) == 6 * 3 * 2


def test_training_is_gray_and_inits_have_their_hues() -> None:
    spec = specification(training_curves(made(), by=["init"], title=""))
    scale = next(scale for scale in nodes(spec, "scale") if "range" in scale)
    assert scale["domain"] == ["training error", "test error, dense", "test error, 2-sparse"]
    assert scale["range"] == [TRAIN, DENSE, SPARSE]
    assert data(spec, "threshold") == [{"threshold": 0.1}]


def test_a_log_axis_leaves_out_step_nought() -> None:
    linear, log = (specification(training_curves(made(), by=["init"], title="", log_x=log)) for log in (False, True))
    assert {scale.get("type") for scale in nodes(log, "scale")} - {None} == {"log"}
    assert {scale.get("type") for scale in nodes(linear, "scale")} == {None}
    assert all(mark.startswith("training step: 0;") for mark in marks(linear, "line mark"))
    assert all(mark.startswith("training step: 10;") for mark in marks(log, "line mark"))


def test_many_long_runs_are_thinned() -> None:
    frame = pl.concat([cell(1, 80, m=m, curve=[0.5] * 500) for m in range(1, 13)])
    drawn = data(specification(training_curves(frame, by=["m"], title="")), "step")
    assert sum(len(row["step"]) for row in drawn) <= 40_000
    assert {row["step"][-1] for row in drawn} == {4990}
    assert len({row["panel"] for row in drawn}) == 12


def test_runs_without_curves_are_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="curves"):
        training_curves(cell(1, 2), by=["m"], title="")
    with pytest.raises(GlasswareError, match="'curve_step'"):
        training_curves(cell(1, 2).drop("curve_step"), by=["m"], title="")


def test_runs_that_are_left_out_are_counted() -> None:
    many = pl.concat([cell(1, 60, init="dense", m=m, curve=CURVE) for m in (300, 1000)])
    drawn = lambda frame: " ".join(texts(specification(training_curves(frame, by=["m"], title="Curves"))))
    assert "100 of 120 runs shown" in drawn(many)
    assert "shown" not in drawn(made())
