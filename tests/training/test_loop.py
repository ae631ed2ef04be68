import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.sweeps import grid
from glassware.sweeps.validation import build
from glassware.training import Loop
from tests import reference
from tests.helpers import TINY, tiny, weights_along

TOLERANCE = 1e-4  # float32 on the device against float64 in the reference, over 200 steps; about 1e-6 is seen

SPARSE = {"scheme": "sparse", "s": 2}


def spec(n, k, width, **more):
    every = {"evaluation": {"every": 100}}
    return {"task": {"n": n, "k": k}, "model": {"width": width}, "steps": 200, **every, **more}


CASES = {
    "odd k, offline": spec(50, 3, 100, m=300),
    "even k, offline, sparse": spec(50, 4, 30, m=300, init=SPARSE, seed=1),
    "online": spec(33, 3, 10, seed=2),
    "online, sparse with eps": spec(33, 2, 30, init={**SPARSE, "s": 3, "eps": 0.01}, seed=3),
    "one example": spec(50, 3, 10, m=1, seed=4),
    "square": spec(33, 3, 30, m=100, loss="square", optimiser={"name": "sgd", "lr": 0.02, "weight_decay": 0.1}),
    "logistic": spec(33, 2, 30, m=100, loss="logistic", optimiser={"name": "sgd", "lr": 0.5, "weight_decay": 0.001}),
    "epochs, noise": spec(20, 3, 10, m=70, sampling="epochs", task={"n": 20, "k": 3, "noise": 0.2}, seed=2**40),
}


@pytest.mark.parametrize("case", CASES)
def test_weights_follow_the_plain_numpy_trainer_step_by_step(case):
    run = build(CASES[case])
    engine = weights_along(run)
    for t, params in enumerate(reference.sgd(run)):
        for ours, plain in zip(engine, params, strict=True):
            np.testing.assert_allclose(ours[t], plain, atol=TOLERANCE, rtol=0, err_msg=f"{case}, step {t + 1}")
    moved = max(np.abs(p - q).max() for p, q in zip(params, reference.start(run), strict=True))
    assert moved > 100 * TOLERANCE, "the weights hardly moved: the comparison would prove nothing"


@pytest.mark.parametrize("case", ["online", "epochs, noise", "even k, offline, sparse"])
def test_minibatches_are_the_plain_trainers(case):
    run = build(CASES[case])
    batch = jax.jit(Loop(run.shape()).batch)
    for t, index in list(enumerate(reference.order(run)))[::40]:
        for ours, plain in zip(batch(run.values(), t), reference.example(run, index), strict=True):
            np.testing.assert_array_equal(ours, plain)


@pytest.mark.slow
def test_at_the_frontier_success_is_the_plain_trainers_run_by_run():
    frontier = {
        "task": {"n": 20, "k": 3},
        "m": 400,
        "model": {"width": 20},
        "steps": 1500,
        "evaluation": {"every": 100, "test": 1500},  # more than one block of the examination
    }
    runs = grid(frontier, seeds=40)
    found = {outcome.run.seed: outcome.success_step for outcome in train(runs)}
    plain = {run.seed: reference.success_step(run) for run in runs}
    assert 8 <= sum(step is not None for step in plain.values()) <= 32, "not at the frontier"
    # None differs on the machines tried; rounding may move a run that grazes the threshold by an evaluation.
    assert len([seed for seed in plain if found[seed] != plain[seed]]) <= 1


@pytest.mark.parametrize(("train_examples", "m"), [(0, 50), (30, 50), (30, 20)])
def test_curves_are_what_the_plain_trainer_measures(train_examples, m):
    run = tiny(m=m, evaluation={**TINY["evaluation"], "train": train_examples}, seed=5)
    (outcome,) = train([run])
    x, y = reference.held_out(run)
    own = reference.example(run, np.arange(min(train_examples, m), dtype=np.uint32))
    wrong = lambda params, x, y: np.mean(y * reference.forward(params, x) <= 0)
    params = reference.start(run)
    test, sample, losses, errors = [wrong(params, x, y)], [wrong(params, *own) if train_examples else np.nan], [], []
    for index, after in zip(reference.order(run), reference.sgd(run), strict=True):
        bx, by = reference.example(run, index)
        losses.append(np.maximum(0, 1 - by * reference.forward(params, bx)).mean())
        errors.append(wrong(params, bx, by))
        params = list(after)
        if len(losses) % run.evaluation.every == 0:
            test.append(wrong(params, x, y))
            sample.append(wrong(params, *own) if train_examples else np.mean(errors[-run.evaluation.every :]))
    mean_loss = np.reshape(losses, (-1, run.evaluation.every)).mean(axis=1)
    assert outcome.curves["step"].tolist() == list(range(0, run.steps + 1, run.evaluation.every))
    np.testing.assert_allclose(outcome.curves["test_error"], test, atol=1e-6)
    np.testing.assert_allclose(outcome.curves["train_error"], sample, atol=1e-6)
    np.testing.assert_allclose(outcome.curves["loss"], [np.nan, *mean_loss], atol=1e-5)


def test_a_screen_shows_the_whole_sample_only_to_promising_runs():
    run = tiny(task={"n": 20, "k": 1}, evaluation={**TINY["evaluation"], "screen": 30, "success": 0.15, "stop": False})
    (outcome,) = train([run])
    x, y = reference.held_out(run)
    along = [reference.start(run), *(list(params) for params in reference.sgd(run))][:: run.evaluation.every]
    missed = [y * reference.forward(params, x) <= 0 for params in along]
    expected = [m.mean() if m[:30].mean() <= 0.3 else m[:30].mean() for m in missed]
    np.testing.assert_allclose(outcome.curves["test_error"], expected, atol=1e-6)
    assert {m[:30].mean() <= 0.3 for m in missed} == {True, False}


def test_a_run_ends_at_its_first_success_unless_told_to_go_on():
    task, easy = {"n": 20, "k": 1}, {**TINY["evaluation"], "success": 0.2}
    (stopped,) = train([tiny(task=task, evaluation=easy)])
    (whole,) = train([tiny(task=task, evaluation={**easy, "stop": False})])
    first = next(
        t for t, e in zip(whole.curves["step"], whole.curves["test_error"], strict=True) if e <= np.float32(0.2)
    )
    assert 0 < first < 60
    assert (stopped.success_step, stopped.steps_taken) == (first, first)
    assert (whole.success_step, whole.steps_taken) == (first, 60)


def test_a_run_that_succeeds_before_it_starts_takes_no_step():
    (outcome,) = train([tiny(evaluation={**TINY["evaluation"], "success": 1.0})])
    assert (outcome.success_step, outcome.steps_taken, outcome.curves["step"].tolist()) == (0, 0, [0])
    assert np.isnan(outcome.curves["loss"][0])
