"""What networks have in common to a kernel: units h = sigma(W x + b), and a readout that makes one number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import jax
import jax.numpy as jnp

from glassware.engine.kernels.kinds import Count
from glassware.engine.kernels.layout import SCALE, WORD, Layout
from glassware.foundation.arrays import Array, Float, LaneValues, Params
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
        activation: sigma; that of a product is the identity (``""``).
        degrees: those that sigma may have; which one is a lane's own value. None for a sigma without a degree.
    """

    units: int
    readout: Readout = "affine"
    activation: str = "relu"
    degrees: tuple[int, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether this is the network of Pareto Frontiers, for which the fastest kernels are."""
        return self.readout == "affine" and self.activation == "relu"

    def sigma(self, z: Float[Array, "*shape"], degree: Count) -> tuple[Float[Array, "*shape"], Float[Array, "*shape"]]:
        """sigma(z) and its derivative, entry by entry; ``degree`` is the lane's."""
        if not self.activation:
            return z, jnp.ones_like(z)
        choices = [partial(_with_slope, self.activation, known) for known in self.degrees or (None,)]
        chosen = choices.pop()
        for known, other in zip(reversed(self.degrees[:-1]), reversed(choices), strict=True):
            chosen = partial(jax.lax.cond, degree == known, other, chosen)  # one branch a lane, not all of them
        return chosen(z)

    def pack(self, layout: Layout, params: Params) -> dict[str, Float[Array, "..."]]:
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

    def unpack(self, layout: Layout, packed: LaneValues) -> Params:
        """Back to the parameters of the network."""
        w = packed["w"][: layout.width].T * (1.0 / SCALE)
        first = {"w": w[: layout.n], "b": w[layout.n]}
        v = {"w": packed["v"][: layout.width, None]}
        if self.readout == "affine":
            return first, {**v, "b": packed["c"][None]}
        return (first, v) if self.readout == "linear" else (first,)


def _with_slope(
    activation: str, degree: int | None, z: Float[Array, "*shape"]
) -> tuple[Float[Array, "*shape"], Float[Array, "*shape"]]:
    function: Callable[[Float[Array, "*shape"]], Float[Array, "*shape"]] = lambda z: ACTIVATIONS[activation].function(
        z, degree
    )
    return jax.jvp(function, (z,), (jnp.ones_like(z),))


def form_of(model: Model) -> Form | None:
    """The form of a model; None for models that no kernel knows, as all subclasses: they may compute anything."""
    if type(model) is PolyNet:
        return None if model.disjoint else Form(model.degree, "product", "")
    if not (type(model) is MLP or type(model) is Neuron) or model.activation not in KNOWN:
        return None
    degrees = () if model.degree is None else (model.degree,)
    if isinstance(model, Neuron):
        return Form(1, "unit", model.activation, degrees)
    if len(model.widths) != 1:
        return None
    return Form(model.widths[0], "affine" if model.output_bias else "linear", model.activation, degrees)
