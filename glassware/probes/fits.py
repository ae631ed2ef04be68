"""Which runs a probe fits. A check raises a ValueError of one sentence for those it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from glassware.probes.subject import Candidate

Check: TypeAlias = Callable[[Candidate], None]

MOST_COLUMNS = 1000


def any_model(run: Candidate) -> None:
    """Every trained network will do."""


def first_layer(probe: str) -> Check:
    """The check of a probe that looks at the weights from the input coordinates."""

    def check(run: Candidate) -> None:
        if not run.model.layered:
            raise ValueError(
                f"the probe '{probe}' looks at first-layer weights, which the model '{run.model.name}' does not have"
            )

    return check


def one_hidden_layer(probe: str) -> Check:
    """The check of a probe that looks at neurons, their biases and their readout."""
    layered = first_layer(probe)

    def check(run: Candidate) -> None:
        layered(run)
        if run.network.layers != 2:
            raise ValueError(f"the probe '{probe}' needs one hidden layer, which '{run.model.name}' does not have here")

    return check


def endless_sample(probe: str) -> Check:
    """The check of a probe that looks at the held-out sample that all runs of a task share."""

    def check(run: Candidate) -> None:
        if run.task.domain is not None:
            raise ValueError(f"the probe '{probe}' needs a held-out sample, which '{run.task.name}' does not have")

    return check


def leaky(probe: str) -> Check:
    """The check of a probe that looks at the two components of a leaky parity."""

    def check(run: Candidate) -> None:
        if run.task.name != "leaky-parity":
            raise ValueError(f"the probe '{probe}' needs the task 'leaky-parity', not '{run.task.name}'")

    return check


def few_weights(probe: str) -> Check:
    """The check of a probe that keeps every first-layer weight as a column."""
    layered = first_layer(probe)

    def check(run: Candidate) -> None:
        layered(run)
        columns = run.task.input_size * run.network.units
        if columns > MOST_COLUMNS:
            raise ValueError(
                f"the probe '{probe}' keeps every first-layer weight: at most {MOST_COLUMNS}, not {columns}; "
                "take a smaller network"
            )

    return check


def one_neuron(probe: str) -> Check:
    """The check of a probe that looks at the weights of the only neuron."""
    layered = first_layer(probe)

    def check(run: Candidate) -> None:
        layered(run)
        if run.network.units != 1:
            raise ValueError(f"the probe '{probe}' needs a single first-layer neuron, not {run.network.units}")
        if getattr(run.task, "skewed", False):
            raise ValueError(f"the probe '{probe}' is a gradient on uniform inputs: leave task.distribution out")

    return check
