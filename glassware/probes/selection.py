"""Which tokens a Transformer attends to from [CLS]: the hidden bits of a junta, or others."""

from __future__ import annotations

from glassware.foundation.arrays import Array, Float, Params, RunValues
from glassware.foundation.backend import jnp
from glassware.foundation.draws import held_out_key
from glassware.probes.subject import Candidate, Found, Subject

ROWS, SHOWN = 1000, 100  # held-out examples that are measured, and those whose weights are kept one by one
NETWORK = "cls-transformer"


def selection(run: Subject, values: RunValues, params: Params) -> Found:
    """Attention of the last layer on held-out examples, the mean over heads.

    ``selected_0``, ``selected_1``: the mean share on the hidden positions, by class. ``irrelevant_weight``: the mean
    share of one other bit. ``largest_irrelevant_0``, ``largest_irrelevant_1``: the largest. ``zero_weight``,
    ``one_weight``: the mean share of a hidden bit that is 0, that is 1. ``cls_weight``: of [CLS] itself.
    ``attention`` (100, T + 1) and ``attention_class`` (100,): the first examples one by one.
    """
    raw = run.task.raw(held_out_key(), jnp.arange(ROWS, dtype=jnp.uint32))
    x, y = run.task.inputs(values["task"], raw), run.task.targets(values["task"], raw)
    weights = jnp.mean(run.network.cls_attention(params, x), axis=-1)
    bits = weights[:, :-1]
    hidden = jnp.zeros(x.shape[-1]).at[values["task"]["support"]].set(1.0)
    others = jnp.where(hidden > 0, 0.0, bits)
    found = {
        "irrelevant_weight": jnp.sum(others) / (ROWS * jnp.sum(1 - hidden)),
        "zero_weight": _mean(bits, hidden * (1 - x)),
        "one_weight": _mean(bits, hidden * x),
        "cls_weight": jnp.mean(weights[:, -1]),
        "attention": weights[:SHOWN],
        "attention_class": y[:SHOWN].astype(jnp.float32),
    }
    for label in (0, 1):
        these = (y == label).astype(jnp.float32)
        found[f"selected_{label}"] = _mean(bits @ hidden, these)
        found[f"largest_irrelevant_{label}"] = jnp.max(others * these[:, None])
    return found


def check_selection(run: Candidate) -> None:
    """Refuse models without a [CLS] token that attends."""
    if run.model.name != NETWORK:
        raise ValueError(f"the probe 'selection' needs the model '{NETWORK}', not '{run.model.name}'")


def _mean(numbers: Float[Array, "*shape"], weights: Float[Array, "*shape"]) -> Float[Array, ""]:
    return jnp.sum(numbers * weights) / jnp.sum(weights)
