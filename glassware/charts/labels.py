"""What columns and their values are called in a figure."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from glassware.foundation.errors import GlasswareError
from glassware.foundation.reasons import missing_column

NAMES = {
    "m": "sample size m",
    "width": "width r",
    "init": "initial weights",
    "s": "ones per neuron s",
    "weight_decay": "weight decay λ",
    "lr": "learning rate η",
    "batch": "batch size B",
    "depth": "hidden layers",
}
SYMBOLS = {"width": "r", "weight_decay": "λ", "lr": "η", "batch": "B"}
NULLS = {"m": "online", "s": "dense"}  # what a missing value means
SHARES = ("error", "accuracy")  # metrics that are shares of examples: drawn in percent
WORDS = (pl.String, pl.Categorical, pl.Enum, pl.Boolean)  # types whose values need no "name =" before them


def name(column: str) -> str:
    """A column as an axis or legend calls it."""
    return NAMES.get(column, column.replace("_", " "))


def number(value: float) -> str:
    """300, 1k, 2.5k, 1M; small and uneven numbers in full, so that different values never look the same."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.9g}{letter}"
    return f"{value:.6g}"


def percent(share: float) -> str:
    """A share as a whole percentage, never rounded to 0% or 100%, which mean none and all."""
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{100 * share:.0f}%"


def need(frame: pl.DataFrame, columns: Sequence[str]) -> None:
    """Raise one sentence if there is nothing to draw or a column is missing."""
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise GlasswareError(f"a chart needs the column '{missing[0]}': {missing_column(missing[0], frame.columns)}")
    if not len(frame):
        raise GlasswareError("a chart needs at least one row, and this table has none")


def keys(frame: pl.DataFrame, columns: Sequence[str | None]) -> list[str]:
    """The columns that distinguish cells: those given, and s along with init, because 2-sparse is not 3-sparse."""
    wanted = [column for column in columns if column is not None]
    if "init" in wanted and "s" in frame.columns:
        wanted.append("s")
    return list(dict.fromkeys(wanted))


def labels(table: pl.DataFrame, column: str) -> tuple[list[str], list[str]]:
    """The label of every row, and the distinct labels in the order of an axis.

    Numbers increase and missing ones (online) come last; words keep the order in which they appear, so a study
    orders its panels by ordering its rows.
    """
    if column == "init":
        s = table["s"].to_list() if "s" in table.columns else [None] * len(table)
        scored = [(init, -1 if ones is None else ones) for init, ones in zip(table["init"], s, strict=True)]
        return _ordered([init_label(init, ones) for init, ones in scored], scored)
    values = table[column].to_list()
    found = [_label(column, value) for value in values]
    if isinstance(table.schema[column], WORDS):
        return found, list(dict.fromkeys(found))
    return _ordered(found, [(value is None, value or 0) for value in values])


def init_label(init: str, s: int | None) -> str:
    """``dense``, or ``2-sparse`` where the number of ones is known."""
    return f"{s}-sparse" if init == "sparse" and s is not None and s > 0 else init


def phrase(table: pl.DataFrame, column: str, label: str, *, init: str = " init") -> str:
    """A label that stands alone, as over a panel: dense init, m = 300, r = 1k, online."""
    if column == "init":
        return f"{label}{init}"
    if label == NULLS.get(column) or isinstance(table.schema[column], WORDS):
        return label
    return f"{SYMBOLS.get(column, column.replace('_', ' '))} = {label}"


def _label(column: str, value: object) -> str:
    if value is None:
        return NULLS.get(column, "none")
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _ordered(found: list[str], scores: Sequence[tuple[bool, float]]) -> tuple[list[str], list[str]]:
    return found, list(dict.fromkeys(label for _, label in sorted(zip(scores, found, strict=True))))
