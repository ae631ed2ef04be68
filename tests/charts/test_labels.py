import polars as pl
import pytest

from glassware.charts.labels import keys, labels, name, need, number, percent, phrase
from glassware.foundation.errors import GlasswareError


@pytest.mark.parametrize(
    ("value", "text"),
    [(300, "300"), (1000, "1k"), (2500, "2.5k"), (10_000, "10k"), (1_000_000, "1M"), (0.01, "0.01"), (0, "0")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_different_numbers_have_different_labels() -> None:
    values = [*range(900, 1100), *range(99_990, 100_010), 1_000_001]
    assert len({number(value) for value in values}) == len(values)


def test_percent_never_claims_none_or_all() -> None:
    assert [percent(p) for p in (0, 0.001, 0.25, 0.999, 1)] == ["0%", "<1%", "25%", ">99%", "100%"]


def test_numbers_increase_and_online_is_last() -> None:
    table = pl.DataFrame({"m": [None, 10_000, 300, 1000]}, schema={"m": pl.Int64})
    assert labels(table, "m") == (["online", "10k", "300", "1k"], ["300", "1k", "10k", "online"])


def test_words_keep_their_order() -> None:
    assert labels(pl.DataFrame({"kind": ["rewound", "random", "rewound"]}), "kind")[1] == ["rewound", "random"]


def test_inits_are_told_apart_by_their_sparsity() -> None:
    table = pl.DataFrame({"init": ["sparse", "sparse", "dense"], "s": [10, 2, None]})
    assert labels(table, "init")[1] == ["dense", "2-sparse", "10-sparse"]
    assert keys(table, ["init", None]) == ["init", "s"]
    assert labels(table.drop("s"), "init")[1] == ["dense", "sparse"]


def test_phrases_stand_alone() -> None:
    table = pl.DataFrame({"init": ["dense"], "width": [10], "m": [5], "panel": ["a"], "weight_decay": [0.1]})
    said = {"init": "dense init", "width": "r = 10", "m": "m = 10", "panel": "10", "weight_decay": "λ = 10"}
    for column, text in said.items():
        assert phrase(table, column, "dense" if column == "init" else "10") == text
    assert phrase(table, "m", "online") == "online"


def test_columns_have_human_names() -> None:
    assert (name("width"), name("m"), name("final_loss")) == ("width r", "sample size m", "final loss")


def test_nothing_to_draw_is_one_sentence() -> None:
    with pytest.raises(GlasswareError, match="column 'm'"):
        need(pl.DataFrame({"n": [1]}), ["n", "m"])
    with pytest.raises(GlasswareError, match="at least one row"):
        need(pl.DataFrame({"n": []}), ["n"])
