"""The eighteen settings of Hidden Progress (Section 3): architecture and activation for a parity of k coordinates.

The paper numbers them (i) to (xv), which it finds robust at every batch size, and (*i) to (*iii), robust from batches
of 16 on. Decisions where it is silent: networks of width two or more have an output bias (with it, width k = 2 can
represent the parity; without, it cannot, yet the paper reports success), single neurons with a trained second layer
have none. Uniform initialisation is +-1/sqrt(fan in) for weights and biases, as in PyTorch's linear layers.
"""

from __future__ import annotations

from collections.abc import Callable

from glassware.models import MLP, Model, Neuron, PolyNet, Transformer


def _degree(activation: str, k: int) -> int | None:
    return None if activation == "relu" else k


def _mlp(width: int | None, activation: str) -> Callable[[int], Model]:
    """A network of this width, or of width k."""
    return lambda k: MLP(width=width or k, activation=activation, degree=_degree(activation, k))


SETTINGS: dict[str, Callable[[int], Model]] = {
    "i": _mlp(10, "relu"),
    "ii": _mlp(100, "relu"),
    "iii": _mlp(1000, "relu"),
    "iv": _mlp(10, "power"),
    "v": _mlp(100, "power"),
    "vi": _mlp(1000, "power"),
    "vii": lambda k: MLP(width=1, activation="zigzag", degree=k, output_bias=False),
    "viii": lambda k: MLP(width=1, activation="polynomial", degree=k, output_bias=False),
    "ix": lambda k: MLP(width=1, activation="triangle", degree=k, output_bias=False),
    "x": lambda k: MLP(width=1, activation="sinusoid", degree=k, output_bias=False),
    "xi": lambda k: Neuron(activation="zigzag", degree=k),
    "xii": lambda k: Neuron(activation="polynomial", degree=k),
    "xiii": lambda k: Neuron(activation="triangle", degree=k),
    "xiv": lambda k: Neuron(activation="sinusoid", degree=k),
    "xv": lambda k: PolyNet(degree=k),
    "*i": _mlp(None, "relu"),
    "*ii": _mlp(None, "power"),
    "*iii": lambda k: Transformer(),
}

ROBUST = tuple(name for name in SETTINGS if not name.startswith("*"))


def model(setting: str, k: int) -> Model:
    """The model of a setting for a parity of k coordinates."""
    return SETTINGS[setting](k)
