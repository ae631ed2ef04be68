"""How long a study takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from glassware.foundation.quantities import about, runs_text
from glassware.printing.console import make_table

if TYPE_CHECKING:
    from glassware.sweeps import Forecast, Total


def print_estimate(console: Console, title: str, forecast: Forecast) -> None:
    """Steps, work and time of a grid along its main axis, and what they rest on."""
    table = make_table(forecast.axis, "runs", "steps per run", "budget", "FLOPs", "time", "at most")

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
            f"{one.flops / 1e9:,.3g} ({one.shape.label()})"
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


def _share(share: float) -> str:
    """``62%``, and never 0% of something."""
    return f"{share:.0%}" if share >= 0.01 else "under 1%"
