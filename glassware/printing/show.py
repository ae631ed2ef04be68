"""One run, for people."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from glassware.foundation.part import dotted
from glassware.printing.console import make_table, print_facts

LARGEST = 8  # neurons listed


class Neurons(NamedTuple):
    """How much of the output each neuron carries, (units,), and its weights from the inputs, (inputs, units)."""

    shares: np.ndarray
    weights: np.ndarray


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
    measured = [name for name in row if name.startswith(("test_", "train_")) and isinstance(row[name], float)]
    print_facts(
        console, results | {name: f"{row[name]:.4g}" for name in (*measured, "final_loss") if row[name] is not None}
    )
    console.print()
    if isinstance(neurons, str):
        console.print(f"which neurons carry the output: {neurons}", style="dim")
    else:
        _print_neurons(console, *neurons)


def _print_neurons(console: Console, shares: np.ndarray, weights: np.ndarray) -> None:
    order = shares.argsort()[::-1]
    half = int((shares[order].cumsum() < 0.5).sum()) + 1
    console.print(f"{half} of {len(shares)} neurons carry half of the output")
    table = make_table("neuron", "share of the output", "largest weights from inputs")
    for neuron in order[:LARGEST]:
        column = [float(w) for w in weights[:, int(neuron)]]
        largest = sorted(range(len(column)), key=lambda i: -abs(column[i]))[:4]
        table.add_row(str(neuron), f"{shares[neuron]:.0%}", ", ".join(f"{i}: {column[i]:.2g}" for i in largest))
    console.print(table)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
