"""Attention of a causal transformer at the steps whose weights a run keeps, looked at when the run ends."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from glassware.foundation.arrays import Array, Float, Params, RunValues, Shaped
from glassware.foundation.backend import jax, jnp
from glassware.probes.attention import LOOKED_AT, check_attention, last_layer
from glassware.probes.held_out_chains import held_out_chains
from glassware.probes.strategies import check_chains
from glassware.probes.subject import Candidate, Found, Subject

SHOWN = 16  # tokens of the input whose maps are kept


def transplants(run: Subject, values: RunValues, params: Params, kept: Params) -> Found:
    """``transplant_norm``: the ``induction_norm`` of the last layer as it was at each kept step, behind the embedding
    and the other layers of the end: when it was ready, whatever the others still had to learn."""
    tokens = jnp.asarray(held_out_chains(run.task, LOOKED_AT)[0])
    *finished, _, readout = params

    def norm(layer: Mapping[str, Shaped[Array, "..."]]) -> Float[Array, ""]:
        weights = run.network.attention((*finished, layer, readout), tokens)[-1]
        return last_layer(weights[..., -1, :], tokens)["induction_norm"]  # type: ignore[return-value]

    return {"transplant_norm": jax.lax.map(norm, kept[-2])}


def short_maps(run: Subject, values: RunValues, params: Params, kept: Params) -> Found:
    """Attention to a short input: ``map_tokens``, the beginning of the first held-out chain in which no state is rare
    and the last one comes last; ``map_scores`` and ``map_weights``, before and after the softmax, one row per kept
    step, by layer, head, query and key (0 where the key lies ahead)."""
    states, chains = run.task.states, held_out_chains(run.task, LOOKED_AT)[0][:, :SHOWN]
    rarest = (chains[..., None] == np.arange(states)).sum(axis=1).min(axis=-1)
    tokens = chains[((chains[:, -1] == states - 1) & (rarest >= SHOWN // (2 * states))).argmax()]
    scores = jax.lax.map(lambda step: jnp.stack(run.network.layer_scores(step, jnp.asarray(tokens))), kept)
    rows = lambda a: a.reshape(len(a), -1)
    return {
        "map_tokens": jnp.asarray(tokens, jnp.float32),
        "map_scores": rows(jnp.where(jnp.isfinite(scores), scores, 0.0)),
        "map_weights": rows(jax.nn.softmax(scores, axis=-1)),
    }


def check_kept(run: Candidate) -> None:
    """Refuse models without attention, and runs that keep no weights."""
    check_attention(run)
    check_chains("transplants", run)
    if not any(isinstance(step, int) for step in getattr(run, "keep", ())):
        raise ValueError("the probes 'short_maps' and 'transplants' need steps whose weights are kept: give keep")
