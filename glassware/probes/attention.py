"""What the heads of a causal transformer attend to: the previous token, and what followed earlier copies of this one.

Measured on the first held-out chains. Of several heads the largest score of the first layer counts, and the mean of the
last layer's.
"""

from __future__ import annotations

from typing import TypeAlias

from glassware.foundation.arrays import Array, Float, Int, Params, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.probes.outputs import Blocks
from glassware.probes.subject import Candidate, Found, Sample, Subject

TRANSFORMER = "causal-transformer"
LOOKED_AT = 128  # held-out chains that are looked at
ROWS = 8  # positions from which on attention is called even or not: earlier rows have few keys
MATCHES = 4  # earlier copies of the current token from which on attention to them is called even or not
OFFSETS = 16  # look-backs whose scores are kept

Weights: TypeAlias = Float[Array, "*batch heads queries keys"]


def attention(run: Subject, values: RunValues, params: Params, exam: Sample) -> Found:
    """Of the first layer: ``prev_score``, the mean weight on the previous token; ``prev_heads``, the same by head;
    ``prev_argmax``, the share of positions at which it is the largest; ``first_peak``, the largest weight times the
    number of keys, 1 where attention is even.

    Of the last layer, at the last position: ``induction_score``, the weight on tokens that follow earlier copies of the
    current one; ``induction_norm``, the same on a scale from 0 (even attention to all) to 1; ``match_evenness``,
    exp(entropy) of the weights on those n tokens over n; ``recency``, n times the share of the latest.
    """
    blocks = jax.tree.map(lambda a: a[: max(1, LOOKED_AT // a.shape[1])], exam.raw)

    def measured(raw: Blocks) -> tuple[Found, Found]:
        tokens = run.task.inputs(values["task"], raw)  # type: ignore[arg-type]  # tokens and matrices
        layers = run.network.attention(params, tokens)
        peaks, previous = _first_layer(layers[0])
        return {**previous, **last_layer(layers[-1][..., -1, :], tokens)}, peaks

    sums, peaks = jax.lax.map(measured, blocks)
    mean = {name: jnp.mean(value, axis=0) for name, value in sums.items()}
    several = jnp.maximum(mean.pop("several"), 1e-9)
    even = {name: mean[name] / several for name in ("match_evenness", "recency")}
    return {
        **mean, **even, "first_peak": jnp.max(peaks["first_peak"]),
        "prev_score": jnp.max(mean["prev_heads"]), "prev_argmax": jnp.max(mean["prev_argmax"]),
    }  # fmt: skip


def positions(run: Subject, values: RunValues, params: Params) -> Found:
    """What the first layer's relative positions say for themselves: ``position_scores``, before the softmax, mean over
    tokens, head after head; ``vhat``, the same after a softmax over all offsets; ``vhat_spread``, the largest total
    variation between one token's and the mean."""
    scores = run.network.positional_scores(params)
    each = jax.nn.softmax(scores, axis=-1)
    mean = jnp.mean(each, axis=1)
    return {
        "position_scores": jnp.mean(scores, axis=1)[:, :OFFSETS].reshape(-1),
        "vhat": mean[:, :OFFSETS].reshape(-1),
        "vhat_spread": jnp.max(jnp.sum(jnp.abs(each - mean[:, None]), axis=-1)) / 2,
    }


def check_attention(run: Candidate) -> None:
    """Refuse models without attention."""
    if run.model.name != TRANSFORMER:
        raise ValueError(f"probes of attention need the model '{TRANSFORMER}', not '{run.model.name}'")


def check_positions(run: Candidate) -> None:
    """Refuse models without relative positions."""
    check_attention(run)
    if getattr(run.model, "positions", None) != "relative":
        raise ValueError("the probe 'positions' needs a model with relative positions")


def _first_layer(weights: Weights) -> tuple[Found, Found]:
    """How far from even, and how much on the previous token, by head."""
    places = jnp.arange(weights.shape[-1])
    keys = jnp.where(places + 1 >= ROWS, places + 1.0, 0.0)
    previous = jnp.diagonal(weights, offset=-1, axis1=-2, axis2=-1)
    largest = jnp.argmax(weights[..., 1:, :], axis=-1) == places[:-1]
    by_head = lambda a: jnp.mean(a, axis=(0, 2))
    peak = jnp.max(keys * jnp.max(weights, axis=-1))
    return {"first_peak": peak}, {"prev_heads": by_head(previous), "prev_argmax": by_head(largest * 1.0)}


def last_layer(weights: Float[Array, "batch heads t"], tokens: Int[Array, "batch t"]) -> Found:
    """How the last query spreads its attention over what followed earlier copies of its token; means over chains, of
    evenness and recency over those with several copies only, and ``several``, their share."""
    follows = jnp.pad(tokens[:, :-1] == tokens[:, -1:], ((0, 0), (1, 0)))[:, None]
    n = jnp.sum(follows, axis=-1)
    score = jnp.sum(weights * follows, axis=-1)
    base = n / tokens.shape[-1]
    share = jnp.where(follows, weights, 0.0) / jnp.maximum(score, 1e-30)[..., None]
    entropy = -jnp.sum(jnp.where(share > 0, share * jnp.log(jnp.where(share > 0, share, 1.0)), 0.0), axis=-1)
    latest = tokens.shape[-1] - 1 - jnp.argmax(follows[..., ::-1], axis=-1)
    last = jnp.take_along_axis(share, jnp.broadcast_to(latest[..., None], (*score.shape, 1)), axis=-1)[..., 0]
    several = (n >= MATCHES) * 1.0
    found = {
        "induction_score": score, "induction_norm": (score - base) / (1 - base),
        "match_evenness": several * jnp.exp(entropy) / jnp.maximum(n, 1), "recency": several * n * last,
        "several": several,
    }  # fmt: skip
    return {name: jnp.mean(value) for name, value in found.items()}
