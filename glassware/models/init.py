"""Initial weights: every entry has an address (layer, row, column) in the run's init stream."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, Float, Key, LaneValues, Number, UInt32, Whole
from glassware.foundation.backend import jnp
from glassware.foundation.draws import Stream, draw, fold, ranking, stream_key, unit
from glassware.foundation.part import Part, Values

SCHEMES = ("dense", "kaiming", "sign", "sparse", "glorot")  # their order is that of a lane value


class Init(Part):
    """How the first weights are drawn.

    Attributes:
        scheme: ``dense``: weights and biases uniform on +-1/sqrt(fan_in), PyTorch's default for linear layers.
            ``kaiming``: Gaussian weights of variance 2/fan_in, Gaussian biases of variance 1/fan_in.
            ``sign``: random signs over sqrt(fan_in). ``sparse``: every first-layer neuron has exactly ``s`` incoming
            weights set to 1, chosen uniformly, the others to ``eps``; everything else as ``dense``. Nothing is masked.
            ``glorot``: weights and biases uniform on +-sqrt(6 / (fan_in + fan_out)).
        s: incoming ones per neuron (``sparse`` only; 2 unless told).
        eps: value of the remaining first-layer weights (``sparse`` only).
        seed: draw the weights of this seed instead of the run's own.
        pairing: draw the weights of runs with this pairing instead of the run's own (see ``Run.pairing``).
        neurons: take these neurons of a wider network's draw, as a lottery ticket rewound to its initial weights.
        parent_width: width of that wider network, whose scaling the second layer keeps.

    >>> import glassware as gw
    >>> gw.Init(scheme="sparse", s=2)
    Init(scheme='sparse', s=2, eps=0.0, seed=None, pairing=None, neurons=None, parent_width=None)
    """

    scheme: Literal["dense", "kaiming", "sign", "sparse", "glorot"] = "dense"
    s: Annotated[int, Field(ge=1)] | None = None
    eps: Annotated[float, Field(ge=-1e30, le=1e30)] | None = None  # a lane value, hence float32
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    pairing: str | None = None
    neurons: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] | None = None
    parent_width: Annotated[int, Field(ge=1, le=10_000_000)] | None = None

    lane: ClassVar = {
        "scheme": "dense",
        "s": None,
        "eps": None,
        "seed": None,
        "pairing": None,
        "neurons": None,
        "parent_width": None,
    }
    column: ClassVar = {"scheme": "init", "seed": "init_seed", "pairing": "init_pairing"}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.scheme != "sparse":
            if self.s is not None or self.eps is not None:
                raise ValueError(f"s and eps belong to the scheme 'sparse', not '{self.scheme}'")
        else:
            # The resolved spec names the sparsity, so that a default and its spelt-out form are one run.
            object.__setattr__(self, "s", 2 if self.s is None else self.s)
            object.__setattr__(self, "eps", 0.0 if self.eps is None else self.eps)
        if (self.neurons is None) != (self.parent_width is None):
            raise ValueError("neurons and parent_width go together")
        if self.neurons is not None and self.parent_width is not None and max(self.neurons) >= self.parent_width:
            raise ValueError(f"neurons must lie below parent_width = {self.parent_width}, not {max(self.neurons)}")
        return self

    def values(self, key: UInt32[np.ndarray, " 2"], width: int, layers: int) -> Values:
        """Lane values for a network of ``layers`` layers.

        Args:
            key: of the run whose weights are drawn.
            width: of the first hidden layer, 1 without one.
            layers: how many the network has.
        """
        key = stream_key(key, Stream.INIT)
        neurons = np.arange(width, dtype=np.uint32) if self.neurons is None else np.array(self.neurons, np.uint32)
        return {
            "scheme": np.int32(SCHEMES.index(self.scheme)),
            "s": np.int32(self.s or 1),
            "eps": np.float32(self.eps or 0.0),
            "keys": np.stack([fold(key, i) for i in range(2 * layers)]),  # weights and bias of each layer
            "neurons": neurons,
            "fan_in": np.float32(width if self.parent_width is None else self.parent_width),
        }


def affine(
    values: LaneValues,
    weight_key: Key,
    bias_key: Key,
    rows: UInt32[Array, " inputs"],
    columns: UInt32[Array, " outputs"],
    fan_in: Number,
    fan_out: Number,
    *,
    first: bool,
    gain: float = 2.0,
) -> tuple[Float[Array, "inputs outputs"], Float[Array, " outputs"]]:
    """Weights and bias of one affine layer.

    ``rows`` are the addresses of the inputs and ``columns`` those of the outputs; a sub-network is drawn by
    passing the addresses it keeps. ``first`` says whether the sparse scheme applies here. ``gain`` is the variance of
    Kaiming weights times fan_in.
    """
    words = draw(weight_key, columns[None, :], rows[:, None])
    weight = _entries(values["scheme"], *words, fan_in, fan_out, gain)
    if first:
        score = ranking(words[1], rows[:, None], rows.shape[0])
        worst = jnp.take_along_axis(jnp.sort(score, axis=0), (values["s"] - 1).reshape(1, 1), axis=0)
        hot = jnp.where(score <= worst, 1.0, values["eps"])
        weight = jnp.where(values["scheme"] == SCHEMES.index("sparse"), hot, weight)
    bias = _entries(values["scheme"], *draw(bias_key, columns, columns * np.uint32(0)), fan_in, fan_out, 1.0)
    return weight, bias


def matrix(
    values: LaneValues, key: Key, rows: int, columns: int, fan_in: int, fan_out: int
) -> Float[Array, "{rows} {columns}"]:
    """Weights of a layer that is not the first and has no bias."""
    words = draw(key, *_places(rows, columns))
    return _entries(values["scheme"], *words, fan_in, fan_out, 2.0)


def normal(key: Key, rows: int, columns: int) -> Float[Array, "{rows} {columns}"]:
    """Standard Gaussian entries, whatever the scheme: embeddings."""
    return _gaussian(*draw(key, *_places(rows, columns)), 1.0)


def _places(rows: int, columns: int) -> tuple[UInt32[Array, "1 {columns}"], UInt32[Array, "{rows} 1"]]:
    return jnp.arange(columns, dtype=jnp.uint32)[None, :], jnp.arange(rows, dtype=jnp.uint32)[:, None]


def _entries(
    scheme: Whole,
    word0: UInt32[Array, "*shape"],
    word1: UInt32[Array, "*shape"],
    fan_in: Number,
    fan_out: Number,
    gain: float,
) -> Float[Array, "*shape"]:
    """One entry per word pair under each scheme; ``gain`` is the Kaiming variance times fan_in."""
    uniform = 2.0 * unit(word0) - 1.0
    sign = jnp.where(uniform < 0, -1.0, 1.0)
    kaiming, signs = scheme == SCHEMES.index("kaiming"), scheme == SCHEMES.index("sign")
    by_fan_in = jnp.where(kaiming, _gaussian(word0, word1, gain), jnp.where(signs, sign, uniform))
    by_fan_in = by_fan_in / jnp.sqrt(jnp.float32(fan_in))
    bound = jnp.sqrt(6.0 / (jnp.float32(fan_in) + jnp.float32(fan_out)))
    return jnp.where(scheme == SCHEMES.index("glorot"), bound * uniform, by_fan_in)


def _gaussian(
    word0: UInt32[Array, "*shape"], word1: UInt32[Array, "*shape"], variance: float
) -> Float[Array, "*shape"]:
    """Box and Muller's cosine."""
    return jnp.sqrt(-2.0 * variance * jnp.log(unit(word0))) * jnp.cos(2.0 * np.pi * unit(word1))
