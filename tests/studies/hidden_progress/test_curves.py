import math

import polars as pl
import pytest

from glassware.studies.hidden_progress.shared.curves import leave, plateau_index, points, reach
from glassware.studies.hidden_progress.shared.trials import trial
from tests.studies.drawn import drawn, table

ROW = {"curve_step": [0, 10, 20, 30], "curve_test_error": [None, 0.4, math.nan, 0.01]}


@pytest.mark.parametrize(("error", "step"), [(0.5, 10), (0.4, 10), (0.39, 30), (0.01, 30), (0.0, math.inf)])
def test_the_first_step_at_an_error(error, step):
    assert reach(ROW, error) == step


def test_the_last_step_above_an_error():
    row = {"curve_step": [0, 10, 20], "curve_test_error": [0.5, 0.4, 0.1]}
    assert leave(row, 0.4) == 10
    assert leave(row, 0.1) == 20
    assert leave(row, 0.6) == 0


def test_the_plateau_index():
    assert plateau_index(ROW) == pytest.approx(10 / 30)
    assert math.isnan(plateau_index({"curve_step": [0, 10], "curve_test_error": [0.5, 0.4]}))


def test_curves_as_points():
    runs = [trial("xv", 10, 2, lr=0.1).model_copy(update={"seed": seed}) for seed in range(2)]
    frame = table(drawn(runs[0], [0.5, 0.0]), drawn(runs[1], [0.5, math.nan, 0.2], movement=[0.0, 1.0, 2.0]))
    long = points(frame, {"curve_test_error": "error", "curve_movement": "rho", "curve_gap": "gap"}, "seed")
    assert long.filter(kind="error").select("run", "seed", "step", "value").rows() == [
        (0, 0, 0.0, 0.5), (0, 0, 100.0, 0.0), (1, 1, 0.0, 0.5), (1, 1, 200.0, pytest.approx(0.2)),
    ]  # fmt: skip
    assert long.filter(kind="rho")["run"].to_list() == [1, 1, 1]
    assert points(frame, {"curve_gap": "gap"}).equals(pl.DataFrame())
