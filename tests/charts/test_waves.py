import polars as pl
import pytest

from glassware.charts.waves import waves
from glassware.foundation.errors import GlasswareError
from tests.charts.made import specification, texts

VALUES = pl.DataFrame({"group": ["ReLU", "square"], "neuron": [0, 0], "x": [0.0, 0.0], "y": [0.5, -2.0]})
SPECTRA = pl.DataFrame({"group": ["ReLU", "square"], "neuron": [0, 0], "frequency": [1, 2], "power": [0.9, 1.0]})


def draw(values):
    words = {"title": "t", "x_title": "a", "y_title": "u", "power_title": "power"}
    return waves(values, values, SPECTRA, **words)


def test_groups_stand_side_by_side_on_one_scale():
    spec = specification(draw(VALUES))
    rows = [row["hconcat"] for group in spec["hconcat"] for row in group["vconcat"]]
    heights = [wave["layer"][0]["encoding"]["y"]["scale"]["domain"] for wave, _ in rows]
    assert heights == [pytest.approx([-2.2, 2.2])] * 2
    assert {"ReLU", "square"} <= set(texts(spec))


def test_a_missing_column_is_a_sentence():
    with pytest.raises(GlasswareError, match="needs the column 'neuron'"):
        draw(VALUES.drop("neuron"))
