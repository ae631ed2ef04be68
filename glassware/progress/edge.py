"""Where success begins, as far as the rows so far tell."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

FIELDS = ("m", "width", "n", "k", "s", "lr", "weight_decay", "batch", "steps")  # of which most sweeps vary some
FEWEST = 5  # runs of a value before it is told of


class Edge:
    """Counts successes by each value of each field. Other fields are pooled; runs that succeed early come first."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[Any, list[int]]] = {name: defaultdict(lambda: [0, 0]) for name in FIELDS}

    def on_row(self, row: dict[str, object]) -> None:
        for name, counts in self._counts.items():
            if name in row and (row[name] is not None or name == "m"):  # no m: online, more than any sample
                count = counts[row[name]]
                count[0] += bool(row["success"])
                count[1] += 1

    def words(self) -> str:
        """Between which neighbouring values of a field success passes a half: ``edge so far m 300 to 1,000``.

        Of fields with such a place the one with most values. Empty while there is none, or where it passes twice.
        """
        found = {name: self._passes(name) for name in FIELDS}
        names = sorted((name for name in FIELDS if found[name]), key=lambda name: -len(self._counts[name]))
        return f"edge so far {names[0]} {found[names[0]]}" if names else ""

    def _passes(self, name: str) -> str:
        counts = {value: count for value, count in self._counts[name].items() if count[1] >= FEWEST}
        values = sorted(counts, key=lambda value: (value is None, value))
        most = [2 * counts[value][0] >= counts[value][1] for value in values]
        places = [i for i in range(1, len(most)) if most[i] != most[i - 1]]
        if len(places) != 1:
            return ""
        below, above = (_text(values[i]) for i in (places[0] - 1, places[0]))
        return f"{below} to {above}"


def _text(value: Any) -> str:
    return "online" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:g}"
