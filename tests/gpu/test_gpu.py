"""What only a GPU can show: every study at smoke scale, and kernels against the plain NumPy trainer. ``make gpu``."""

import jax
import numpy as np
import pytest

import glassware as gw
from glassware import studies
from glassware.engine import attention, choice, train
from glassware.engine.attention import gpu
from glassware.engine.device import on_cpu
from glassware.models.causal_attention import attend_plainly
from tests import reference


@pytest.fixture(autouse=True)
def _gpu():
    if on_cpu():  # asked here and not while tests are collected: asking starts JAX
        pytest.skip("needs a GPU")


SHAPES = [(20, 16), (50, 128), (50, 512), (50, 1024), (200, 1024)]


@pytest.mark.parametrize("name", sorted(studies.STUDIES))
def test_study_at_smoke_scale(name, tmp_path):
    report = gw.reproduce(name, "smoke", store=tmp_path / "store", figures=None)
    assert len(report.frame)
    again = gw.reproduce(name, "smoke", store=tmp_path / "store", figures=None)
    assert len(again.frame) == len(report.frame)


@pytest.mark.parametrize("scheme", ["dense", "sparse"])
@pytest.mark.parametrize(("n", "width"), SHAPES)
def test_kernels_follow_the_reference(n, width, scheme):
    run = gw.Run(
        task=gw.Parity(n=n, k=3, noise=0.1),
        m=1000,
        model=gw.MLP(width=width),
        init=gw.Init(scheme=scheme),
        steps=200,
        evaluation=gw.Evaluation(every=200, test=256, stop=False),
        keep=("first", "final"),
    )
    (outcome,) = train([run], engine="kernels-exact")
    assert outcome.engine == "kernels-exact"
    *_, (w, b, v, c) = reference.sgd(run)
    hidden, readout = outcome.weights["final"]
    moved = np.abs(w - reference.start(run)[0]).max()
    for ours, theirs in ((hidden["w"], w), (hidden["b"], b), (readout["w"][:, 0], v), (readout["b"][0], c)):
        # Two hundred chaotic steps in float32 against float64: far below how much the weights have moved.
        np.testing.assert_allclose(ours, theirs, atol=0.02 * moved)


def test_a_task_without_kernels_goes_through_xla():
    run = gw.Run(
        task=gw.Parity(n=10, k=2),
        model=gw.MLP(width=32),
        optimiser=gw.Adam(lr=0.01, schedule=gw.Cosine(steps=400)),
        penalty=(gw.MixedNorm(weight=1e-4, outer=3),),
        steps=400,
        evaluation=gw.Evaluation(test=500, growth=1.5, every=10),
        keep=(10, "final"),
    )
    outcomes = list(train([run.model_copy(update={"seed": seed}) for seed in range(64)]))
    assert {outcome.engine for outcome in outcomes} == {"xla"}
    assert sum(outcome.success_step is not None for outcome in outcomes) > 32


@pytest.mark.parametrize(("f", "g", "v", "t"), [(2, 3, 2, 100), (4, 5, 4, 100), (3, 0, 1, 7), (2, 3, 2, 200)])
def test_the_attention_kernel_is_its_formula(f, g, v, t):
    rng = np.random.default_rng(2)
    planes = lambda features: np.float32(rng.standard_normal((3, features, 2, t, 16)))  # three lanes
    table = np.float32(rng.standard_normal((3, t, g)))
    arrays, seen = (planes(f), planes(f), planes(g), table, planes(v)), planes(v)
    slopes = lambda way: jax.jit(jax.vmap(lambda seen, *a: (way(*a), jax.vjp(way, *a)[1](seen))))(seen, *arrays)
    assert gpu.takes(f, g, v, t)
    with jax.default_matmul_precision("highest"):
        expected = slopes(attend_plainly)
    for ours, theirs in zip(jax.tree.leaves(slopes(gpu.kernel())), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4 * max(1, np.abs(theirs).max(initial=0)))


@pytest.mark.parametrize(("length", "m"), [(100, 100), (301, 64)])
def test_a_step_through_the_kernel_for_dropped_tokens_is_one_with_tokens_written_out(length, m, monkeypatch):
    run = gw.Run(
        task=gw.Junta(length=length, relevant=3),
        model=gw.ClsTransformer(),
        m=m,
        batch="full",
        optimiser=gw.SGD(lr=1.0),
        steps=1,
        evaluation=gw.Evaluation(every=1, test=32, success=0.0, stop=False),
        keep=("first", "final"),
    )
    runs = [run.model_copy(update={"seed": seed}) for seed in range(3)]

    def steps():
        choice.program.cache_clear()
        of = lambda weights: jax.tree.map(np.subtract, weights["final"], weights["first"])
        return {outcome.run.seed: of(outcome.weights) for outcome in train(runs)}

    assert attention.load_dropped(64, 16)
    found = steps()
    monkeypatch.setattr(attention, "load_dropped", lambda width, heads: None)
    expected = steps()
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4 * np.abs(theirs).max(), rtol=0)
