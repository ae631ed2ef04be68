"""One run, for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from glassware.foundation.part import dotted
from glassware.printing.console import make_table, print_facts

LARGEST = 8  # neurons listed


class Neurons(NamedTuple):
    """The neurons of a network, for a table.

    Args:
        shares: how much each counts, (units,), summing to 1.
        of: of what that is a share.
        titles: what is said about a neuron beside it, one word or more per column.
        words: the same for a neuron, by its number.
    """

    shares: np.ndarray
    of: str
    titles: tuple[str, ...]
    words: Callable[[int], tuple[str, ...]]


def print_run(console: Console, row: dict[str, Any], neurons: Neurons | str) -> None:
    """Specification (what differs from the defaults), result, and the neurons that carry the output, or why not."""
    spec = {"id": row["id"]} | {field: _text(value) for field, value in dotted(json.loads(row["spec"]))}
    print_facts(console, spec)
    console.print()
    took = f"{row['steps_taken']:,} steps, {row['seconds']:.2g} s on {row['device']}"
    reached = "never" if row["steps_to_success"] is None else f"at step {row['steps_to_success']:,}"
    results = {"success": reached, "trained": took}
    if row["diverged_step"] is not None:
        results["diverged"] = f"at step {row['diverged_step']:,}"
    if row.get("curve_margin_ratio"):
        results["margin_ratio"] = f"{row['curve_margin_ratio'][-1]:.4g} of the largest normalised margin"
    measured = [name for name in row if name.startswith(("test_", "train_")) and isinstance(row[name], float)]
    print_facts(
        console, results | {name: f"{row[name]:.4g}" for name in (*measured, "final_loss") if row[name] is not None}
    )
    console.print()
    if isinstance(neurons, str):
        console.print(f"which neurons carry the output: {neurons}", style="dim")
    else:
        _print_neurons(console, neurons)


def _print_neurons(console: Console, neurons: Neurons) -> None:
    shares, of = neurons.shares, neurons.of
    order = shares.argsort()[::-1]
    half = int((shares[order].cumsum() < 0.5).sum()) + 1
    console.print(f"{half} of {len(shares)} neurons carry half of the {of}")
    table = make_table("neuron", f"share of the {of}", *neurons.titles)
    for neuron in order[:LARGEST]:
        table.add_row(str(neuron), f"{shares[neuron]:.1%}", *neurons.words(int(neuron)))
    console.print(table)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
