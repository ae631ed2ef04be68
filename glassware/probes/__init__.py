"""What is measured along the way, beside error and loss.

A probe is a pure function (run, values, params) -> {column: array}. A *curve* probe returns scalars and is measured at
every evaluation; a *final* probe may return arrays and is measured once, when the run ends. Adding one is one function
and one line in ``PROBES``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from glassware.probes.weights import neuron_norms, support_share, weight_norms


@dataclass(frozen=True)
class Probe:
    """A named measurement."""

    when: Literal["curve", "final"]
    measure: Callable[[Any, Any, Any], dict[str, Any]]


PROBES: dict[str, Probe] = {
    "weight_norms": Probe("curve", weight_norms),
    "neuron_norms": Probe("final", neuron_norms),
    "support_share": Probe("final", support_share),
}

__all__ = ["PROBES", "Probe"]
