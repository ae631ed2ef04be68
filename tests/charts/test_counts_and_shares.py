import polars as pl

from glassware.charts.counts_and_shares import COUNT, SHARE, counts_beside_shares
from tests.charts.made import nodes, specification, texts

TABLE = pl.DataFrame(
    {
        "panel": ["square"] * 4,
        "x": ["1", "2"] * 2,
        "side": [COUNT] * 2 + [SHARE] * 2,
        "value": [3.0, 5.0, 0.4, 0.6],
        "low": [2.0, 4.0, 0.3, 0.5],
        "high": [4.0, 6.0, 0.5, 0.7],
        "expected": [None, None, 0.5, 0.5],
        "colour": ["#2b6cb0"] * 4,
    }
)


def test_counts_stand_left_of_shares_and_what_is_expected_is_named():
    words = {"count_title": "neurons", "share_title": "mass", "expected_title": "predicted"}
    spec = specification(counts_beside_shares(TABLE, title="t", x_title="frequency", **words))
    sides = [[row["value"] for row in spec["datasets"][view["data"]["name"]]] for view in spec["hconcat"]]
    assert sides == [[3.0, 5.0], [0.4, 0.6]]
    assert [title for title in nodes(spec, "title") if title in ("neurons", "mass")] == ["neurons", "mass"]
    assert {"predicted", "neurons", "mass", "square"} <= set(texts(spec))
