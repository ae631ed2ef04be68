"""What a report says about a study or a sweep, as plain data: HTML, Markdown and the page are written from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from glassware.charts import specification
from glassware.charts.any_sweep import axes, sweep_figure
from glassware.charts.backend import Spec
from glassware.charts.save import title_of
from glassware.foundation.commands import command
from glassware.foundation.quantities import about, runs_text
from glassware.foundation.reasons import reason
from glassware.luck.by_field import summary
from glassware.reports.text import Block, blocks, without_paths
from glassware.studies import Judgement, Scale, Study, claims, drawn, missing, results
from glassware.sweeps import Remembered, Store

HEAD = ["field", "value", "succeed", "rate", "95% interval", "median steps"]


@dataclass(frozen=True)
class Drawing:
    """A figure: its name, its title, and Vega-Lite JSON that draws it."""

    name: str
    title: str
    spec: Spec


@dataclass(frozen=True)
class Section:
    """One study at one scale, or one sweep.

    Attributes:
        name, title: as the study or the sweep is called, and what it shows in a line.
        scale: of a study; empty for a sweep.
        text: its own description.
        judgements: its claims beside what was measured.
        drawings: its figures.
        notes: what a reader must know before trusting the numbers: runs that are missing, figures that failed.
        facts: counts, versions and hardware, from the rows.
        again: commands that make all of it again.
        table: of a sweep, success by field and value, with its head.
        file: of a sweep, the text of its file.
    """

    name: str
    title: str
    scale: str = ""
    text: list[Block] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)
    table: list[list[str]] = field(default_factory=list)
    file: str = ""


def study_section(study: Study, scale: Scale, store: Store, seeds: int | None = None) -> Section | None:
    """What the store says about a study; None where it has no row of it at this scale."""
    frame = results(study, scale, store, seeds)
    if not len(frame):
        return None
    drawings, notes = [], []
    lacking, wanted = missing(study, scale, store, seeds)
    if lacking:
        notes.append(f"{lacking:,} of {wanted:,} runs are missing, and runs that succeed early finish first")
    if study.is_short(scale, seeds):
        notes.append("fewer runs per cell than this scale has by itself: a verdict may be chance, mind the intervals")
    for name, chart in drawn(study, frame):
        if isinstance(chart, str):
            notes.append(without_paths(chart))
        else:
            spec = specification(chart)
            drawings.append(Drawing(name, title_of(spec) or name, spec))
    several = "" if seeds is None else f" --seeds {seeds}"
    return Section(
        name=study.name,
        title=study.title,
        scale=scale,
        text=list(blocks(study.about)),
        judgements=claims(study, scale, frame),
        drawings=drawings,
        notes=notes,
        facts=facts(frame),
        again=[command(f"reproduce {study.name} --scale {scale}{several}", shared=True)],
    )


def sweep_section(sweep: Remembered, store: Store) -> Section | None:
    """What the store says about a sweep; None where it has no row of it."""
    frame = store.read(ids=sweep.ids)
    if not len(frame):
        return None
    found = summary(frame)
    title = sweep.title or f"Sweep {sweep.name}"
    lacking = len(sweep.ids) - len(frame)
    notes = [f"{lacking:,} of {len(sweep.ids):,} runs are missing, and runs that succeed early finish first"]
    try:
        varied = list(dict.fromkeys(found.filter(pl.col("field") != "all")["field"]))
        spec = specification(sweep_figure(frame, axes(frame, varied), title))
        drawings, failed = [Drawing("success", title_of(spec) or title, spec)], []
    except Exception as error:  # whatever columns one's own parts have
        drawings, failed = [], [f"the figure cannot be drawn: {reason(error, sweep_figure)}"]
    return Section(
        name=sweep.name,
        title=sweep.title,
        drawings=drawings,
        notes=[*(notes if lacking else []), *failed],
        facts=facts(frame),
        again=[command(f"sweep {sweep.name}.toml", shared=True)] if sweep.file else [],
        table=[HEAD, *(by_field(row) for row in found.iter_rows(named=True))],
        file=sweep.file,
    )


def by_field(row: dict[str, Any]) -> list[str]:
    """A line of a summary in words, below ``HEAD``."""
    steps = "never" if row["median_steps"] is None else f"{row['median_steps']:,}"
    interval = f"{row['low']:.0%} to {row['high']:.0%}"
    counts = f"{row['successes']:,} of {row['runs']:,}"
    return [str(row["field"]), str(row["value"]), counts, f"{row['rate']:.0%}", interval, steps]


def facts(frame: pl.DataFrame) -> dict[str, str]:
    """Counts, versions and hardware of the rows; of computed rows only how many there are."""
    if "spec" not in frame.columns:
        return {"rows": f"{len(frame):,}, computed, not trained"}
    trained = frame.filter(pl.col("spec").is_not_null())
    found = {"runs": f"{runs_text(len(trained))}, {int(trained['success'].fill_null(False).sum()):,} succeeded"}
    if len(trained) < len(frame):
        found["computed rows"] = f"{len(frame) - len(trained):,}"
    seconds = float(trained["seconds"].fill_null(0).sum())
    if seconds:
        found["training time"] = about(seconds)
    flops = float(trained["flops"].fill_null(0).sum()) if "flops" in trained.columns else 0.0
    if flops:
        found["floating-point operations"] = f"{flops:.2g}"
    made = trained.select("glassware", "jax", "semantics").unique().drop_nulls().sort("glassware", "jax", "semantics")
    found["versions"] = "; ".join(f"glassware {own}, JAX {jax}, semantics {number}" for own, jax, number in made.rows())
    for label, column in (("hardware", "device"), ("trained by", "engine")):
        found[label] = ", ".join(trained[column].drop_nulls().unique().sort())
    return {label: said for label, said in found.items() if said}
