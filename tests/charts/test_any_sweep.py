import polars as pl
import pytest

from glassware.charts import specification
from glassware.charts.any_sweep import axes, sweep_figure
from tests.charts.made import cell

CURVE = [0.5, 0.3, 0.1]
FRAME = pl.concat(
    [
        cell(wins, 8, width=width, m=m, init=init, lr=lr, task="parity", curve=CURVE)
        for wins, (m, width, init, lr) in enumerate(
            (m, width, init, lr)
            for m in (300, None)
            for width in (10, 100)
            for init in ("dense", "sparse")
            for lr in (0.1,)
        )
    ],
    how="diagonal_relaxed",
)


def test_axes_are_numbers_first_and_panels_have_few_values():
    assert axes(FRAME, ["model.width", "m", "init.scheme"]) == ["m", "width", "init"]
    assert axes(FRAME, ["init.scheme", "init.eps", "optimiser.lr"]) == ["init"]  # lr has one value, eps no column
    many = pl.DataFrame({"a": range(100), "b": [i % 2 for i in range(100)]})
    assert axes(many, ["x.a", "x.b"]) == ["b"]
    assert axes(many, []) == []


@pytest.mark.parametrize("fields", [[], ["m"], ["init"], ["m", "width"], ["m", "width", "init"]])
def test_every_number_of_axes_has_a_figure(fields):
    frame = FRAME.filter(pl.col("m") == 300) if not fields else FRAME
    spec = specification(sweep_figure(frame, fields, "A sweep"))
    assert "A sweep" in str(spec["title"])
