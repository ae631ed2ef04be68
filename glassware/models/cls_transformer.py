"""The Transformer of the variable-creation experiments: pre-LN, read at a [CLS] token, with dropout (ch. 4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from glassware.foundation.arrays import Array, EitherArray, Float, LaneValues, Params, Shaped
from glassware.foundation.backend import jax, jnp
from glassware.foundation.bounds import Fraction
from glassware.models import dropped_attention
from glassware.models.dropout import Dropout
from glassware.models.init import normal
from glassware.models.layer_norm import centre_and_scale, layer_norm
from glassware.models.model import Model
from glassware.models.two_tables import Tables, attend, chosen_shares
from glassware.tasks.task import Kind, Task

Size = Annotated[int, Field(ge=1, le=4096)]
Layer: TypeAlias = Mapping[str, Shaped[EitherArray, "..."]]

CLS = 2  # row of the token embeddings; 0 and 1 are the bits
START = 0.02  # standard deviation of first weights
EMBEDDING, ATTENTION, OUTPUT, BLOCK = 0, 1, 2, 3  # where numbers are dropped; three more per further layer


class ClsTransformer(Model):
    """Bits as tokens E_b + P_t and, last, a [CLS] token with a position of its own; two logits are read at [CLS].

    z <- z + W_O MHA(LN(z)), z <- z + MLP(LN(z)) in every layer; logits are W LN(z) at [CLS]. All maps but the last have
    biases, the MLP has 4d GELU units. Weights start as N(0, 0.02^2), biases at 0.

    Attributes:
        width: d, length of an embedding.
        heads: H.
        d_attn: k, length of a head's queries, keys and values.
        depth: L, layers.
        attention_dropout: on attention weights, in training.
        embedding_dropout: on every number of the embedded tokens.
        output_dropout: on what attention and MLP add.

    >>> import glassware as gw
    >>> gw.ClsTransformer().parameters(gw.Junta(length=100, relevant=3))
    56896
    """

    name: Literal["cls-transformer"] = "cls-transformer"
    width: Size = 64
    heads: Size = 16
    d_attn: Size = 4
    depth: Annotated[int, Field(ge=1, le=12)] = 1
    attention_dropout: Fraction = 0.1
    embedding_dropout: Fraction = 0.1
    output_dropout: Fraction = 0.1

    kinds: ClassVar[tuple[Kind, ...]] = ("class",)

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.width,)

    @property
    def layers(self) -> int:
        """The embedding, every layer, the readout."""
        return self.depth + 2

    @property
    def drops(self) -> bool:
        return max(self.attention_dropout, self.embedding_dropout, self.output_dropout) > 0

    def columns(self, role: str) -> dict[str, object]:
        return {**super().columns(role), "depth": self.depth}

    def check(self, task: Task, scheme: str) -> None:
        if scheme != "dense":
            raise ValueError(f"the model '{self.name}' has first weights of its own: leave init.scheme out")
        if task.name != "junta":
            raise ValueError(f"the model '{self.name}' reads bits: it needs the task 'junta', not '{task.name}'")

    def init(self, values: LaneValues, task: Task) -> Params:
        d, across, keys = self.width, self.heads * self.d_attn, values["keys"]
        norm = lambda name: {f"{name}_scale": jnp.ones(d), f"{name}_shift": jnp.zeros(d)}
        zeros = lambda **sizes: {name: jnp.zeros(size) for name, size in sizes.items()}
        drawn = lambda key, rows, columns: START * normal(key, rows, columns)
        found = [{"tokens": drawn(keys[0], 3, d), "positions": drawn(keys[1], task.input_size + 1, d)}]
        for i in range(1, self.depth + 1):
            # Two blocks of random numbers per layer, dealt out to its arrays.
            into = drawn(keys[2 * i], d, 3 * across + 4 * d)
            back = drawn(keys[2 * i + 1], across + 4 * d, d)
            q, k, v, up = jnp.split(into, [across, 2 * across, 3 * across], axis=1)
            weights = {"q": q, "k": k, "v": v, "out": back[:across], "up": up, "down": back[across:]}
            biases = zeros(q_bias=across, k_bias=across, v_bias=across, out_bias=d, up_bias=4 * d, down_bias=d)
            found.append({**weights, **biases, **norm("attention"), **norm("mlp")})
        readout = {"w": drawn(keys[2 * self.depth + 2], d, task.classes), "scale": jnp.ones(d), "shift": jnp.zeros(d)}
        return (*found, readout)

    # -- outputs --------------------------------------------------------------------------------------------------

    def apply(self, params: Params, x: Float[Array, "batch T"]) -> Float[Array, "batch classes"]:
        return self._outputs(params, x, None)

    def apply_training(self, params: Params, x: Float[Array, "batch T"], dropout: Dropout) -> Float[Array, "batch 2"]:
        return self._outputs(params, x, dropout)

    def cls_attention(self, params: Params, x: Float[Array, "batch T"]) -> Float[Array, "batch tokens heads"]:
        """The last layer's attention weights from [CLS], itself last."""
        if self.depth == 1:
            return chosen_shares(self._tables(params), x)
        z = self._through(params, x, None)
        return jnp.swapaxes(self._shares(params[-2], z, *centre_and_scale(z)), 1, 2)

    def _outputs(self, params: Params, x: Float[Array, "batch T"], dropout: Dropout | None) -> Float[Array, "batch 2"]:
        last, readout = params[-2], params[-1]
        if self.depth == 1 and (dropout is None or not self.embedding_dropout):
            cls = self._cls(params)
            kept = self._kept(dropout, self.attention_dropout, ATTENTION, self.heads, x.shape[-1] + 1, axis=1)
            brought = attend(self._tables(params), x, kept)
        elif dropout and (kernel := self._kernel(params)):
            cls, brought = self._through_kernel(params, x, dropout, kernel)
        else:
            z = self._through(params, x, dropout)
            cls, brought = z[:, -1], self._mixed(last, z, dropout)
        added = brought.reshape(len(x), -1) @ last["out"] + last["out_bias"]
        z = cls + self._dropped(added, dropout, OUTPUT + 3 * (self.depth - 1))
        z = z + self._mlp(last, z, dropout, BLOCK + 3 * (self.depth - 1))
        return layer_norm(z, readout["scale"], readout["shift"]) @ readout["w"]

    def _mlp(
        self, layer: Layer, z: Float[Array, "*rows d"], dropout: Dropout | None, site: int
    ) -> Float[Array, "*rows d"]:
        inner = layer_norm(z, layer["mlp_scale"], layer["mlp_shift"])
        hidden = jax.nn.gelu(inner @ layer["up"] + layer["up_bias"], approximate=False)
        return self._dropped(hidden @ layer["down"] + layer["down_bias"], dropout, site)

    # -- one layer, all tokens as drawn: two tables ---------------------------------------------------------------

    def _cls(self, params: Params) -> Float[Array, " d"]:
        return jnp.asarray(params[0]["tokens"][CLS] + params[0]["positions"][-1])

    def _tables(self, params: Params) -> Tables:
        """Logits and values of the 2T + 1 tokens there are."""
        embedding, layer = params[0], params[1]
        bits = _bits(embedding)
        tokens = jnp.concatenate([bits.reshape(-1, self.width), self._cls(params)[None]])
        inner = layer_norm(tokens, layer["attention_scale"], layer["attention_shift"])
        logits = inner @ self._to_logit(layer, inner[-1]).T
        values = self._by_head(inner @ layer["v"] + layer["v_bias"])
        t = bits.shape[1]
        return Tables(logits[:t], logits[t:-1], logits[-1], values[:t], values[t:-1], values[-1])

    def _to_logit(self, layer: Layer, cls: Float[Array, "*batch d"]) -> Float[Array, "*batch heads d"]:
        """W_K q / sqrt(k) by head: every key is only ever multiplied by the query of [CLS].

        The bias of the keys adds the same to all logits, so that the softmax does not see it.
        """
        query = self._by_head(cls @ layer["q"] + layer["q_bias"]) / math.sqrt(self.d_attn)
        return jnp.einsum("dhj,...hj->...hd", self._by_head(layer["k"]), query)

    def _by_head(self, rows: Float[EitherArray, "*rows across"]) -> Float[Array, "*rows heads j"]:
        return jnp.reshape(rows, (*rows.shape[:-1], self.heads, self.d_attn))

    # -- tokens that differ by example: deeper networks, and dropout on embeddings --------------------------------

    def _through(
        self, params: Params, x: Float[Array, "batch T"], dropout: Dropout | None
    ) -> Float[Array, "batch tokens d"]:
        """Embedded tokens after all layers but the last."""
        low, high = self._both(params)
        z = jnp.where(jnp.pad(x, ((0, 0), (0, 1)))[..., None] > 0.5, high, low)
        kept = self._kept(dropout, self.embedding_dropout, EMBEDDING, *z.shape[1:])
        z = z if kept is None else z * kept
        for i, layer in enumerate(params[1:-2]):
            z = z + self._dropped(self._self_attention(layer, z, dropout, i), dropout, OUTPUT + 3 * i)
            z = z + self._mlp(layer, z, dropout, BLOCK + 3 * i)
        return z

    def _both(self, params: Params) -> list[Float[Array, "tokens d"]]:
        """The tokens of an example of zeros, and of one of ones.

        [CLS] is the last row of either: on a GPU joining it to all rows of all tokens took as long as the rest.
        """
        return [jnp.concatenate([bits, self._cls(params)[None]]) for bits in _bits(params[0])]

    def _self_attention(
        self, layer: Layer, z: Float[Array, "batch tokens d"], dropout: Dropout | None, i: int
    ) -> Float[Array, "batch tokens d"]:
        """All tokens look at all."""
        inner = layer_norm(z, layer["attention_scale"], layer["attention_shift"])
        q, k, v = (self._by_head(inner @ layer[name] + layer[f"{name}_bias"]) for name in ("q", "k", "v"))
        share = jax.nn.softmax(jnp.einsum("nqhj,nkhj->nhqk", q, k) / math.sqrt(self.d_attn), axis=-1)
        kept = self._kept(dropout, self.attention_dropout, ATTENTION + 3 * i, *share.shape[1:])
        share = share if kept is None else share * kept
        mixed = jnp.einsum("nhqk,nkhj->nqhj", share, v).reshape(*z.shape[:2], -1)
        return mixed @ layer["out"] + layer["out_bias"]

    def _mixed(
        self, layer: Layer, z: Float[Array, "batch tokens d"], dropout: Dropout | None
    ) -> Float[Array, "batch heads j"]:
        """What [CLS] gets. Tokens are averaged by head and then projected, for there are fewer heads than tokens.

        Their layer norm is never written out, as it would be read four times: it goes into the weights.
        """
        centre, scale = centre_and_scale(z)
        share = self._shares(layer, z, centre, scale)
        kept = self._kept(dropout, self.attention_dropout, ATTENTION + 3 * (self.depth - 1), *share.shape[1:])
        share = share if kept is None else share * kept
        scaled, total = share * scale[:, None], jnp.sum(share, axis=-1)
        mean = jnp.einsum("nht,ntd->nhd", scaled, z) - jnp.sum(scaled * centre[:, None], axis=-1)[..., None]
        return self._values(layer, mean, total)

    def _values(
        self, layer: Layer, mean: Float[Array, "batch heads d"], total: Float[Array, "batch heads"]
    ) -> Float[Array, "batch heads j"]:
        """From the mean of normed tokens, with weights of this sum, to that of their values."""
        mean = mean * layer["attention_scale"] + total[..., None] * layer["attention_shift"]
        values = jnp.einsum("nhd,dhj->nhj", mean, self._by_head(layer["v"]))
        return values + total[..., None] * self._by_head(layer["v_bias"])

    def _shares(
        self,
        layer: Layer,
        z: Float[Array, "batch tokens d"],
        centre: Float[Array, "batch tokens"],
        scale: Float[Array, "batch tokens"],
    ) -> Float[Array, "batch heads tokens"]:
        """Attention from [CLS]; what the shift of the layer norm adds to all logits is left out."""
        to_logit = self._asked(layer, z[:, -1])
        # This order of axes, swapped afterwards: on CPU cores others take up to five times as long.
        logits = jnp.einsum("ntd,nhd->nth", z, to_logit) - jnp.sum(to_logit, axis=-1)[:, None] * centre[..., None]
        return jax.nn.softmax(jnp.swapaxes(logits * scale[..., None], 1, 2), axis=-1)

    def _asked(self, layer: Layer, cls: Float[Array, "batch d"]) -> Float[Array, "batch heads d"]:
        """What normed tokens are multiplied by to give logits."""
        inner = layer_norm(cls, layer["attention_scale"], layer["attention_shift"])
        return self._to_logit(layer, inner) * layer["attention_scale"]

    # -- the same by a kernel of the engine: one layer, dropout on embeddings -------------------------------------

    def _kernel(self, params: Params) -> dropped_attention.Attend | None:
        fits = self.depth == 1 and params[0]["tokens"].dtype == jnp.float32
        return dropped_attention.kernel(self.width, self.heads) if fits else None

    def _through_kernel(
        self, params: Params, x: Float[Array, "batch T"], dropout: Dropout, kernel: dropped_attention.Attend
    ) -> tuple[Float[Array, "batch d"], Float[Array, "batch heads j"]]:
        """[CLS] as it is dropped, and what it gets: what ``_through`` and ``_mixed`` say, without tokens in memory."""
        layer, tokens = params[1], x.shape[-1] + 1
        coins = dropout.coins(self.embedding_dropout, EMBEDDING, (tokens, self.width))
        cls = self._cls(params) * coins.at(tokens - 1)
        rate = self.attention_dropout
        of_weights = dropout.coins(rate, ATTENTION, (self.heads, tokens)) if rate else None
        bits = jnp.pad(x, ((0, 0), (0, 1)))
        mean, total = kernel(jnp.stack(self._both(params)), self._asked(layer, cls), bits, coins, of_weights)
        return cls, self._values(layer, mean, total)

    # -- dropout --------------------------------------------------------------------------------------------------

    def _kept(
        self, dropout: Dropout | None, rate: float, site: int, *shape: int, axis: int = 0
    ) -> Float[Array, "rows ..."] | None:
        return None if dropout is None or not rate else dropout.kept(rate, site, shape, axis)

    def _dropped(self, added: Float[Array, "rows ..."], dropout: Dropout | None, site: int) -> Float[Array, "rows ..."]:
        kept = self._kept(dropout, self.output_dropout, site, *added.shape[1:])
        return added if kept is None else added * kept

    # -- sizes ----------------------------------------------------------------------------------------------------

    def forward_flops(self, task: Task, batch: int) -> float:
        """With two tables where tokens are as drawn; training with dropout on embeddings does more (``step_flops``)."""
        d, t, across = self.width, task.input_size + 1, self.heads * self.d_attn
        once = 2 * t * d * (self.heads + across)
        each = 2 * t * (self.heads + across) + across * d + 8 * d * d + 2 * d
        deeper = (self.depth - 1) * t * (4 * d * across + 2 * t * across + 8 * d * d)
        return 2.0 * (once + batch * (each + deeper))

    def step_flops(self, task: Task, batch: int) -> float:
        mixing = 4.0 * batch * (task.input_size + 1) * self.width * self.heads if self.embedding_dropout else 0.0
        return 3.0 * (self.forward_flops(task, batch) + mixing)

    def widest(self, task: Task) -> int:
        t = task.input_size + 1
        return max(4 * self.width, t) if self.depth == 1 else t * max(4 * self.width, self.heads * t)

    def held(self, task: Task) -> int:
        t = task.input_size + 1
        # Written out. A GPU's kernel takes an eighth of that, but its 32-bit places last for no more networks.
        own_tokens = self.embedding_dropout > 0 or self.depth > 1
        tokens = 3 * t * (self.heads + (self.width if own_tokens else 0))
        return tokens + 16 * self.width + (self.depth - 1) * t * (16 * self.width + 3 * self.heads * t)


def _bits(embedding: Layer) -> Float[Array, "2 T d"]:
    """What either bit is at every position."""
    return jnp.asarray(embedding["tokens"][:CLS, None] + embedding["positions"][None, :-1])
