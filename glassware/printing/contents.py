"""What a store holds."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from glassware.foundation.quantities import bytes_text, runs_text
from glassware.printing.console import make_table, print_facts

MOST_VARIED = 6  # fields named per sweep


def print_contents(console: Console, contents: dict[str, Any]) -> None:
    """Counts, then studies and sweeps; ``contents`` as ``Contents.plain()`` gives it."""
    facts = {
        "store": contents["path"],
        "runs": f"{contents['runs']:,}, {contents['succeeded']:,} succeeded",
        "kept weights": f"of {runs_text(contents['kept'])}",
        "size": bytes_text(contents["bytes"]),
        "format": f"{contents['format']}, semantics {contents['semantics']}",
    }
    print_facts(console, facts)
    if contents["studies"]:
        studies = make_table("runs", "of", left=["study", "scale"])
        for one in contents["studies"]:
            studies.add_row(one["study"], one["scale"], f"{one['runs']:,}", f"{one['wanted']:,}")
        console.print()
        console.print(studies)
    if contents["sweeps"]:
        sweeps = make_table("runs", "succeed", left=["task", "model"])
        sweeps.add_column("varied", overflow="fold")
        for one in contents["sweeps"]:
            more = len(one["varied"]) - MOST_VARIED
            varied = [*one["varied"][:MOST_VARIED], *([f"{more} more"] if more > 0 else [])]
            counts = f"{one['runs']:,}", f"{one['succeeded']:,}"
            sweeps.add_row(one["task"], one["model"], *counts, ", ".join(varied) or "seeds only")
        console.print("\nruns of no study known here\n")
        console.print(sweeps)
    if contents["named"]:
        console.print(f"\nsweeps by name: {', '.join(contents['named'])}")
    if contents["computed"]:
        console.print(f"\ncomputed tables: {', '.join(contents['computed'])}")
