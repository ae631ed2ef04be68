"""The results for people: one table, and what to make of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from glassware.bench.cell import BATCH, LAPTOP, SAMPLE
from glassware.bench.compare import Result, median_rate, spread
from glassware.engine.device import cores

QUIET = 0.05  # share of the machine that others may take before wall-clock rates mean little
NUMBERS = (
    "lanes",
    "threads",
    "steps/s",
    "spread",
    "our best/\nthis",
    "useful\nGFLOP/s",
    "of matrix\nproduct",
    "of memory\nfloor",
)


def speed_tables(results: Sequence[Result]) -> Iterator[Table]:
    """One table a device, one section a cell."""
    for device in dict.fromkeys(result.device for result in results):
        grid = Table(title=f"Model-steps per second, batch {BATCH}: {device}", title_justify="left", box=SIMPLE_HEAD)
        for heading in ("n, r", "who"):
            grid.add_column(heading, no_wrap=True)
        for heading in NUMBERS:
            grid.add_column(heading, justify="right", no_wrap=True)
        for result in results:
            if result.device == device:
                _add(grid, result)
        yield grid


def _add(grid: Table, result: Result) -> None:
    for i, row in enumerate(result.rows()):
        grid.add_row(f"{row['n']}, {row['r']}" if i == 0 else "", str(row["peer"]), *_cells(row))
    ceiling, bandwidth = median_rate(result.product) / 1e9, median_rate(result.copy) / 1e9
    machine = {"matrix product": result.product, "copy": result.copy}
    spreads = {name: f"±{spread(readings):.0%}" for name, readings in machine.items()}
    grid.add_row("", "matrix product", "", "", "", spreads["matrix product"], "", f"{ceiling:,.0f}", "100%", "")
    last = "", "copy", "", "", "", spreads["copy"], "", "", "", f"{bandwidth:,.0f} GB/s"
    grid.add_row(*last, end_section=True)


def _cells(row: dict[str, object]) -> list[str]:
    if row.get("note"):
        return ["", "", "–", "", "", "", "", ""]
    number = lambda name, form: "" if row[name] is None else format(row[name], form)
    return [
        str(row["lanes"]),
        str(row["threads"] or ""),
        number("steps_per_second", ",.0f"),
        "±" + number("spread", ".0%"),
        number("ratio", ".3g"),
        f"{float(str(row['flops_per_second'])) / 1e9:,.3g}",
        number("ceiling_share", ".0%"),
        number("memory_share", ".0%"),
    ]


def caption(results: Sequence[Result]) -> str:
    """What the numbers mean."""
    return (
        f"Medians over {len(results[0].product) if results else 0} turns; spread: half the range; ratios: medians over "
        f"turns of readings taken in the same turn. Peers never evaluate; glassware looks at {BATCH} examples every "
        f"100 to 1000 steps, and when evaluating at {LAPTOP.test:,} every {LAPTOP.every}. Peers read a stored "
        f"sample of {SAMPLE:,}; glassware draws its examples again at every step. Memory floor: the time to "
        f"read and write all weights once a step at the speed of a large copy; beyond 100% they must stay in cache."
    )


def summary_lines(results: Sequence[Result]) -> list[str]:
    """Who could not be measured, how the best path compares, and how quiet the machine was."""
    absent: dict[str, list[str]] = {}
    for result in results:
        for peer, why in result.absent.items():
            where = f"{result.device} n = {result.cell.n}, r = {result.cell.r}"
            absent.setdefault(f"{peer.title}: {why}", []).append(where)
    lines = [why if len(where) == len(results) else f"{why} ({'; '.join(where)})" for why, where in absent.items()]
    readings = [r for result in results for group in (*result.readings.values(), result.product) for r in group]
    wall = sum(r.wall for r in readings)
    if wall:
        others = sum(r.others for r in readings) / wall
        said = f"other processes took {others:.2f} of {cores()} cores meanwhile"
        lines.append(said if others < QUIET * cores() else f"{said}: not a quiet machine, trust ratios only")
    return lines
