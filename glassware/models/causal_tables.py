"""The fast way through a causal transformer: few features per position instead of d.

A token is one of k, so the first layer sees k different vectors, and what it adds at a position is their mean under the
attention that each token gets. What enters the second layer is therefore a combination of 2k fixed vectors, whose
coefficients sum to 1 twice: a constant and 2(k - 1) features, for k = 2 two numbers instead of sixteen. Queries, keys
and values are linear in them, so attention over d dimensions is attention over the features. A layer norm divides by a
number per position, which is one feature more. The function is that of ``CausalTransformer.run_through``, up to
rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from glassware.foundation.arrays import Array, Float, Int, Params
from glassware.foundation.backend import jax, jnp
from glassware.models.causal_attention import attend, in_blocks, out_of_blocks

if TYPE_CHECKING:
    from glassware.models.causal import CausalTransformer

EPSILON = 1e-5  # of a layer norm

Layer = Mapping[str, Float[Array, "..."]]


class Stream(NamedTuple):
    """z at every position: base + sum over f of features_f vectors_f.

    Attributes:
        features: numbers of each position.
        vectors: what they multiply.
        base: the vector that all positions share.
    """

    features: Float[Array, "f blocks t 16"]
    vectors: Float[Array, "f d"]
    base: Float[Array, " d"]

    def times(self, matrix: Float[Array, "d e"]) -> Stream:
        """z @ matrix, in the same features."""
        return Stream(self.features, self.vectors @ matrix, self.base @ matrix)

    def dense(self) -> Float[Array, "d blocks t 16"]:
        """z itself."""
        return jnp.einsum("fd,f...->d...", self.vectors, self.features) + self.base[:, None, None, None]

    def few(self) -> Stream:
        """The same z in at most d features."""
        return self if len(self.features) < len(self.base) else all_of(self.dense())


def all_of(z: Float[Array, "d blocks t 16"]) -> Stream:
    """z, each of its entries a feature."""
    return Stream(z, jnp.eye(len(z), dtype=z.dtype), jnp.zeros(len(z), z.dtype))


def logits(model: CausalTransformer, params: Params, x: Int[Array, "*batch t"]) -> Float[Array, "*batch t classes"]:
    """The outputs of a causal transformer at every position."""
    embedding, *layers, readout = jax.tree.map(jnp.asarray, params)
    *batch, t = x.shape
    tokens = in_blocks(x.reshape(-1, t))
    table = embedding["tokens"]
    one_hot = (tokens == jnp.arange(1, len(table)).reshape(-1, 1, 1, 1)).astype(table.dtype)
    z = _from_table(one_hot, table)
    if "positions" in embedding:
        z = all_of(z.dense() + embedding["positions"][:t].T[:, None, :, None])
    for number, layer in enumerate(layers):
        if "scale" not in layer:
            inner = z
        elif number == 0 and "positions" not in embedding:
            inner = _from_table(one_hot, _normed(table.T, layer["scale"], layer["shift"]).T)
        else:
            inner = _normed_stream(z, layer["scale"], layer["shift"])
        z = _attended(model, layer, z, inner)
        if "into" in layer:
            dense = z.dense()
            hidden = jnp.einsum("de,d...->e...", layer["into"], _normed(dense, layer["mlp_scale"], layer["mlp_shift"]))
            z = all_of(dense + jnp.einsum("ed,e...->d...", layer["back"], jax.nn.relu(hidden)))
    if "scale" in readout:
        z = _normed_stream(z, readout["scale"], readout["shift"])
    return out_of_blocks(z.times(readout["w"]).dense(), math.prod(batch)).reshape(*batch, t, -1)


def _attended(model: CausalTransformer, layer: Layer, z: Stream, inner: Stream) -> Stream:
    """z after attention to ``inner``, which is z or its layer norm."""
    d, heads, t = model.width, model.heads, inner.features.shape[2]
    size = d // heads
    out = layer["out"] if "out" in layer else jnp.eye(d, dtype=inner.vectors.dtype)
    features, vectors, base = [z.features], [z.vectors], z.base
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        query = inner.times(layer["q"][:, part] / math.sqrt(size))
        key, value = inner.times(layer["k"][:, part]), inner.times(layer["v"][:, part])
        positions = layer["positions"][:t, part] if "positions" in layer else None
        shared = _in_features if len(inner.features) < size else _in_dimensions
        mean = shared(query, key, value, positions).times(out[part])
        features.append(mean.features)
        vectors.append(mean.vectors)
        base = base + mean.base
    return Stream(jnp.concatenate(features), jnp.concatenate(vectors), base).few()


def _in_features(query: Stream, key: Stream, value: Stream, positions: Float[Array, "t j"] | None) -> Stream:
    """A head's output where there are fewer features than dimensions.

    A key's base adds the same number to all scores of a query, which the softmax does not see.
    """
    features = query.features
    asked = query.times(key.vectors.T).dense()
    if positions is None:
        nothing = jnp.zeros((features.shape[2], 0), features.dtype)
        return value._replace(features=attend(asked, features, features[:0], nothing, features))
    with_base = jnp.concatenate([jnp.ones_like(features[:1]), features])
    table = positions @ jnp.concatenate([query.base[None], query.vectors]).T
    return value._replace(features=attend(asked, features, with_base, table, features))


def _in_dimensions(query: Stream, key: Stream, value: Stream, positions: Float[Array, "t j"] | None) -> Stream:
    """A head's output from queries, keys and values as they are."""
    asked = query.dense()
    if positions is None:
        nothing = jnp.zeros((asked.shape[2], 0), asked.dtype)
        return all_of(attend(asked, key.dense(), asked[:0], nothing, value.dense()))
    return all_of(attend(asked, key.dense(), asked, positions, value.dense()))


def _from_table(one_hot: Float[Array, "others blocks t 16"], table: Float[Array, "k d"]) -> Stream:
    """A vector per token; ``one_hot`` leaves the first token out."""
    return Stream(one_hot, table[1:] - table[0], table[0])


def _normed_stream(z: Stream, scale: Float[Array, " d"], shift: Float[Array, " d"]) -> Stream:
    """The layer norm of z: centred vectors, and features over the deviation of their position."""
    if len(z.features) + 1 >= len(z.base):
        return all_of(_normed(z.dense(), scale, shift))
    vectors = jnp.concatenate([z.base[None], z.vectors])
    centred = vectors - jnp.mean(vectors, axis=-1, keepdims=True)
    features = jnp.concatenate([jnp.ones_like(z.features[:1]), z.features])
    # The mean square over d entries, as a quadratic form of the features.
    products = jnp.einsum("fd,gd->fg", centred, centred) / len(shift)
    variance = jnp.sum(features * jnp.einsum("fg,f...->g...", products, features), axis=0)
    inverse = jax.lax.rsqrt(jnp.maximum(variance, 0.0) + EPSILON)
    return Stream(inverse * features, scale * centred, shift)


def _normed(z: Float[Array, "d ..."], scale: Float[Array, " d"], shift: Float[Array, " d"]) -> Float[Array, "d ..."]:
    """The layer norm over the first axis."""
    along = lambda row: row.reshape(-1, *[1] * (z.ndim - 1))
    return along(scale) * (z - jnp.mean(z, axis=0)) * _inverse_deviation(z) + along(shift)


def _inverse_deviation(z: Float[Array, "d ..."]) -> Float[Array, "..."]:
    return jax.lax.rsqrt(jnp.mean((z - jnp.mean(z, axis=0)) ** 2, axis=0) + EPSILON)
