"""This machine."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from glassware.printing.console import make_table, print_facts


def print_info(console: Console, found: dict[str, Any]) -> None:
    """This machine, and what the engine would choose on it."""
    names = ("glassware", "semantics", "python", "jax", "jaxlib", "optax", "polars", "system", "cores")
    facts = {name: str(found[name]) for name in names} | {"memory": _gigabytes(found["memory"])}
    for i, device in enumerate(found["devices"]):
        memory = f", {_gigabytes(device['memory'])}" if device["memory"] else ""
        facts[f"device {i}"] = f"{device['kind']}{memory}"
    print_facts(console, facts)
    console.print("\nFor many runs of a two-layer network the engine would choose here\n")
    columns = ("n", "width", "runs", "lanes", "devices")
    table = make_table(*columns)
    table.add_column("engine")
    for choice in found["engine"]:
        table.add_row(*(f"{choice[name]:,}" for name in columns), choice["engine"])
    console.print(table)


def _gigabytes(count: int) -> str:
    return f"{count / 2**30:.0f} GiB"
