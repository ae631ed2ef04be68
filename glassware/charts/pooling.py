"""What a figure says about the runs behind it: what they have in common, and what it pools over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from glassware.charts.labels import keys, number
from glassware.foundation.specs import fields, in_cells

# What may differ between runs of a cell without being mentioned: their luck, and what is kept of them.
LUCK = {"seed", "init.seed", "pairing", "init.pairing", "task.support", "init.neurons", "probes", "keep"}

# What a figure says of its runs besides their task: fields, with their columns and symbols.
OTHERS = {"m": ("m", "m"), "model.width": ("width", "r")}


def pooled(frame: pl.DataFrame, shown: Sequence[str | None]) -> list[str]:
    """Fields of the specification that vary between runs with equal values in the shown columns, luck aside.

    Empty for a table without specifications.
    """
    if not {"spec", "cell"} & {*frame.columns} or not len(frame):
        return []
    by = keys(frame, shown)
    cells = in_cells(frame, *by)
    groups = cells.group_by(by, maintain_order=True).agg("spec") if by else cells.select(pl.col("spec").implode())
    known = {spec: _plain(spec) for spec in cells["spec"].unique(maintain_order=True)}
    varies: dict[str, None] = {}
    for specs in groups["spec"]:
        first, *others = (known[spec] for spec in specs)
        for other in others:
            varies.update((name, None) for name in {**first, **other} if first.get(name) != other.get(name))
    return list(dict.fromkeys(short(name) for name in varies))


def short(field: str) -> str:
    """A dotted field as one word: ``optimiser.lr`` is lr, ``model.name`` is model."""
    return field.removesuffix(".name").split(".")[-1]


def common(frame: pl.DataFrame, labels: Iterable[str] = (), shown: Sequence[str | None] = ()) -> str:
    """What all runs have in common, ``n = 50, k = 3, r = 100``: fields of the task, the sample size and the width.

    Left out is what a label names, or a column that the figure shows.
    """
    if not {"spec", "cell"} & {*frame.columns} or not len(frame):
        return ""
    specs = [_plain(spec) for spec in in_cells(frame)["spec"]]
    other = {name: symbol for name, (column, symbol) in OTHERS.items() if column not in shown}
    same = {
        name.removeprefix("task."): value
        for name, value in specs[0].items()
        if name != "task.name" and (name.startswith("task.") or name in other) and value is not None
        if all(spec.get(name) == value for spec in specs)
    }
    place = {column: i for i, column in enumerate(frame.columns)}  # as the task orders its fields
    ordered = sorted(same, key=lambda name: (name in other, place.get(name, len(place))))
    words = [f"{other.get(name, name).replace('_', ' ')} = {_text(same[name])}" for name in ordered]
    named = " ".join(labels)
    return ", ".join(word for word in words if not re.search(rf"\b{re.escape(word)}\b", named))


def notes(
    frame: pl.DataFrame, shown: Sequence[str | None], subtitle: str, over: Sequence[str], labels: Iterable[str] = ()
) -> list[str]:
    """The lines below a title: the subtitle, what all runs have in common, and what is pooled unintentionally.

    Args:
        frame: the runs.
        shown: columns that the figure distinguishes.
        subtitle: as given.
        over: fields that are pooled on purpose.
        labels: labels in the figure, which need not be repeated.
    """
    unsaid = [name for name in pooled(frame, shown) if name not in over]
    lines = [subtitle, common(frame, [subtitle, *labels], shown), f"pooled over {', '.join(unsaid)}" if unsaid else ""]
    return [line for line in lines if line]


def _plain(spec: str) -> dict[str, object]:
    return {name: v for name, v in fields(spec).items() if name not in LUCK and not name.startswith("start.")}


def _text(value: object) -> str:
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
