"""Causal transformers on token sequences, and the two-parameter model that stands in for them (dissertation, ch. 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, EitherArray, Float, Int, LaneValues, Params
from glassware.foundation.backend import jax, jnp
from glassware.foundation.bounds import Fraction, Real
from glassware.models import causal_tables
from glassware.models.causal_attention import by_key
from glassware.models.dropout import Dropout
from glassware.models.init import normal
from glassware.models.model import Model
from glassware.tasks.task import Kind, Task

Scores = Float[Array, "*batch heads queries keys"]

# Sites of dropout; those of a layer again for every layer.
EMBEDDING, ATTENTION, POSITIONS, OUTPUT, BLOCK, SITES = 0, 1, 2, 3, 4, 4


class CausalTransformer(Model):
    """Attention with relative positions, residual connections and a linear readout at every position.

    A_ij = (z_i W_Q) (z_j W_K + v_{i-j})^T / sqrt(d / heads) over keys j <= i; z <- z + softmax(A) z W_V.

    Attributes:
        depth: attention layers.
        width: d, length of an embedding.
        heads: per layer; each has its own slice of d.
        form: ``plain``: the formula as printed, all arrays N(0, 0.1^2). ``normed``: layer norm before each layer and
            before the readout, and an output projection W_O; arrays N(0, 0.02^2), W_O N(0, 0.01^2).
        positions: ``relative``, as above; ``absolute``: a vector per position, added to the embedding.
        mlp: whether each layer ends with an MLP block: layer norm, 4d hidden units, ReLU.
        dropout: share of the numbers that training drops: of embedded tokens, attention weights, relative positions and
            what attention and MLP add.

    >>> import glassware as gw
    >>> gw.CausalTransformer(form="normed").parameters(gw.MarkovChain(states=2, length=100))
    5408
    """

    name: Literal["causal-transformer"] = "causal-transformer"
    depth: Annotated[int, Field(ge=1, le=12)] = 2
    width: Annotated[int, Field(ge=1, le=4096)] = 16
    heads: Annotated[int, Field(ge=1, le=64)] = 1
    form: Literal["plain", "normed"] = "plain"
    positions: Literal["relative", "absolute"] = "relative"
    mlp: bool = False
    dropout: Fraction = 0.0

    kinds: ClassVar[tuple[Kind, ...]] = ("sequence",)

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"heads must divide the width {self.width}: {self.heads} do not")
        return self

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.width,)

    @property
    def layers(self) -> int:
        """The embedding, every attention layer, the readout."""
        return self.depth + 2

    @property
    def drops(self) -> bool:
        return self.dropout > 0

    def check(self, task: Task, scheme: str) -> None:
        if scheme != "dense":
            raise ValueError(f"the model '{self.name}' has first weights of its own: leave init.scheme out")

    def init(self, values: LaneValues, task: Task) -> Params:
        d, k, t = self.width, task.classes, task.input_shape[0]
        keys, normed = values["keys"], self.form == "normed"
        size = 0.02 if normed else 0.1
        embedding = {"tokens": size * normal(keys[0], k, d)}
        if self.positions == "absolute":
            embedding["positions"] = size * normal(keys[1], t, d)
        found: list[dict[str, Float[Array, "..."]]] = [embedding]
        for layer in range(1, self.depth + 1):
            # One block of random rows per layer, dealt out to its arrays.
            rows = size * normal(keys[2 * layer], 4 * d + t, d)
            arrays = {"q": rows[:d], "k": rows[d : 2 * d], "v": rows[2 * d : 3 * d]}
            if self.positions == "relative":
                arrays["positions"] = rows[4 * d :]
            if normed:
                arrays |= {"out": rows[3 * d : 4 * d] / 2, "scale": jnp.ones(d), "shift": jnp.zeros(d)}
            if self.mlp:
                both = size * normal(keys[2 * layer + 1], 8 * d, d)
                arrays |= {"into": both[: 4 * d].T, "back": both[4 * d :]}
                arrays |= {"mlp_scale": jnp.ones(d), "mlp_shift": jnp.zeros(d)}
            found.append(arrays)
        readout = {"w": size * normal(keys[2 * self.depth + 2], d, k)}
        if normed:
            readout |= {"scale": jnp.ones(d), "shift": jnp.zeros(d)}
        return (*found, readout)

    def apply(self, params: Params, x: Int[Array, "*batch t"]) -> Float[Array, "*batch t classes"]:  # type: ignore[override]
        return causal_tables.logits(self, params, x)

    def apply_training(  # type: ignore[override]
        self, params: Params, x: Int[Array, "batch t"], dropout: Dropout
    ) -> Float[Array, "batch t classes"]:
        return self._through(params, x, dropout)[0]

    def attention(self, params: Params, x: Int[Array, "*batch t"]) -> tuple[Scores, ...]:
        """The attention weights of every layer, after the softmax."""
        return self.run_through(params, x)[1]

    def run_through(
        self, params: Params, x: Int[Array, "*batch t"]
    ) -> tuple[Float[Array, "*batch t classes"], tuple[Scores, ...]]:
        """Logits, and the attention weights of every layer: the formula, which ``apply`` computes in a faster way."""
        logits, scores = self._through(params, x)
        return logits, tuple(jax.nn.softmax(a, axis=-1) for a in scores)

    def layer_scores(self, params: Params, x: Int[Array, "*batch t"]) -> tuple[Scores, ...]:
        """A of every layer before the softmax; minus infinity where the key lies ahead."""
        return self._through(params, x)[1]

    def _through(
        self, params: Params, x: Int[Array, "*batch t"], dropout: Dropout | None = None
    ) -> tuple[Float[Array, "*batch t classes"], tuple[Scores, ...]]:
        """Logits, and A of every layer."""
        embedding, *layers, readout = params
        z = embedding["tokens"][x]
        if self.positions == "absolute":
            z = z + embedding["positions"][: x.shape[-1]]
        z = self._dropped(z, dropout, EMBEDDING)
        seen = []
        for i, layer in enumerate(layers):
            inner = _inner(layer, z)
            seen.append(self.scores(layer, inner, self._kept_positions(layer, dropout, i)))
            values = self._by_head(inner @ layer["v"])
            weights = self._dropped(jax.nn.softmax(seen[-1], axis=-1), dropout, ATTENTION + SITES * i)
            mixed = jnp.einsum("...hqk,...khj->...qhj", weights, values).reshape(z.shape)
            added = mixed @ layer["out"] if "out" in layer else mixed
            z = z + self._dropped(added, dropout, OUTPUT + SITES * i)
            if self.mlp:
                inner = _normed(z, layer["mlp_scale"], layer["mlp_shift"])
                added = jax.nn.relu(inner @ layer["into"]) @ layer["back"]
                z = z + self._dropped(added, dropout, BLOCK + SITES * i)
        return _inner(readout, z) @ readout["w"], tuple(seen)

    def _dropped(self, z: Float[Array, "*rows numbers"], dropout: Dropout | None, site: int) -> Float[Array, "..."]:
        return z if dropout is None else z * dropout.kept(self.dropout, site, z.shape[1:])

    def _kept_positions(
        self, layer: Mapping[str, Float[EitherArray, "..."]], dropout: Dropout | None, i: int
    ) -> Float[Array, "t d"] | None:
        """Which numbers of the relative positions this step leaves: the same for the whole batch, as the array is."""
        if dropout is None or "positions" not in layer:
            return None
        return dropout.kept_for_all(self.dropout, POSITIONS + SITES * i, layer["positions"].shape)

    def scores(
        self,
        layer: Mapping[str, Float[EitherArray, "..."]],
        z: Float[EitherArray, "*batch t d"],
        kept: Float[Array, "longest d"] | None = None,
    ) -> Scores:
        """A before the softmax; minus infinity where the key lies ahead.

        Args:
            layer: arrays of an attention layer.
            z: what it sees.
            kept: factors of the relative positions, for dropout.
        """
        t = z.shape[-2]
        queries, keys = self._by_head(z @ layer["q"]), self._by_head(z @ layer["k"])
        found = jnp.einsum("...qhj,...khj->...hqk", queries, keys)
        if "positions" in layer:
            positions = layer["positions"] if kept is None else layer["positions"] * kept
            by_offset = jnp.einsum("...qhj,mhj->...hqm", queries, self._by_head(positions[:t]))
            found = found + by_key(by_offset)
        ahead = jnp.arange(t)[None, :] > jnp.arange(t)[:, None]
        return jnp.where(ahead, -jnp.inf, found / math.sqrt(self.width // self.heads))

    def positional_scores(self, params: Params) -> Float[Array, "heads tokens t"]:
        """What each offset adds to A in the first layer, by the current token."""
        layer = params[1]
        queries = self._by_head(_inner(layer, params[0]["tokens"]) @ layer["q"])
        found = jnp.einsum("ahj,mhj->ham", queries, self._by_head(layer["positions"]))
        return found / math.sqrt(self.width // self.heads)

    def _by_head(self, rows: Float[EitherArray, "*batch d"]) -> Float[Array, "*batch heads j"]:
        return jnp.reshape(rows, (*rows.shape[:-1], self.heads, -1))

    def forward_flops(self, task: Task, batch: int) -> float:
        d, k, t = self.width, task.classes, task.input_shape[0]
        maps = 3 + (self.form == "normed") + 8 * self.mlp
        products = 2 + (self.positions == "relative")  # with keys, with values, with positions
        return 2.0 * batch * t * (self.depth * (maps * d * d + products * t * d) + d * k)

    def widest(self, task: Task) -> int:
        t = task.input_shape[0]
        return t * max(self.heads * t, 4 * self.width)


class MinimalInduction(Model):
    """f_{p,i} = sum over t' <= p with x_{t'} = i of sum over s <= t' of v_{t'-s} W[x_p, x_s]; no softmax.

    W stands in for the second layer of a transformer, v for the positions of the first: v = (0, 1, 0, ..) and W = I
    count the bigrams.

    Attributes:
        v: its first value, at every offset.
        w: the first value of every entry of W.
        frozen: whether W stays as it is.

    >>> import glassware as gw
    >>> gw.MinimalInduction().parameters(gw.MarkovChain(states=2, length=100))
    104
    """

    name: Literal["minimal-induction"] = "minimal-induction"
    v: Real = 0.01
    w: Real = 0.0
    frozen: bool = False

    kinds: ClassVar[tuple[Kind, ...]] = ("sequence",)

    @property
    def layers(self) -> int:
        return 2

    def check(self, task: Task, scheme: str) -> None:
        if scheme != "dense":
            raise ValueError(f"the model '{self.name}' has first weights of its own: leave init.scheme out")

    def init(self, values: LaneValues, task: Task) -> Params:
        k, t = task.classes, task.input_shape[0]
        return {"v": jnp.full(t, self.v, jnp.float32)}, {"w": jnp.full((k, k), self.w, jnp.float32)}

    def apply(self, params: Params, x: Int[Array, "*batch t"]) -> Float[Array, "*batch t classes"]:  # type: ignore[override]
        w = jax.lax.stop_gradient(params[1]["w"]) if self.frozen else params[1]["w"]
        t, k = x.shape[-1], w.shape[0]
        one_hot = (x[..., None] == jnp.arange(k)).astype(jnp.float32)
        offset = jnp.arange(t)[:, None] - jnp.arange(t)[None, :]
        looks_back = jnp.where(offset >= 0, params[0]["v"][jnp.maximum(offset, 0)], 0.0)
        carried = (looks_back @ one_hot) @ w.T  # (.., t', m): what position t' says if the query is token m
        counted = jnp.cumsum(one_hot[..., :, None] * carried[..., None, :], axis=-3)
        return jnp.einsum("...pim,...pm->...pi", counted, one_hot)

    def forward_flops(self, task: Task, batch: int) -> float:
        k, t = task.classes, task.input_shape[0]
        return 2.0 * batch * t * (t * k + 3 * k * k)

    def widest(self, task: Task) -> int:
        return task.input_shape[0] * task.classes**2


def _inner(
    layer: Mapping[str, Float[EitherArray, "..."]], z: Float[EitherArray, "*batch d"]
) -> Float[Array, "*batch d"]:
    """What a layer, or the readout, sees."""
    return _normed(z, layer["scale"], layer["shift"]) if "scale" in layer else jnp.asarray(z)


def _normed(
    z: Float[EitherArray, "*batch d"], scale: Float[EitherArray, " d"], shift: Float[EitherArray, " d"]
) -> Float[Array, "*batch d"]:
    centred = jnp.asarray(z) - jnp.mean(z, axis=-1, keepdims=True)
    return jnp.asarray(scale) * centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5) + shift
