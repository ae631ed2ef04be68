"""When a run is examined, and by what it succeeds."""

import itertools

import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.errors import GlasswareError
from glassware.training import Evaluation
from tests import reference
from tests.helpers import TINY, tiny


def test_steps_grow_by_the_factor_in_whole_rounds_and_end_with_the_run():
    assert list(Evaluation(every=2, growth=1.5).steps(60)) == [2, 4, 6, 8, 12, 18, 26, 38, 56, 60]
    assert list(Evaluation(every=10).steps(40)) == [10, 20, 30, 40]
    for growth in (1.001, 1.1, 1.3, 2.0, 7.5, 1000.0):
        for every in (1, 3, 100):
            exam = Evaluation(every=every, growth=growth)
            steps = list(exam.steps(2**31 - 1))
            assert exam.rounds(2**31 - 1) == len(steps) < 20_000
            assert steps == sorted(set(steps))
            reached = np.array(steps[:-1], np.int32)  # on the device, too
            np.testing.assert_array_equal(jax.jit(exam.next)(reached[:-1]), reached[1:])


def test_a_run_is_examined_at_growing_steps_and_averages_between_them():
    run = tiny(m=50, evaluation={"every": 2, "growth": 1.5, "test": 100, "stop": False})
    (outcome,) = train([run])
    steps = [0, 2, 4, 6, 8, 12, 18, 26, 38, 56, 60]
    assert outcome.curves["step"].tolist() == steps
    assert outcome.steps_taken == 60
    along, losses, errors = reference.start(run), [], []
    for index, after in zip(reference.order(run), reference.sgd(run), strict=True):
        x, y = reference.example(run, index)
        margin = y * reference.forward(along, x)
        losses.append(np.maximum(0, 1 - margin).mean())
        errors.append(np.mean(margin <= 0))
        along = list(after)
    spans = list(itertools.pairwise(steps))
    for name, values in (("loss", losses), ("train_error", errors)):
        means = [np.mean(values[a:b]) for a, b in spans]
        np.testing.assert_allclose(outcome.curves[name], [np.nan, *means], atol=1e-5, err_msg=name)
    x, y = reference.held_out(run)
    assert outcome.curves["test_error"][-1] == pytest.approx(np.mean(y * reference.forward(along, x) <= 0), abs=1e-6)


EASY = {"task": {"n": 20, "k": 1}, "probes": ["movement"]}


def test_accuracy_succeeds_above_as_error_does_below():
    by_error, by_accuracy = (
        tiny(**EASY, evaluation={**TINY["evaluation"], "success": 0.2}),
        tiny(
            **EASY, evaluation={**TINY["evaluation"], "measure": "accuracy", "success": 0.8, "metrics": ["hinge_loss"]}
        ),
    )
    (one,), (other,) = train([by_error]), train([by_accuracy])
    assert 0 < one.success_step == other.success_step < 60
    np.testing.assert_allclose(other.curves["test_accuracy"], 1 - one.curves["test_error"], atol=1e-6)
    assert "test_error" not in other.curves
    assert other.curves["test_hinge_loss"][-1] < other.curves["test_hinge_loss"][0]


@pytest.mark.parametrize(("direction", "threshold"), [("above", 0.1), ("below", 0.0)])
def test_a_probes_column_may_be_the_measure(direction, threshold):
    exam = {**TINY["evaluation"], "measure": "movement", "direction": direction, "success": threshold}
    (outcome,) = train([tiny(**EASY, evaluation=exam)])
    moved = outcome.curves["movement"]
    reached = moved >= np.float32(threshold) if direction == "above" else moved <= threshold
    assert outcome.success_step == outcome.curves["step"][np.argmax(reached)]
    assert (outcome.success_step > 0) == (direction == "above")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"measure": "movement", "success": 1}, "unknown measure 'movement'; give a metric (error, "),
        ({"metrics": ["f1"]}, "unknown metric 'f1'; known: error, accuracy"),
        ({"success": 1.5}, "evaluation.success must be an error between 0 and 1, not 1.5"),
        ({"measure": "accuracy", "screen": 10}, "needs a metric that succeeds below, not the measure 'accuracy'"),
        ({"growth": 1.0}, "evaluation.growth must be greater than or equal to 1.001"),
    ],
)
def test_an_impossible_evaluation_is_refused_in_a_sentence(change, sentence):
    with pytest.raises(GlasswareError) as caught:
        tiny(evaluation={**TINY["evaluation"], **change})
    assert sentence in str(caught.value)


def test_a_measure_from_a_probe_needs_a_direction_and_a_column():
    exam = {**TINY["evaluation"], "measure": "moved", "success": 1}
    with pytest.raises(GlasswareError, match=r"^say which way 'moved' succeeds: give evaluation.direction$"):
        tiny(**EASY, evaluation=exam)
    with pytest.raises(GlasswareError) as caught:
        list(train([tiny(**EASY, evaluation={**exam, "direction": "above"})]))
    assert str(caught.value) == "the run measures no number 'moved'; evaluation.measure may be loss, movement"
