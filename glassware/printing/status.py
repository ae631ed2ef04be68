"""How a store stands."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from glassware.foundation.quantities import about, bytes_text
from glassware.printing.console import make_table, print_facts

MOST_SHAPES = 30  # lines


def print_status(console: Console, status: dict[str, Any]) -> None:
    """Counts, who is writing, then runs by task and model; ``status`` as ``Status.plain()`` gives it."""
    facts = {
        "store": status["path"],
        "runs": f"{status['runs']:,}",
        "size": f"{bytes_text(status['bytes'])} in {status['parts']:,} parts",
    }
    print_facts(console, facts)
    for one in status["writing"]:
        console.print(f"\nwritten by {one['who']}{_progress(one)}", soft_wrap=True)
    if not status["writing"]:
        console.print("\nnobody is writing")
    shapes = make_table("n", "k", "runs", "succeed", left=["task", "model"])
    for one in status["shapes"][:MOST_SHAPES]:
        numbers = ["" if one[name] is None else str(one[name]) for name in ("n", "k")]
        shapes.add_row(str(one["task"]), str(one["model"]), *numbers, f"{one['runs']:,}", f"{one['succeeded']:,}")
    if status["shapes"]:
        console.print()
        console.print(shapes)
    if len(status["shapes"]) > MOST_SHAPES:
        console.print(f"and {len(status['shapes']) - MOST_SHAPES:,} more (--json has all)")


def _progress(one: dict[str, Any]) -> str:
    if one["written"] is None:
        return ", nothing finished yet"
    said = f": {one['written']:,} runs so far"
    if one["left"] is not None:
        said += f", {one['left']:,} left"
    if one["rate"]:
        said += f", {one['rate']:.3g} per second"
    if one["remaining"]:
        said += f", about {about(one['remaining'])} to go"
    return f"{said}; the last {about(one['quiet'])} ago"
