"""Homogeneous networks: their formulas, and their training against plain NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.draws import seed_words
from glassware.models import GroupNet, Init, PowerNet
from glassware.tasks import CubeParity, GroupMultiplication
from glassware.training import SGD, Doubling, Evaluation, MixedNorm, Run

S3 = GroupMultiplication(group="S_3")
CUBE = CubeParity(n=5, k=2, support=(1, 3))
RNG = np.random.default_rng(0)


def drawn(model, task):
    values = Init().values(seed_words(0), model.width, model.layers)
    return jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), model.init(values, task))


@pytest.mark.parametrize(("activation", "sigma"), [("square", np.square), ("relu", lambda z: np.maximum(z, 0))])
def test_a_group_net_is_its_formula(activation, sigma):
    model = GroupNet(width=7, activation=activation)
    embeddings, readout = drawn(model, S3)
    for a, b in np.ndindex(6, 6):
        by_hand = sum(sigma(embeddings["u"][a, i] + embeddings["v"][b, i]) * readout["w"][i] for i in range(7))
        np.testing.assert_allclose(model.apply((embeddings, readout), jnp.array([a, b])), by_hand, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "task"),
    [
        (GroupNet(width=7), S3),
        (GroupNet(width=7, activation="relu"), S3),
        (PowerNet(width=7, degree=4), CUBE),
    ],
)
def test_scaling_the_weights_scales_the_output_by_a_power(model, task):
    params = drawn(model, task)
    raw = task.raw(seed_words(0), np.arange(task.domain, dtype=np.uint32))
    x = task.inputs(task.values(seed_words(0)), raw)
    once, thrice = model.apply(params, x), model.apply(jax.tree.map(lambda leaf: 3 * leaf, params), x)
    np.testing.assert_allclose(thrice, 3**model.homogeneity * np.asarray(once), rtol=1e-4, atol=1e-5)


def test_the_memorising_network_looks_every_product_up():
    model = GroupNet(width=72, begins="memorising", scale=0.5)
    raw = np.arange(36, dtype=np.uint32)
    logits = model.apply(drawn(model, S3), S3.inputs({}, raw))
    np.testing.assert_allclose(logits, 4 * 0.5**3 * np.eye(6)[S3.targets({}, raw)], atol=1e-6)


def gradient_descent(run, params):
    """The weights after every step, in float64, from formulas on paper."""
    (penalty,), group = run.penalty, run.task.structure
    (u, v), w = (params[0]["u"].copy(), params[0]["v"].copy()), params[1]["w"].copy()
    right = np.eye(group.order)[group.table]
    along = []
    for t in range(run.steps):
        z = u[:, None, :] + v[None, :, :]
        logits = z**2 @ w
        p = np.exp(logits - logits.max(-1, keepdims=True))
        residual = (p / p.sum(-1, keepdims=True) - right) / group.order**2
        back = 2 * z * (residual @ w.T)
        length = np.sqrt((u**2).sum(0) + (v**2).sum(0) + (w**2).sum(1))
        shrink = penalty.weight * penalty.outer * length ** (penalty.outer - 2)
        rate = run.optimiser.lr * 2 ** sum(t >= step for step in run.optimiser.schedule.at)
        du, dv, dw = back.sum(1) + shrink * u, back.sum(0) + shrink * v, np.einsum("abm,abc->mc", z**2, residual)
        u, v, w = u - rate * du, v - rate * dv, w - rate * (dw + shrink[:, None] * w)
        along.append((u, v, w))
    return along


def test_training_follows_gradient_descent_on_paper_for_200_steps(tmp_path):
    optimiser = SGD(lr=0.5, weight_decay=0.0, schedule=Doubling(at=(40, 80)))
    run = Run(
        task=S3,
        model=GroupNet(width=12),
        penalty=(MixedNorm(weight=0.003, outer=3),),
        optimiser=optimiser,
        batch="full",
        steps=200,
        evaluation=Evaluation(every=50, test=36, stop=False),
        keep=("first", 100, "final"),
    )
    (outcome,) = train([run])
    start = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), outcome.weights["first"])
    along = gradient_descent(run, start)
    for step, kept in ((100, outcome.weights["100"]), (200, outcome.weights["final"])):
        for ours, plain in zip((kept[0]["u"], kept[0]["v"], kept[1]["w"]), along[step - 1], strict=True):
            np.testing.assert_allclose(ours, plain, atol=2e-4)
    assert outcome.curves["test_error"][-1] < outcome.curves["test_error"][0]
