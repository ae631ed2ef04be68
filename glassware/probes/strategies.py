"""In-context Markov chains: which counting strategy a model is near, and the weights of the minimal model.

Predictions are looked at after the last position, on the held-out chains.
"""

from __future__ import annotations

from collections.abc import Mapping

from glassware.foundation.arrays import Array, EitherArray, Float, Params, RunValues
from glassware.foundation.backend import jax, jnp
from glassware.probes.outputs import Blocks, mean_over
from glassware.probes.subject import Candidate, Found, Numbers, Sample, Subject
from glassware.theory.markov.between import FITTED_TO, Strategy, between
from glassware.theory.markov.strategies import ngram, uniform

CHAINS, MINIMAL = "markov-chain", ("minimal-induction", "softmax-induction")
NGRAMS = {1: "unigram", 2: "bigram", 3: "trigram"}


def strategies(run: Subject, values: RunValues, params: Params, exam: Sample) -> Numbers:
    """``truth_distance``: the mean of KL(truth || model), the truth being the law that the next token is drawn from;
    ``distance_uniform``, ``distance_unigram``, ``distance_bigram`` and, for chains of order 3, ``distance_trigram``:
    the mean of KL(strategy || model)."""
    return _distances(run, values, params, exam, {})


def all_strategies(run: Subject, values: RunValues, params: Params, exam: Sample) -> Numbers:
    """Beside these ``distance_unigram_self`` and, for two states, ``distance_lookback_logit``: from strategies that
    know more than unigrams and less than bigrams."""
    return _distances(run, values, params, exam, between(run.task.states, run.task.length))


def minimal_weights(run: Subject, values: RunValues, params: Params) -> Found:
    """``v`` and ``w`` (its rows one after the other); ``diagonal_ratio``: the mean of W's diagonal over the mean size
    of its other entries, 0 where W is 0; ``second_lead``: v_2, the weight of the previous token, over the largest
    other."""
    v, w = jnp.asarray(params[0]["v"]), jnp.asarray(params[1]["w"])
    k = len(w)
    diagonal = jnp.trace(w) / k
    others = (jnp.sum(jnp.abs(w)) - jnp.sum(jnp.abs(jnp.diagonal(w)))) / (k * (k - 1))
    rivals = jnp.where(jnp.arange(len(v)) == 1, -jnp.inf, v)
    return {
        "v": v,
        "w": w.reshape(-1),
        "diagonal_ratio": jnp.where(diagonal == 0, 0.0, diagonal / others),
        "second_lead": v[1] / jnp.max(rivals),
    }


def check_strategies(run: Candidate) -> None:
    """Refuse tasks without chains."""
    check_chains("strategies", run)


def check_all_strategies(run: Candidate) -> None:
    """Refuse chains that no strategy was fitted to."""
    check_chains("all_strategies", run)
    task = run.task
    if task.states not in FITTED_TO or task.prior != "dirichlet" or task.alpha is not None or task.order != 2:  # type: ignore[attr-defined]
        raise ValueError("the probe 'all_strategies' needs two or three states under the flat prior")


def check_chains(probe: str, run: Candidate) -> None:
    """Refuse tasks without chains."""
    if run.task.name != CHAINS:
        raise ValueError(f"the probe '{probe}' needs the task '{CHAINS}', not '{run.task.name}'")


def check_minimal_weights(run: Candidate) -> None:
    """Refuse models without v and W."""
    if run.model.name not in MINIMAL:
        raise ValueError(f"the probe 'minimal_weights' needs the model '{MINIMAL[0]}', not '{run.model.name}'")


def _distances(
    run: Subject, values: RunValues, params: Params, exam: Sample, others: Mapping[str, Strategy]
) -> Numbers:
    task = run.task
    alpha = 1.0 if task.alpha is None else task.alpha
    counting = {name: n for n, name in NGRAMS.items() if n <= max(2, task.order)}

    def distances(raw: Blocks) -> dict[str, Float[Array, ""]]:
        tokens = task.inputs(values["task"], raw)  # type: ignore[arg-type]  # tokens and matrices
        said = jax.nn.log_softmax(run.network.apply(params, tokens)[..., -1, :])
        laws = {"truth_distance": task.truth(raw), "distance_uniform": uniform(tokens, task.states)}
        laws |= {f"distance_{name}": ngram(tokens, task.states, n, alpha) for name, n in counting.items()}
        laws |= {f"distance_{name}": strategy(tokens) for name, strategy in others.items()}
        return {name: jnp.mean(divergence(law, said)) for name, law in laws.items()}

    return mean_over(exam.raw, distances)


def divergence(law: Float[EitherArray, "*batch k"], said: Float[Array, "*batch k"]) -> Float[Array, " *batch"]:
    """KL(law || exp(said)); from log-probabilities, which are finite where probabilities round to 0."""
    possible = law > 0
    return jnp.sum(jnp.where(possible, law * (jnp.log(jnp.where(possible, law, 1.0)) - said), 0.0), axis=-1)
