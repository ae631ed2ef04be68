"""Looking up runs by setting as well as by column: shared by the studies of Hidden Progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from glassware.foundation.statistics import NEVER
from glassware.models import Model
from glassware.studies import cells as shared
from glassware.studies.hidden_progress.shared.settings import SETTINGS, model

STAND_IN = 64  # a parity size that no named width equals: it tells "width k" from "width 10"


def setting() -> pl.Expr:
    """The setting's number (``"i"`` .. ``"xv"``, ``"*i"`` .. ``"*iii"``) of every row; null for any other network.

    Settings with a fixed width come before those of width k, so that a network of width 10 is always (i) or (iv).
    """
    ordered = sorted(SETTINGS, key=lambda name: name.startswith("*"))
    found = pl.coalesce(*(pl.when(_matches(model(name, STAND_IN))).then(pl.lit(name)) for name in ordered))
    return found.alias("setting")


def with_setting(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with a column ``setting``."""
    return frame if "setting" in frame.columns or not frame.columns else frame.with_columns(setting())


def rows(frame: pl.DataFrame, **where: Any) -> pl.DataFrame:
    """Rows whose columns have these values; ``m=None`` means online, ``setting="xv"`` a setting."""
    return shared.where(with_setting(frame) if "setting" in where else frame, **where)


def times(frame: pl.DataFrame, **where: Any) -> list[float]:
    """Convergence times of the runs with these values; a failure counts as never."""
    return shared.times(rows(frame, **where))


def counts(frame: pl.DataFrame, **where: Any) -> tuple[int, int]:
    """Successes and trials among the runs with these values."""
    return shared.counts(rows(frame, **where))


def cells(frame: pl.DataFrame, *by: str) -> Mapping[tuple[Any, ...], list[float]]:
    """Convergence times by the values of these columns (``setting`` among them), in order of appearance."""
    if not len(frame):
        return {}
    never = pl.col("steps_to_success").cast(pl.Float64).fill_null(NEVER)
    found = with_setting(frame).group_by(by, maintain_order=True).agg(never)
    return {tuple(key): t for *key, t in found.iter_rows()}


def _matches(wanted: Model) -> pl.Expr:
    """Whether a row's network is this one, apart from its degree, which is the parity's."""
    same = pl.col("model") == wanted.name
    if activation := getattr(wanted, "activation", None):
        same &= pl.col("activation") == activation
    if wanted.name != "mlp":
        return same
    width = pl.col("k").cast(pl.Int64) if wanted.width == STAND_IN else pl.lit(wanted.width)
    return same & (pl.col("depth") == 1) & (pl.col("width") == width)
