import jax
import numpy as np
import pytest

from glassware.training import LOSSES, METRICS
from glassware.training.objective import wrong

OUTPUTS = np.linspace(-3, 3, 25, dtype=np.float32)

BY_HAND = {
    "hinge": lambda output, y: np.maximum(0, 1 - y * output),
    "square": lambda output, y: (output - y) ** 2,
    "logistic": lambda output, y: np.log1p(np.exp(-y * output)),
    "correlation": lambda output, y: -y * output,
}


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("loss", BY_HAND)
def test_losses_are_those_of_the_textbook(loss, y):
    np.testing.assert_allclose(LOSSES[loss].function(OUTPUTS, y), BY_HAND[loss](OUTPUTS, y), atol=1e-6)


def test_hinge_is_flat_from_its_corner_on():
    slope = jax.vmap(jax.grad(lambda output: LOSSES["hinge"].function(output, 1.0)))
    np.testing.assert_array_equal(slope(np.float32([0.999, 1.0, 1.001])), [-1, 0, 0])


def test_logistic_stays_finite_far_out():
    np.testing.assert_allclose(LOSSES["logistic"].function(np.float32([-1e4, 1e4]), 1.0), [1e4, 0])


def test_zero_and_nan_are_misses():
    output = np.float32([2, -2, 0, -0.0, np.nan])
    np.testing.assert_array_equal(wrong(output, 1.0), [0, 1, 1, 1, 1])
    np.testing.assert_array_equal(wrong(output, -1.0), [1, 0, 1, 1, 1])


# -- classes and sequences ----------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(7, 4)).astype(np.float32)
CLASSES = np.array([0, 3, 1, 1, 2, 0, 3])
SEQUENCES = RNG.normal(size=(6, 3, 4)).astype(np.float32)
TARGETS = np.array([[0, 1, 2], [3, -1, 0], [-1, -1, 2], [-100, 1, 1], [2, 2, 2], [-1, -1, -1]])


def entropies(logits):
    """-log softmax, in double precision."""
    logits = np.float64(logits)
    return np.log(np.exp(logits).sum(axis=-1, keepdims=True)) - logits


def test_classes_are_judged_one_by_one():
    picked = entropies(LOGITS)[np.arange(7), CLASSES]
    np.testing.assert_allclose(LOSSES["cross-entropy"].function(LOGITS, CLASSES), picked, atol=1e-6)
    missed = LOGITS.argmax(axis=1) != CLASSES
    assert 0 < missed.sum() < 7
    np.testing.assert_array_equal(METRICS["error"].function(LOGITS, CLASSES), missed)
    np.testing.assert_array_equal(METRICS["accuracy"].function(LOGITS, CLASSES), ~missed)


def test_a_sequence_is_the_mean_over_the_positions_that_count():
    for name, table in (
        ("cross_entropy", entropies(SEQUENCES)),
        ("error", SEQUENCES.argmax(-1)[..., None] != range(4)),
    ):
        expected = []
        for example, targets in enumerate(TARGETS):
            counted = [table[example, place, y] for place, y in enumerate(targets) if y >= 0]
            expected.append(np.mean(counted) if counted else 0.0)
        np.testing.assert_allclose(METRICS[name].function(SEQUENCES, TARGETS), expected, atol=1e-6, err_msg=name)


def test_positions_that_do_not_count_have_no_gradient():
    slope = jax.grad(lambda logits: LOSSES["cross-entropy"].function(logits, TARGETS).sum())(SEQUENCES)
    for place in np.ndindex(TARGETS.shape):
        assert np.any(slope[place]) == (TARGETS[place] >= 0)


@pytest.mark.parametrize("logits", [LOGITS, SEQUENCES], ids=["class", "sequence"])
def test_a_target_may_be_a_distribution(logits):
    soft = RNG.dirichlet(np.ones(4), logits.shape[:-1]).astype(np.float32)
    expected = (soft * entropies(logits)).sum(axis=-1).reshape(len(logits), -1).mean(axis=1)
    np.testing.assert_allclose(METRICS["cross_entropy"].function(logits, soft), expected, atol=1e-6)
    missed = (logits.argmax(-1) != soft.argmax(-1)).reshape(len(logits), -1).mean(axis=1)
    np.testing.assert_allclose(METRICS["error"].function(logits, soft), missed, atol=1e-6)


def test_a_distribution_on_one_class_is_that_class():
    one_hot = np.eye(4, dtype=np.float32)[CLASSES]
    for metric in ("cross_entropy", "error"):
        hard, soft = (METRICS[metric].function(LOGITS, y) for y in (CLASSES, one_hot))
        np.testing.assert_allclose(hard, soft, atol=1e-6)


def test_logits_that_are_no_numbers_are_misses():
    broken = np.float32([[np.nan, 0], [np.inf, 0], [1, 0]])
    np.testing.assert_array_equal(METRICS["error"].function(broken, np.array([0, 0, 0])), [1, 1, 0])


def test_the_slope_at_the_true_logit_keeps_its_digits():
    logits, y = np.float32([[20.0, 0.0, 1.0]]), np.array([0])
    slope = np.asarray(jax.grad(lambda x: LOSSES["cross-entropy"].function(x, y).sum())(logits))[0]
    wrong_ones = np.exp(np.float64([-20, -19]))
    np.testing.assert_allclose(slope, [-wrong_ones.sum(), *wrong_ones], rtol=1e-6)
