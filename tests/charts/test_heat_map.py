import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from glassware.charts import save, success_heat_map
from glassware.charts.grid import NULL_GAP
from glassware.charts.picked import NONE, PICKED
from glassware.charts.save import BROWSER, on_page, on_paper
from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import wilson
from tests.charts.made import CURVES, cell, data, frontier, marks, nodes, specification, texts

MANY_M = [100, 200, 300, 600, 1000, 2000, 3000, 6000, 10**4, 2 * 10**4, 3 * 10**4, 6 * 10**4, 10**5, 2 * 10**5]


def spec_of(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    return specification(success_heat_map(frame, title="Frontier", **options))


def record(spec: dict[str, Any], **where: Any) -> dict[str, Any]:
    (found,) = [row for row in data(spec, "shade") if all(row[key] == value for key, value in where.items())]
    return found


def test_cells_carry_their_numbers() -> None:
    spec = spec_of(frontier())
    assert len(data(spec, "shade")) == 18
    found = record(spec, column="2-sparse init", x="300", y="100")
    _, low, high = wilson(3, 8)
    assert found["shade"] == 37.5
    assert (found["counts"], found["rate"], found["median"]) == ("3 of 8", "38%", "–")
    assert found["interval"] == f"{100 * low:.0f}–{100 * high:.0f}%"
    assert found["interval"] == "14–69%"
    full = record(spec, column="dense init", x="300", y="1k")
    assert (full["counts"], full["rate"], full["interval"], full["median"]) == ("8 of 8", "100%", "68–100%", "500")
    shown = [entry["field"] for entry in nodes(spec, "tooltip")[0]]
    assert shown == ["init", "x", "y", "counts", "rate", "interval", "median"]


def test_check_marks_are_exactly_the_cells_where_all_runs_succeed() -> None:
    frame = frontier().filter(pl.col("init") == "sparse")
    full = frame.group_by("m", "width").agg(pl.col("success").all()).filter("success")
    middles = {300: 0.5, 10_000: 1.5, None: 2.5 + NULL_GAP}
    wanted = {(middles[m], {10: "10", 100: "100", 1000: "1k"}[width]) for m, width, _ in full.iter_rows()}
    drawn = [
        dict(part.split(": ") for part in label.split("; ")) for label in marks(spec_of(frame, column=None), "point")
    ]
    assert len(drawn) == len(wanted) == 5
    assert {(float(mark["middle"]), mark["y"]) for mark in drawn} == wanted


def test_online_is_last_and_set_off_and_widths_increase_upwards() -> None:
    spec = spec_of(frontier())
    edges = {row["x"]: row["left"] for row in data(spec, "shade")}
    assert edges == {"300": 0, "10k": 1, "online": 2 + NULL_GAP}
    axis = next(axis for axis in nodes(spec, "axis") if axis.get("title") == "sample size m")
    assert axis["values"] == [0.5, 1.5, 2.5 + NULL_GAP]
    drawn = texts(spec)
    assert {"300", "10k", "online", "dense init", "2-sparse init"} <= set(drawn)
    domains = [scale["domain"] for scale in nodes(spec, "scale") if "domain" in scale]
    assert ["1k", "100", "10"] in domains
    assert [0, 100] in domains


def test_a_crowded_axis_names_powers_of_ten() -> None:
    frame = pl.concat([cell(1, 2, m=m) for m in [*MANY_M, None]])
    drawn = texts(spec_of(frame))
    assert {"100", "1k", "10k", "100k", "online"} <= set(drawn)
    assert not {"200", "600", "2k", "200k"} & set(drawn)


def test_panels_by_row_and_column() -> None:
    frame = pl.concat([frontier(), frontier().with_columns(pl.lit(7, pl.Int64).alias("n"))])
    spec = spec_of(frame, row="n")
    places = {(row["row"], row["column"]) for row in data(spec, "shade")}
    assert places == set(itertools.product(("n = 7", "n = 50"), ("dense init", "2-sparse init")))
    assert spec["facet"]["row"]["sort"] == ["n = 7", "n = 50"]
    assert spec["facet"]["column"]["sort"] == ["dense init", "2-sparse init"]
    assert [entry["field"] for entry in nodes(spec, "tooltip")[0]][:2] == ["row", "init"]


def test_the_init_is_named_where_panels_do_not() -> None:
    spec = spec_of(frontier(), column=None)
    assert {row["init"] for row in data(spec, "shade")} <= {"dense, 2-sparse", "2-sparse, dense"}
    alone = spec_of(frontier().filter(pl.col("init") == "sparse"), column=None)
    assert {row["init"] for row in data(alone, "shade")} == {"2-sparse"}


def test_cells_without_runs_stay_blank() -> None:
    frame = frontier().filter((pl.col("m") != 300) | (pl.col("width") != 100))
    assert not [row for row in data(spec_of(frame), "shade") if row["x"] == "300" and row["y"] == "100"]


def test_without_curves_there_is_no_curves_panel() -> None:
    for frame in (frontier(), frontier().drop(list(CURVES)), frontier(curve=[])):
        spec = spec_of(frame)
        assert "hconcat" not in spec
        assert PICKED not in str(spec)


def test_the_first_cell_shown_has_an_intermediate_rate_and_curves() -> None:
    curved = cell(5, 8, m=300, curve=[0.5, 0.2, 0.05])
    sure = [cell(hits, 8, m=m, curve=[0.5, 0.0]) for hits, m in ((8, 600), (0, 100))]
    frame = pl.concat([cell(4, 8, m=1000), curved, *sure, cell(4, 8, m=None, curve=[0.5, 0.3])])
    spec = spec_of(frame)
    (param,) = [param for param in spec["params"] if param["name"] == PICKED]
    number = record(spec, x="300")["cell"]
    assert param["value"] == [{"cell": number}]
    lines = marks(spec, "line mark")
    assert len(lines) == 16  # training and test error of its eight runs, and of no others
    drawn = texts(spec)
    assert "dense init, m = 300, r = 100" in drawn
    assert "5 of 8 runs succeed (95% interval 31–86%), 8 shown" in drawn
    assert not [text for text in drawn if "click" in text]
    assert "click another cell" in texts(on_page(spec))


def test_picking_another_cell_shows_its_curves() -> None:
    frame = pl.concat([cell(4, 8, m=300, curve=[0.5, 0.2]), cell(2, 3, m=600, curve=[0.5, 0.4])])
    spec = on_page(spec_of(frame))
    other = record(spec, x="600")["cell"]
    for param in spec["params"]:
        if param["name"] == PICKED:
            param["value"] = [{"cell": other}]
    assert len(marks(spec, "line mark")) == 6
    assert "dense init, m = 600, r = 100" in texts(spec)


def test_curves_are_few_thin_and_keep_their_last_point() -> None:
    curve = [0.5 - i / 1000 for i in range(333)]
    curves = data(spec_of(cell(7, 15, curve=curve)), "step")
    drawn = [row for row in curves if row["cell"] != NONE]
    assert len(drawn) == 10
    for row in drawn:
        assert len(row["step"]) == len(row["test"]) == len(row["train"]) <= 40
        assert (row["step"][0], row["step"][-1]) == (0, 3320)
        assert (row["test"][-1], row["train"][-1]) == (0.168, 0.084)
    assert [len(row["step"]) for row in data(spec_of(cell(1, 2, curve=curve[:40])), "step")] == [2, 40, 40]


def test_a_diverged_run_has_no_nan_in_the_page() -> None:
    curves = data(spec_of(cell(1, 2, curve=[0.5, float("nan")])), "step")
    assert [row["test"] for row in curves if row["cell"] != NONE] == [[0.5, None]] * 2


def test_many_panels_go_to_paper_without_the_curves() -> None:
    frame = pl.concat([cell(1, 2, n=n, curve=[0.5, 0.1]) for n in range(1, 7)])
    spec = spec_of(frame, row="n")
    assert len(spec["hconcat"]) == 2
    paper = on_paper(spec)
    assert len(paper["hconcat"]) == 1
    assert len(paper["datasets"]) == 1
    assert not marks(spec, "line mark")
    page = on_page(spec)
    assert {"click a cell", "and its training curves appear here"} <= set(texts(page))
    assert [param["value"] for param in page["params"] if param["name"] == BROWSER] == [True]


def test_bad_frames_are_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="'width'"):
        success_heat_map(frontier().drop("width"), title="")
    with pytest.raises(GlasswareError, match="'panel'"):
        success_heat_map(frontier(), title="", column="panel")
    with pytest.raises(GlasswareError, match="at least one row"):
        success_heat_map(frontier().head(0), title="")


def paper_grid(curve_points: int) -> pl.DataFrame:
    """The paper's grid: 194,400 runs in 24 panels."""
    ms = [*MANY_M, 3 * 10**5, 6 * 10**5, 10**6, None]
    widths = [10, 30, 100, 300, 1000, 3000, 10**4, 3 * 10**4, 10**5]
    points = itertools.product(range(50, 301, 50), (3, 4), ("dense", "sparse"), widths, ms)
    types = {"n": pl.Int32, "k": pl.Int32, "init": pl.String, "width": pl.Int64, "m": pl.Int64}
    frame = pl.concat([pl.DataFrame(list(points), schema=types, orient="row")] * 50)
    rng = np.random.default_rng(0)
    steps = rng.integers(1, 1000, len(frame)) * 100
    curve = pl.lit(list(range(curve_points)) if curve_points else None)
    return frame.with_columns(
        pl.when(pl.col("init") == "sparse").then(2).cast(pl.Int32).alias("s"),
        pl.format("{}, k = {}", "init", "k").alias("panel"),
        pl.Series("success", rng.random(len(frame)) < 0.5),
        pl.Series("steps_to_success", steps),
        *(curve.cast(dtype).alias(column) for column, dtype in CURVES.items()),
    ).with_columns(pl.when("success").then("steps_to_success").alias("steps_to_success"))


@pytest.mark.parametrize("curve_points", [0, 50])
def test_the_papers_grid_is_drawn_in_seconds(tmp_path: Path, curve_points: int) -> None:
    frame = paper_grid(curve_points)
    save(success_heat_map(cell(1, 2), title="warm up"), tmp_path, "warm")
    start = time.process_time()  # the processor's time: the machine may be busy with something else
    chart = success_heat_map(frame, title="All", row="n", column="panel")
    png, page = save(chart, tmp_path, "all")
    assert time.process_time() - start < 6
    assert png.stat().st_size > 100_000
    assert page.stat().st_size < 8_000_000
    if curve_points:
        curves = data(specification(chart), "step")
        assert sum(len(row["step"]) for row in curves) < 160_000
        assert len({row["cell"] for row in curves} - {NONE}) == 3888


def test_the_printed_legend_names_only_what_is_drawn() -> None:
    """The first cell is sparse; on the page one may click a dense one, so that its legend names both."""
    spec = specification(success_heat_map(frontier(curve=[0.5, 0.4, 0.1]), title=""))
    assert not [text for text in texts(spec) if text == "test error, dense"]
    assert {"training error", "test error, 2-sparse"} <= set(texts(spec))
    assert {"test error, dense", "test error, 2-sparse"} <= set(texts(on_page(spec)))


def test_a_panel_without_cells_keeps_its_place_and_inferred_cells_theirs() -> None:
    """Facets without data would move the others up; an axis has the places of inferred cells as well."""
    frame = pl.concat(
        [frontier(), frontier().filter(pl.col("init") == "dense").with_columns(pl.lit(7, pl.Int64).alias("n"))]
    )
    known = {
        column: [value] for column, value in (("n", 7), ("init", "dense"), ("s", None), ("m", 5000), ("width", 10))
    }
    spec = spec_of(frame, row="n", inferred=pl.DataFrame({**known, "rate": [1.0]}, schema_overrides={"s": pl.Int64}))
    places = {(row["row"], row["column"]) for row in data(spec, "column")}
    assert len(places) == 4
    (pale,) = [row for row in data(spec, "column") if row.get("known") == "inferred"]
    assert (pale["x"], pale["shade"], "cell" in pale) == ("5k", 100.0, False)
    assert {"300", "5k", "10k", "online"} <= set(texts(spec))
