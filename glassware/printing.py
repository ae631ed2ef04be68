"""What the commands print: tables for people."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # these bring JAX, which help and errors need not wait for
    import polars as pl

    from glassware.luck import Cell, Plan
    from glassware.statistics import Estimate
    from glassware.studies import Judgement
    from glassware.sweeps import Forecast, Total

VERDICTS = {
    "holds": ("✓ holds", "green"),
    "fails": ("✗ fails", "red"),
    "not enough runs": ("? not enough runs", "yellow"),
}
MOST_VALUES = 12  # of one field in a sweep's summary
RUNNERS_UP = 5
LOG_WIDTH = 120  # columns when the output is not a terminal


class Screen(Console):
    """A console whose reader may leave: ``glassware claims | head`` is no error, and work begun is finished."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_console(*, stderr: bool = False) -> Console:
    """The console for results; wide enough for tables when it is a file. With ``stderr`` for what passes by."""
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else LOG_WIDTH
    # A path may hold [brackets] or :colons:.
    return Screen(stderr=stderr, highlight=False, markup=False, emoji=False, width=wide)


def print_claims(console: Console, judgements: list[Judgement], *, brief: bool = False) -> None:
    """One table a study, then how many hold. ``brief``: one line for a study of which nothing could be judged."""
    by_study: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_study.setdefault(judgement.study, []).append(judgement)
    for study, group in by_study.items():
        scale, judged = group[0].scale, [j for j in group if j.verdict in VERDICTS]
        console.print()
        if brief and not judged:
            console.print(f"{study} at scale {scale}: none of its {len(group)} claims can be judged at this scale")
            continue
        if brief and all(j.verdict == "not enough runs" for j in judged):
            wanting = f"not enough runs for any of {len(judged)} claims yet"
            console.print(f"{study} at scale {scale}: {wanting} (glassware run {study} --scale {scale})")
            continue
        if judged:
            console.print(_claims_table(console, f"Claims of {study} at scale {scale}", judged))
            held = sum(j.verdict == "holds" for j in judged)
            console.print(f"{held} of {len(judged)} claims hold")
        others = [j.claim for j in group if j.verdict not in VERDICTS]
        if others:
            console.print(f"not judged at scale {scale}: {', '.join(others)}", style="dim")


def claims_markdown(judgements: list[Judgement]) -> str:
    """The claims that could be judged as a table for a text, those of several studies under their names."""
    judged = [j for j in judgements if j.verdict in VERDICTS]
    lines = ["| claim | where | needed | measured | verdict |", "|---|---|---|---|---|"]
    for place, j in enumerate(judged):
        if len({one.study for one in judged}) > 1 and (not place or judged[place - 1].study != j.study):
            lines.append(f"| **{j.study}** | | | | |")
        measured = f"{j.measured} ({j.detail})" if j.detail else j.measured
        verdict = j.verdict if j.verdict == "holds" else f"**{j.verdict}**"
        cells = [f"`{j.claim}`: {j.statement}", j.where, j.threshold, measured, verdict]
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
    return "\n".join(lines)


def _claims_table(console: Console, title: str, judged: list[Judgement]) -> Table:
    table = Table(title=title, title_justify="left", show_lines=True, width=min(console.width, 140))
    for column, ratio in (("claim", 6), ("paper", 4), ("measured", 5), ("needed", 6)):
        table.add_column(column, ratio=ratio, overflow="fold")  # an id that is cut off cannot be asked for
    table.add_column("verdict", no_wrap=True, width=max(len(VERDICTS[j.verdict][0]) for j in judged))
    for j in judged:
        symbol, colour = VERDICTS[j.verdict]
        measured = Text.assemble(j.measured, ("\n" + j.detail if j.detail else "", "dim"))
        claim = Text.assemble((j.claim, "bold"), "\n", j.statement)
        table.add_row(claim, Text(j.where), measured, Text(j.threshold), Text(symbol, colour))
    return table


def print_summary(console: Console, summary: pl.DataFrame) -> None:
    """Success by field and value."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("field", "value", "runs", "succeed", "rate", "95% interval", "median steps"):
        table.add_column(column, justify="left" if column == "field" else "right")
    for (field,), cells in summary.group_by("field", maintain_order=True):
        for i, row in enumerate(cells.head(MOST_VALUES).iter_rows(named=True)):
            interval = f"{row['low']:.0%} to {row['high']:.0%}"
            steps = "never" if row["median_steps"] is None else f"{row['median_steps']:,}"
            name, counts = str(field) if i == 0 else "", [f"{row['runs']:,}", f"{row['successes']:,}"]
            table.add_row(name, row["value"], *counts, f"{row['rate']:.0%}", interval, steps)
        if len(cells) > MOST_VALUES:
            table.add_row("", f"and {len(cells) - MOST_VALUES} more")
    console.print()
    console.print(table)
    if summary.filter(summary["median_steps"].is_null())["successes"].sum():
        console.print("never: the median run does not succeed, half of them or more fail", style="dim")
    console.print()


def print_estimate(console: Console, title: str, forecast: Forecast) -> None:
    """Steps, work and time of a grid along its main axis, and what they rest on."""
    from glassware.quantities import about, runs_text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in (forecast.axis, "runs", "steps a run", "budget", "FLOPs", "time", "at most"):
        table.add_column(column, justify="right")

    def add(name: str, total: Total) -> None:
        steps = [f"{amount.steps / max(1, total.runs):,.0f}" for amount in (total.mean, total.most)]
        times = [about(amount.seconds) for amount in (total.mean, total.most)]
        table.add_row(name, f"{total.runs:,}", *steps, f"{total.mean.flops:.2g}", *times)

    for value, line in forecast.lines():
        add("–" if value is None else f"{value:,}" if isinstance(value, int) else str(value), line)
    add("all", forecast.whole)
    console.print(title)
    console.print()
    console.print(table)
    console.print()
    if forecast.measured:
        ways = ", ".join(sorted({one.engine for one in forecast.measured}))
        speeds = ", ".join(
            f"{one.flops / 1e9:,.3g} (n = {one.shape.task.input_size}, width {one.shape.network.width})"
            for one in sorted(forecast.measured, key=lambda one: one.shape.network.widths)
        )
        console.print(f"speed measured here ({ways}), GFLOP/s: {speeds}")
    named = {
        "cell": "on rows of the same cell",
        "neighbour": "on rows of the nearest cell",
        "certain": "on runs that never stop early",
        "worst": "on the worst case, no early stop",
    }
    shares = [f"{_share(share)} {named[name]}" for name, share in forecast.basis().items() if share]
    if shares:
        console.print(f"of the expected time rests {', '.join(shares)}")
    left = forecast.left.runs
    if left:
        times = f"about {about(forecast.expected)}, at most about {about(forecast.at_most)}"
        console.print(f"{runs_text(left)} of {forecast.whole.runs:,} left to train: {times}")
        if left < forecast.whole.runs:
            console.print("a store in the middle of a sweep looks better than it is: runs that succeed finish first")
    else:
        console.print(f"all {runs_text(forecast.whole.runs)} are in the store: nothing is left to train")
    if forecast.later:
        stages = "a later stage" if forecast.later == 1 else f"{forecast.later} later stages"
        console.print(f"not counted: {stages}, whose runs depend on these")


def print_plan(console: Console, plan: Plan) -> None:
    """The recommendation, the runners-up, and what the store cannot tell."""
    from glassware.luck.plan import power

    asked = f"n = {plan.n:,}, k = {plan.k}, {'any number of' if plan.m is None else f'{plan.m:,}'} examples"
    best = plan.best
    if best is None:
        console.print(f"{asked}: the store cannot tell what to train")
    else:
        restart, flops, attempt = best.restart, best.flops, best.attempt
        tries = "one try" if restart.tries_for_95 == 1 else f"{restart.tries_for_95:,.0f} tries"
        console.print(f"{asked}: {_cell_text(best)}")
        console.print()
        facts = {
            "give up and restart": f"after {attempt.steps:,} steps",
            "a try succeeds": f"{_percent(restart.success_probability)} (of {restart.runs:,} runs)",
            "tries": f"{restart.tries:.3g} on average; {tries} for 95%",
            "one success": f"{power(flops.value)} FLOPs [{power(flops.low)}, {power(flops.high)}]",
            "training": f"{attempt.optimiser.name}, lr {attempt.optimiser.lr:g}, weight decay "
            f"{attempt.optimiser.weight_decay:g}, batches of {attempt.batch}, {attempt.loss} loss; looked at every "
            f"{attempt.evaluation.every} steps",
        }
        if plan.chance is not None and plan.budget is not None:
            facts[f"within {power(plan.budget)} FLOPs"] = f"{_percent(plan.chance)} to succeed"
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name, fact in facts.items():
            table.add_row(name, fact)
        console.print(table)
        if len(plan.cells) > 1:
            console.print()
            console.print(_runners_up(plan))
    console.print()
    for note in plan.notes():
        console.print(f"- {note}", soft_wrap=True)


def _runners_up(plan: Plan) -> Table:
    from glassware.luck.plan import power

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("runner-up", overflow="fold")
    columns = ["cut-off", "succeeds", "tries", "FLOPs", "95% interval"]
    for column in [*columns, *([] if plan.budget is None else ["within budget"])]:
        table.add_column(column, justify="right")
    for cell in plan.cells[1 : 1 + RUNNERS_UP]:
        restart, flops = cell.restart, cell.flops
        counts = [f"{restart.cutoff:,.0f}", _whole(restart.success_probability.value), f"{restart.tries:.3g}"]
        within = [] if plan.budget is None else [_whole(cell.chance(plan.budget).value)]
        interval = f"{power(flops.low)} to {power(flops.high)}"
        apart = "".join(f", {field} {value}" for field, value in cell.apart_from(plan.cells[0]).items())
        table.add_row(_cell_text(cell) + apart, *counts, power(flops.value), interval, *within)
    if len(plan.cells) > 1 + RUNNERS_UP:
        table.add_row(f"and {len(plan.cells) - 1 - RUNNERS_UP} more")
    return table


def _cell_text(cell: Cell) -> str:
    """``width 100, 2-sparse, m = 1,000``."""
    run = cell.run
    widths = " x ".join(f"{width:,}" for width in run.model.widths)
    init = f"{run.init.s}-sparse" if run.init.s is not None else run.init.scheme
    network = f"width {widths}" if widths else run.model.name
    return f"{network}, {init}, {'online' if run.m is None else f'm = {run.m:,}'}"


def _percent(share: Estimate) -> str:
    return f"{_whole(share.value)} [{_whole(share.low)}, {_whole(share.high)}]"


def _whole(share: float) -> str:
    """Whole percents, never rounded onto all."""
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def print_figures(console: Console, paths: list[Path]) -> None:
    """Where the figures are."""
    for path in paths:
        console.print(f"figure {path}", soft_wrap=True)


def print_info(console: Console, found: dict[str, Any]) -> None:
    """This machine, and what the engine would choose on it."""
    names = ("glassware", "semantics", "python", "jax", "jaxlib", "optax", "polars", "system", "cores")
    facts = {name: str(found[name]) for name in names} | {"memory": _gigabytes(found["memory"])}
    for i, device in enumerate(found["devices"]):
        memory = f", {_gigabytes(device['memory'])}" if device["memory"] else ""
        facts[f"device {i}"] = f"{device['kind']}{memory}"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in facts.items():
        table.add_row(name, value)
    console.print(table)
    console.print("\nFor many runs of a two-layer network the engine would choose here\n")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("n", "width", "runs", "lanes", "devices"):
        table.add_column(column, justify="right")
    table.add_column("engine")
    for choice in found["engine"]:
        numbers = [f"{choice[name]:,}" for name in ("n", "width", "runs", "lanes", "devices")]
        table.add_row(*numbers, choice["engine"])
    console.print(table)


def _share(share: float) -> str:
    """``62%``, and never 0% of something."""
    return f"{share:.0%}" if share >= 0.01 else "under 1%"


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:.0f} GiB"
