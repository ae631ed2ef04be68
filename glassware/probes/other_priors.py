"""How a model fares on chains of other priors than the one that it is trained on."""

from __future__ import annotations

from glassware.foundation.arrays import Array, Float, Int, Params, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.probes.held_out_chains import held_out_chains
from glassware.probes.strategies import check_chains, divergence
from glassware.probes.subject import Candidate, Numbers, Subject
from glassware.theory.birkhoff import LARGEST

PRIORS = {"unigram": "unigram", "doubly_stochastic": "doubly-stochastic"}  # by column
CHAINS, BLOCK = 1024, 32  # of each prior, examined so many at a time


def other_priors(run: Subject, values: RunValues, params: Params) -> Numbers:
    """``truth_distance_unigram`` and ``truth_distance_doubly_stochastic``: the mean of KL(truth || model) after the
    last position, over held-out chains of these priors."""

    def distance(block: tuple[Int[Array, "block t"], Float[Array, "block k"]]) -> Float[Array, ""]:
        tokens, truth = block
        said = run.network.apply(params, tokens)[..., -1, :]
        return jnp.mean(divergence(truth, jax.nn.log_softmax(said)))

    chains = [held_out_chains(run.task.with_prior(prior), CHAINS) for prior in PRIORS.values()]
    # All priors in one loop: a loop for each would be compiled once more.
    blocks = jax.tree.map(lambda *a: jnp.concatenate(a).reshape(-1, BLOCK, a[0].shape[-1]), *chains)
    means = jnp.mean(jax.lax.map(distance, blocks).reshape(len(PRIORS), -1), axis=1)
    return {f"truth_distance_{name}": mean for name, mean in zip(PRIORS, means, strict=True)}


def check_other_priors(run: Candidate) -> None:
    """Refuse tasks that have no other priors."""
    check_chains("other_priors", run)
    if run.task.states > LARGEST or run.task.order != 2:  # type: ignore[attr-defined]
        raise ValueError(f"the probe 'other_priors' needs chains of order 2 with at most {LARGEST} states")
