"""The Parity Transformer: one layer of attention from a [CLS] token, then one MLP block (Hidden Progress)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, EitherArray, Float, LaneValues, Params
from glassware.foundation.backend import jax, jnp
from glassware.models.init import matrix, normal
from glassware.models.model import Model
from glassware.models.two_tables import shares
from glassware.tasks.task import Task

Size = Annotated[int, Field(ge=1, le=100_000)]

MINUS, PLUS, CLS = 0, 1, 2  # rows of the token embeddings


class Transformer(Model):
    """Tokens E_{x_i} + P_i and a [CLS] token without a position; the output is read at [CLS]. No layer norm.

    a = E_cls + sum_h softmax(q_h . k_h / sqrt(d_attn)) v_h W_out^h over all n+1 tokens, with q_h from [CLS];
    z = a + W_2 GeLU(W_1 a + b_1) + b_2; yhat = u . z.

    Embeddings start as N(0, 1) and biases at 0. Matrices follow the init scheme, each head's with its own fans; the
    paper's choice is ``glorot``.

    Attributes:
        d_emb: length of an embedding.
        heads: number of heads H.
        d_attn: length of a head's queries, keys and values.
        d_mlp: hidden units of the MLP block; ``d_emb`` unless given.

    >>> import glassware as gw
    >>> run = gw.Run(task=gw.Parity(n=20, k=3), model=gw.Transformer(heads=8), init=gw.Init(scheme="glorot"))
    >>> run.model.heads
    8
    """

    name: Literal["transformer"] = "transformer"
    d_emb: Size = 1024
    heads: Size = 128
    d_attn: Size = 8
    d_mlp: Size | None = None

    @model_validator(mode="after")
    def _resolved(self) -> Self:
        # The resolved spec names the size, so that a default and its spelt-out form are one run.
        object.__setattr__(self, "d_mlp", self.d_mlp or self.d_emb)
        return self

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.d_emb, self.d_mlp or self.d_emb)

    @property
    def layers(self) -> int:
        """Embeddings, queries and keys, values and their way out, into the MLP block, out of it, the readout."""
        return 6

    def check(self, task: Task, scheme: str) -> None:
        if scheme == "sparse":
            raise ValueError("the init scheme 'sparse' does not fit a transformer: no layer sees the input coordinates")

    def init(self, values: LaneValues, task: Task) -> Params:
        inputs = task.input_size
        d, attn, (_, mlp) = self.d_emb, self.d_attn, self.widths
        keys, across = values["keys"], self.heads * attn
        return (
            {"tokens": normal(keys[0], 3, d), "positions": normal(keys[1], inputs, d)},
            {"q": matrix(values, keys[2], d, across, d, attn), "k": matrix(values, keys[3], d, across, d, attn)},
            {"v": matrix(values, keys[4], d, across, d, attn), "out": matrix(values, keys[5], across, d, attn, d)},
            {"w": matrix(values, keys[6], d, mlp, d, mlp), "b": jnp.zeros(mlp)},
            {"w": matrix(values, keys[8], mlp, d, mlp, d), "b": jnp.zeros(d)},
            {"w": matrix(values, keys[10], d, 1, d, 1)},
        )

    def apply(self, params: Params, x: Float[Array, "*batch n"]) -> Float[Array, " *batch"]:
        embed, _, after, into, out, readout = params
        attended = self._attention(params, x)
        a = embed["tokens"][CLS] + attended @ after["out"]
        z = a + jax.nn.gelu(a @ into["w"] + into["b"], approximate=False) @ out["w"] + out["b"]
        return (z @ readout["w"])[..., 0]

    def _attention(
        self, params: Params, x: Float[Array, "*batch n"]
    ) -> Float[Array, "*batch {self.heads}*{self.d_attn}"]:
        """What each head brings to [CLS].

        A position holds one of two tokens, so there are 2n+1 tokens in all: their logits and values are made once per
        step, not once per example, and an example picks its own n+1 of them.
        """
        embed, before, after = params[:3]
        tokens, heads, attn = embed["tokens"], self.heads, self.d_attn
        query = (tokens[CLS] @ before["q"]).reshape(heads, attn) / jnp.sqrt(jnp.float32(attn))
        # Every key is only ever multiplied by the one query: fold it into the matrix first.
        to_logit = jnp.einsum("ehj,hj->eh", before["k"].reshape(-1, heads, attn), query)
        token_logit, position_logit = tokens @ to_logit, embed["positions"] @ to_logit
        token_value, position_value = tokens @ after["v"], embed["positions"] @ after["v"]
        plus = (0.5 + 0.5 * x)[..., None]  # (batch, n, 1): 1 where the token is +1
        chosen = position_logit + token_logit[MINUS] + plus * (token_logit[PLUS] - token_logit[MINUS])
        share = shares(jnp.asarray(chosen), token_logit[CLS])  # (batch, n + 1, heads)

        def brought(
            share: Float[Array, "*batch tokens heads"], value: Float[EitherArray, "tokens heads_times_d"]
        ) -> Float[Array, "*batch heads d"]:
            return jnp.einsum("...nh,nhj->...hj", share, value.reshape(-1, heads, attn))

        # The values of a position differ by token only in the token's own: sum those by the share each token got.
        # (With a layer norm they differ in all, and ``two_tables.attend`` takes them as they are.)
        places, positive = share[..., :-1, :], jnp.sum(plus * share[..., :-1, :], axis=-2, keepdims=True)
        negative = jnp.sum(places, axis=-2, keepdims=True) - positive
        by_token = jnp.concatenate([negative, positive, share[..., -1:, :]], axis=-2)
        total = brought(places, position_value) + brought(by_token, token_value)
        return total.reshape(*x.shape[:-1], heads * attn)

    def parameters(self, task: Task) -> int:
        d, across, (_, mlp) = self.d_emb, self.heads * self.d_attn, self.widths
        return (3 + task.input_size) * d + 4 * d * across + 2 * d * mlp + mlp + d + d

    def forward_flops(self, task: Task, batch: int) -> float:
        inputs = task.input_size
        d, across, (_, mlp) = self.d_emb, self.heads * self.d_attn, self.widths
        once = (inputs + 3) * d * (self.heads + across) + 2 * d * across
        each = inputs * (across + 2 * self.heads) + across * d + 2 * d * mlp + d
        return 2.0 * (once + batch * each)

    def widest(self, task: Task) -> int:
        return max(*self.widths, self.heads * max(self.d_attn, task.input_size + 1))
