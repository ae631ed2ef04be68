"""Tasks with finitely many examples, and classes instead of signs."""

import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import Stream, stream_key
from glassware.foundation.errors import GlasswareError
from glassware.sweeps.validation import build
from glassware.tasks import TASKS
from glassware.training import Loop, examples
from tests import reference
from tests.helpers import TINY
from tests.tasks.made import Sums, numbers, plainly

LR = 0.5


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setitem(TASKS, "sums", Sums)


def sums(**changes):
    exam = {"every": 10, "test": 100, "metrics": ["cross_entropy"], "stop": False, **changes.pop("evaluation", {})}
    optimiser = {"name": "sgd", "lr": LR}
    fixed = {"task": {"name": "sums"}, "model": {"width": 6}, "batch": 8, "steps": 40}
    return build({**fixed, "optimiser": optimiser, "evaluation": exam, **changes})


def order(run):
    """All examples in the run's own order: its sample first, what is held out behind."""
    return reference.permutation(stream_key(run.key(), Stream.EXAMPLE), 0, run.task.domain)


def measured(params, number):
    """Error and cross-entropy of a network on these examples, in NumPy."""
    x, y = plainly(number)
    first, last = (jax.tree.map(np.float64, layer) for layer in params)
    logits = np.maximum(x @ first["w"] + first["b"], 0) @ last["w"] + last["b"]
    log_sum = np.log(np.exp(logits).sum(axis=1))
    return np.mean(logits.argmax(axis=1) != y), np.mean(log_sum - logits[np.arange(len(y)), y])


@pytest.fixture(scope="module")
def batch():
    """The minibatch of a step, compiled once for all sizes of samples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TASKS, "sums", Sums)
        return jax.jit(Loop(sums().shape()).batch)


@pytest.mark.parametrize("m", [None, 1, 12, 24])
def test_training_draws_from_its_share_and_is_tested_on_all_the_others(batch, m):
    run = sums(m=m, evaluation={"train": 100}, keep=["first", "final"])
    sample, others = order(run)[:m], order(run)[m:] if m else range(25)  # with nothing left, all are tested
    assert set(sample) | set(others) == set(range(25))
    assert len(sample) + len(others) == (25 if m else 50)
    drawn = [batch(run.values(), t) for t in range(40)]
    x, y = np.concatenate([x for x, _ in drawn]), np.concatenate([y for _, y in drawn])
    assert set(numbers(x)) == set(sample)
    np.testing.assert_array_equal(y, plainly(numbers(x))[1])
    (outcome,) = train([run])
    for at, kept in ((0, "first"), (-1, "final")):
        for share, name in ((sample, "train"), (others, "test")):
            error, entropy = measured(outcome.weights[kept], share)
            assert outcome.curves[f"{name}_error"][at] == pytest.approx(error, abs=1e-6)
            assert outcome.curves[f"{name}_cross_entropy"][at] == pytest.approx(entropy, abs=1e-5)


@pytest.mark.parametrize("sampling", ["replacement", "epochs"])
def test_the_order_of_a_domain_is_made_once_and_no_step_or_evaluation_shuffles_it_again(sampling, monkeypatch):
    run = sums(m=12, sampling=sampling, evaluation={"train": 100})
    loop, values = Loop(run.shape()), run.values()
    state = loop.init(values)
    np.testing.assert_array_equal(state.order, order(run))
    monkeypatch.setattr(examples, "shuffled", None)  # calling it would fail
    jax.eval_shape(loop.step, values, state)
    jax.eval_shape(lambda state: loop.evaluate(values, state, None), state)


def test_a_domain_too_large_for_a_table_has_the_same_examples(batch, monkeypatch):
    monkeypatch.setattr(examples, "LARGEST_TABLE", 24)
    run = sums(m=12)
    without = Loop(run.shape())
    assert without.init(run.values()).order is None
    for t in range(3):
        for ours, tabled in zip(jax.jit(without.batch)(run.values(), t), batch(run.values(), t), strict=True):
            np.testing.assert_array_equal(ours, tabled)


def test_a_run_is_the_same_bit_for_bit_in_any_company():
    runs = [
        sums(m=m, sampling=sampling, seed=seed, keep=["final"])
        for m in (None, 3, 12)
        for sampling in ("replacement", "epochs")
        for seed in range(2)
    ]

    def found(lanes):
        outcomes = {outcome.run: outcome for outcome in train(runs, lanes=lanes)}
        return [[a.tobytes() for a in jax.tree.leaves((outcomes[run].curves, outcomes[run].weights))] for run in runs]

    assert found(1) == found(7)


@pytest.mark.parametrize("m", [None, 12])
def test_a_full_batch_follows_the_gradient_written_by_hand(m):
    run = sums(m=m, batch="full", keep=["first", 10, "final"])
    (outcome,) = train([run])
    x, y = plainly(range(25) if m is None else order(run)[:m])
    first, last = (jax.tree.map(np.float64, layer) for layer in outcome.weights["first"])
    params = [first["w"], first["b"], last["w"], last["b"]]
    begun = [p.copy() for p in params]
    for t in range(1, run.steps + 1):
        W, b, V, c = params
        h = x @ W + b
        odds = np.exp(np.maximum(h, 0) @ V + c)
        slope = (odds / odds.sum(axis=1, keepdims=True) - np.eye(5)[y]) / len(y)
        back = slope @ V.T * (h > 0)
        gradient = [x.T @ back, back.sum(axis=0), np.maximum(h, 0).T @ slope, slope.sum(axis=0)]
        params = [p - LR * g for p, g in zip(params, gradient, strict=True)]
        if t in (10, run.steps):
            found = jax.tree.leaves(outcome.weights["10" if t == 10 else "final"])
            for ours, plain in zip(found, [params[1], params[0], params[3], params[2]], strict=True):
                np.testing.assert_allclose(ours, plain, atol=1e-5)
    assert max(np.abs(p - q).max() for p, q in zip(params, begun, strict=True)) > 0.1


def test_a_small_network_learns_the_sums():
    (outcome,) = train([sums(model={"width": 64}, batch="full", steps=1000, evaluation={"success": 0.0, "stop": True})])
    assert outcome.success_step is not None
    assert outcome.curves["test_error"][0] > 0.5


def test_runs_of_one_shape_may_have_samples_of_any_size():
    assert len({sums(m=m).shape() for m in (None, 3, 20)}) == 1
    assert len({sums(m=m, batch="full").shape() for m in (None, 3, 20)}) == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"m": 26}, "m must be at most the 25 examples of 'sums', not 26"),
        ({"loss": "hinge"}, "the loss 'hinge' does not fit the task 'sums'; use cross-entropy"),
        ({"model": {"name": "polynet", "degree": 2}}, "the model 'polynet' does not fit the task 'sums'"),
        ({"evaluation": {"metrics": ["hinge_loss"]}}, "the metric 'hinge_loss' does not fit the task 'sums'"),
        ({"model": {"name": "kernel-ridge", "kernel": "rbf"}, "m": 5}, "predicts signs, not what 'sums' asks for"),
        ({"batch": "full", "sampling": "epochs"}, "a full batch is not sampled: leave sampling out"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(change, sentence):
    with pytest.raises(GlasswareError) as caught:
        sums(**change)
    assert sentence in str(caught.value)


def test_a_full_batch_of_an_endless_task_is_refused():
    with pytest.raises(GlasswareError, match=r"^a full batch needs a fixed sample: give m$"):
        build({**TINY, "batch": "full"})
