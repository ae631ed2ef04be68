"""How good the features of a hidden layer are, whatever the readout has learned."""

from __future__ import annotations

from glassware.foundation.arrays import Array, Float, Params, RunValues, Shaped
from glassware.foundation.backend import jax, jnp
from glassware.foundation.draws import held_out_key
from glassware.probes.subject import Candidate, Numbers, Subject

RIDGE = 1e-6  # relative to the mean square of the features; less is lost in float32
MOST_EXAMPLES = 100_000  # their features are held at once


def solved_readout(run: Subject, values: RunValues, params: Params) -> Numbers:
    """Held-out error of the least-squares readout of the hidden layer on the run's own sample: ``solved_error``."""
    task, hidden, keys = run.task, params[0], values["keys"]
    sample, fresh = (jnp.arange(size, dtype=jnp.uint32) for size in (run.m, run.evaluation.test))

    def features(raw: Shaped[Array, " batch *form"]) -> Float[Array, "batch features"]:
        units = run.network.sigma(task.inputs(values["task"], raw) @ hidden["w"] + hidden["b"])
        return jnp.concatenate([jnp.ones_like(units[:, :1]), units], axis=1)

    with jax.default_matmul_precision("highest"):
        raw = task.raw(keys["example"], sample)
        phi, y = features(raw), task.train_targets(values["task"], keys["noise"], sample, raw)
        gram = phi.T @ phi
        gram = gram + RIDGE * jnp.trace(gram) / len(gram) * jnp.eye(len(gram))
        readout = jnp.linalg.solve(gram, phi.T @ y)
        raw = task.raw(held_out_key(), fresh)
        right = task.targets(values["task"], raw) * (features(raw) @ readout) > 0
    return {"solved_error": jnp.mean(~right)}


def solvable(run: Candidate) -> None:
    """The check of a probe that solves for the readout of one hidden layer on a sample of fixed size."""
    if not run.model.layered or len(run.model.widths) != 1 or run.task.kind != "sign" or run.task.domain is not None:
        raise ValueError("the probe 'solved_readout' needs a network of one hidden layer and a task of signs")
    if run.batch != "full" or run.m is None or run.m > MOST_EXAMPLES:
        raise ValueError(f"the probe 'solved_readout' needs a full batch of at most {MOST_EXAMPLES} examples")
