import polars as pl
import pytest

from glassware.charts.luck import data_against_compute
from glassware.foundation.errors import GlasswareError
from tests.charts.made import data, marks, specification, texts

PRICES = pl.DataFrame(
    {
        "examples": [1000, 1000, 2000, 500],
        "flops": [1e10, 3e10, 2e9, None],
        "flops_low": [6e9, 2e10, 1.5e9, 5e9],
        "flops_high": [2e10, 5e10, 3e9, None],
        "width": [100, 1000, 30, 10],
        "init": ["sparse", "sparse", "dense", "dense"],
        "s": [2, 2, None, None],
        "tries": [3.6, 1.1, 1.2, None],
        "cutoff": [3100, 5000, 5900, None],
    }
)
FRONT = PRICES[[0, 2]]


def test_every_price_is_a_dot_and_the_front_is_named() -> None:
    spec = specification(data_against_compute(PRICES, FRONT, title="Front", subtitle="below"))
    rows = data(spec, "front")
    assert [(row["x"], row["y"], row["front"]) for row in rows] == [
        (1000, 1e10, True),
        (1000, 3e10, False),
        (2000, 2e9, True),
    ]
    assert {"Front", "below", "r = 100", "r = 30", "dense", "2-sparse"} <= set(texts(spec))
    assert "r = 1k" not in texts(spec)
    assert "1e10" in texts(spec)
    assert len(marks(spec, "point")) == 3


def test_the_examples_at_hand_are_a_line_that_says_so() -> None:
    plain, ruled = (specification(data_against_compute(PRICES, FRONT, title="", m=m)) for m in (None, 1500))
    assert "1,500 examples available" in texts(ruled)
    assert not [text for text in texts(plain) if "available" in text]
    assert len(marks(ruled, "rule mark")) == len(marks(plain, "rule mark")) + 1


def test_nothing_to_draw_is_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="at least one row"):
        data_against_compute(PRICES, FRONT.clear(), title="")
    with pytest.raises(GlasswareError, match="'cutoff'"):
        data_against_compute(PRICES, FRONT.drop("cutoff"), title="")
