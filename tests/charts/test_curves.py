import itertools
from typing import Any

import polars as pl
import pytest

from glassware.charts import slices, success_curves, time_curves
from glassware.foundation.errors import GlasswareError
from glassware.foundation.statistics import NEVER, bootstrap, median, wilson
from tests.charts.made import cell, data, frontier, marks, nodes, specification, texts


def rows(chart: Any, field: str = "value") -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["colour"], row["label"]): row for row in data(specification(chart), field)}


def x_channel(chart: Any) -> dict[str, Any]:
    return next(x for x in nodes(specification(chart), "x") if isinstance(x, dict))


def test_rates_come_with_wilson_intervals_and_counts() -> None:
    frame = pl.concat([cell(3, 8, m=300), cell(8, 8, m=600)])
    found = rows(success_curves(frame, x="m", colour="width", title=""))["100", "300"]
    assert (found["value"], found["low"], found["high"]) == pytest.approx(wilson(3, 8))
    assert (found["counts"], found["interval"]) == ("3 of 8 (38%)", "14–69%")


def test_sample_sizes_are_logarithmic_and_online_lies_beyond_them() -> None:
    frame = pl.concat([cell(3, 8, m=300), cell(8, 8, m=600), cell(8, 8, m=10_000)])
    x = x_channel(success_curves(frame, x="m", colour="width", title=""))
    assert (x["type"], x["scale"]["type"], x["scale"]["domain"]) == ("quantitative", "log", [300, 10_000])
    assert x["title"] == "sample size m"
    online = success_curves(pl.concat([cell(1, 8, m=None), frame]), x="m", colour="width", title="", x_title="examples")
    x = x_channel(online)
    assert (x["type"], x["scale"]["type"], x["title"]) == ("quantitative", "log", "examples")
    assert {"300", "600", "10k", "online"} <= set(texts(specification(online)))
    places = {label: row["x"] for (_, label), row in rows(online).items()}
    assert 10_000 < places["online"] <= x["scale"]["domain"][1] < 30_000


def test_the_line_stops_before_online() -> None:
    frame = pl.concat([cell(3, 8, m=300), cell(8, 8, m=600), cell(8, 8, m=None)])
    chart = success_curves(frame, x="m", colour="width", title="")
    assert {label: row["piece"] for (_, label), row in rows(chart).items()} == {"300": 0, "600": 0, "online": 1}
    assert len(marks(specification(chart), "line mark")) == 2


@pytest.mark.parametrize(("x", "order"), [("s", ["1", "2", "10", "dense"]), ("weight_decay", ["0", "0.01", "0.1"])])
def test_other_quantities_are_ordinal_and_increase(x: str, order: list[str]) -> None:
    values: dict[str, list[Any]] = {"s": [10, 1, 2, None], "weight_decay": [0.1, 0.0, 0.01]}
    frame = pl.concat([cell(1, 2, **{x: value}) for value in values[x]])
    assert x_channel(success_curves(frame, x=x, colour="width", title=""))["scale"]["domain"] == order


def test_colours_mean_the_same_everywhere() -> None:
    spec = specification(success_curves(frontier(), x="width", colour="init", title="", row="m"))
    scale = next(scale for scale in nodes(spec, "scale") if scale.get("domain") == ["dense", "2-sparse"])
    assert scale["range"] == ["#2b6cb0", "#d9660a"]
    drawn = texts(spec)
    assert [text for text in drawn if text in ("m = 300", "m = 10k", "online")] == ["m = 300", "m = 10k", "online"]
    assert {"width r", "successful runs", "initial weights", "100%"} <= set(drawn)


def test_times_are_drawn_where_more_than_half_succeed() -> None:
    frame = pl.concat([cell(4, 8, m=300), cell(5, 8, m=600), cell(8, 8, m=1000)])
    chart = time_curves(frame, x="m", colour="width", title="")
    found = rows(chart)
    assert {label: row["value"] for (_, label), row in found.items()} == {"600": 500, "1k": 500}
    times = [100.0 * (i + 1) for i in range(8)]
    expected = bootstrap(median, times)
    assert (found["100", "1k"]["low"], found["100", "1k"]["high"]) == (expected.low, expected.high)
    # Five of eight: some resamples fail, so the interval has no upper end; it is drawn to the top, with an arrow there.
    expected = bootstrap(median, [*times[:5], NEVER, NEVER, NEVER])
    assert expected.high == NEVER
    highest = max(row[end] for row in found.values() for end in ("value", "high"))
    assert (found["100", "600"]["low"], found["100", "600"]["high"]) == (expected.low, highest)
    assert {label: row["open"] for (_, label), row in found.items()} == {"600": True, "1k": False}
    assert found["100", "600"]["interval"].endswith("–∞")
    y = next(y for y in nodes(specification(chart), "y") if y.get("field") == "value")
    assert (y["scale"]["type"], y["title"]) == ("log", "median steps to success")


def test_slices_set_rates_beside_times_for_each_init() -> None:
    points = itertools.product(("sparse", "dense"), (300, 600), (9, 99))
    frame = pl.concat([cell(7, 8, init=init, m=m, width=width) for init, m, width in points])
    spec = specification(slices(frame, colour="width", title="Slices", subtitle="made"))
    assert spec["title"]["subtitle"] == ["made", "bands: 95% intervals"]
    assert len(spec["hconcat"]) == 2
    assert [view["facet"]["sort"] for view in spec["hconcat"]] == [["dense init", "2-sparse init"]] * 2
    drawn = texts(spec)
    assert drawn.count("dense init") == drawn.count("2-sparse init") == 2
    assert {"successful runs", "median steps to success", "Slices", "width r"} <= set(drawn)
    assert len(marks(spec, "line mark")) == 8


def test_lines_that_coincide_are_drawn_one_inside_the_other() -> None:
    def widths(other: int) -> list[float]:
        points = itertools.product((300, 600), ((10, 7), (100, other)))
        frame = pl.concat([cell(good, 8, m=m, width=width) for m, (width, good) in points])
        chart = success_curves(frame, x="m", colour="width", title="")
        (found,) = [one for one in nodes(specification(chart), "strokeWidth") if isinstance(one, dict)]
        return list(found["scale"]["range"])

    apart, together = widths(3), widths(7)
    assert apart[0] == apart[1] == together[1]
    assert together[0] > together[1] + 2  # the lower one shows on both sides of the upper


def test_one_sample_size_is_no_log_axis() -> None:
    assert x_channel(success_curves(cell(1, 2), x="m", colour="width", title=""))["type"] == "ordinal"


def test_a_missing_column_is_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="'eta'"):
        success_curves(cell(1, 2), x="m", colour="eta", title="")
