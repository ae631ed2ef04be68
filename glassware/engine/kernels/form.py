"""What networks have in common to a kernel: units h = sigma(W x + b), and a readout that makes one number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import jax
import jax.numpy as jnp

from glassware.engine.kernels.layout import SCALE, WORD, Layout
from glassware.models import ACTIVATIONS, MLP, Neuron, PolyNet
from glassware.models.model import Model

# v . h + c; v . h; the one unit itself; the product of the units.
Readout: TypeAlias = Literal["affine", "linear", "unit", "product"]

# Activations whose functions Triton's lowering knows.
KNOWN = ("relu", "power", "zigzag", "polynomial", "triangle", "sinusoid", "double_sinusoid")


@dataclass(frozen=True)
class Form:
    """A kind of network.

    Attributes:
        units: how many there are.
        readout: what becomes of them; only ``affine`` has an output bias c, only ``affine`` and ``linear`` train v.
        activation, degree: sigma; that of a product is the identity (``""``).
    """

    units: int
    readout: Readout = "affine"
    activation: str = "relu"
    degree: int | None = None

    @property
    def plain(self) -> bool:
        """Whether this is the network of Pareto Frontiers, for which the fastest kernels are."""
        return self.readout == "affine" and self.activation == "relu"

    def sigma(self, z: Any) -> tuple[Any, Any]:
        """sigma(z) and its derivative, entry by entry."""
        if not self.activation:
            return z, jnp.ones_like(z)
        function: Callable[[Any], Any] = partial(_function, self.activation, self.degree)
        return jax.jvp(function, (z,), (jnp.ones_like(z),))

    def pack(self, layout: Layout, params: Any) -> dict[str, Any]:
        """Parameters in kernel form: ``w`` (rows, 32 words), held times SCALE, ``v`` (rows,), ``c`` ()."""
        first, *rest = params
        w = jnp.concatenate([first["w"], first["b"][None, :]]).T
        v = rest[0]["w"][:, 0] if rest else jnp.ones(self.units, jnp.float32)
        extra = layout.rows - layout.width
        return {
            "w": jnp.pad(w * SCALE, ((0, extra), (0, WORD * layout.words - layout.n - 1))),
            "v": jnp.pad(v, (0, extra)),
            "c": rest[0]["b"][0] if self.readout == "affine" else jnp.float32(0),
        }

    def unpack(self, layout: Layout, packed: dict[str, Any]) -> Any:
        """Back to the parameters of the network."""
        w = packed["w"][: layout.width].T * (1.0 / SCALE)
        first = {"w": w[: layout.n], "b": w[layout.n]}
        v = {"w": packed["v"][: layout.width, None]}
        if self.readout == "affine":
            return first, {**v, "b": packed["c"][None]}
        return (first, v) if self.readout == "linear" else (first,)


def _function(activation: str, degree: int | None, z: Any) -> Any:
    return ACTIVATIONS[activation].function(z, degree)


def form_of(model: Model) -> Form | None:
    """The form of a model; None for models that no kernel knows."""
    if isinstance(model, PolyNet):
        return None if model.disjoint else Form(model.degree, "product", "")
    if not isinstance(model, MLP | Neuron) or model.activation not in KNOWN:
        return None
    if isinstance(model, Neuron):
        return Form(1, "unit", model.activation, model.degree)
    if len(model.widths) != 1:
        return None
    return Form(model.widths[0], "affine" if model.output_bias else "linear", model.activation, model.degree)
