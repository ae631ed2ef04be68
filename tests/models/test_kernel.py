import jax
import jax.numpy as jnp
import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.models import MODELS, KernelRidge
from glassware.models.kernel import rbf, relu_ntk
from glassware.sweeps import run_id
from glassware.sweeps.identity import spec_json
from glassware.sweeps.validation import build
from glassware.training import Run

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((5, 6)), RNG.standard_normal((4, 6))
SPEC = {"task": {"n": 20, "k": 3}, "m": 100, "model": {"name": "kernel-ridge", "kernel": "rbf"}}


def test_rbf_is_the_gaussian_of_the_distance():
    expected = [[np.exp(-0.3 * np.sum((a - b) ** 2)) for b in B] for a in A]
    np.testing.assert_allclose(rbf(A, B, 0.3), expected, rtol=1e-12)
    np.testing.assert_allclose(np.diag(rbf(A, A, 0.3)), 1.0)


def test_ntk_is_the_tangent_kernel_of_a_wide_network():
    """Against the gradients of an actual network: their inner products, averaged over independent draws."""
    width, draws = 4096, 16

    def output(params, x):
        w, v = params
        return jnp.sqrt(2.0 / width) * jnp.maximum(x @ w, 0.0) @ v

    gradient = jax.jit(jax.vmap(jax.grad(output), in_axes=(None, 0)))
    total = 0.0
    for key in jax.random.split(jax.random.key(0), draws):
        one, two = jax.random.split(key)
        params = jax.random.normal(one, (6, width)), jax.random.normal(two, (width,))
        (aw, av), (bw, bv) = gradient(params, jnp.array(A)), gradient(params, jnp.array(B))
        total = total + jnp.einsum("aij,bij->ab", aw, bw) + jnp.einsum("ai,bi->ab", av, bv)
    scale = np.linalg.norm(A, axis=1)[:, None] * np.linalg.norm(B, axis=1)
    np.testing.assert_allclose(np.asarray(total) / draws / scale, relu_ntk(A, B) / scale, atol=0.03)


def test_ntk_on_the_diagonal_and_opposite_inputs():
    np.testing.assert_allclose(np.diag(relu_ntk(A, A)), 2 * np.sum(A * A, axis=1), rtol=1e-7)
    np.testing.assert_allclose(np.diag(relu_ntk(A, -A)), 0.0, atol=1e-6)


def test_ntk_without_bias_has_no_cubic_part_and_with_bias_it_has():
    """Expand k(x, .) over the cube: the coefficient of a 3-parity is zero without biases, positive with."""
    cube = np.array([[1.0 - 2 * ((i >> j) & 1) for j in range(8)] for i in range(2**8)])
    parity = cube[:, 0] * cube[:, 1] * cube[:, 2]
    plain, biased = (KernelRidge(kernel="ntk", bias=bias).gram(cube[:1], cube)[0] @ parity for bias in (False, True))
    assert abs(plain) < 1e-9
    assert abs(biased) > 0.1


def test_the_kernel_of_a_degree_holds_a_parity_from_this_degree_on():
    cube = np.array([[1.0 - 2 * ((i >> j) & 1) for j in range(5)] for i in range(2**5)])
    parity = cube[:, 0] * cube[:, 2] * cube[:, 3]
    for degree, right in ((2, False), (3, True)):
        model = KernelRidge(kernel="poly", degree=degree, ridge=1e-9)
        fitted = model.predict(model.fit(cube, parity), cube, cube)
        assert np.allclose(fitted, parity, atol=1e-3) is right


def test_of_unit_inputs_the_constant_weighs_as_much_as_all_of_them():
    x = np.sign(RNG.standard_normal((4, 9)))
    expected = relu_ntk(np.hstack([x, np.full((4, 1), 3.0)]), np.hstack([x, np.full((4, 1), 3.0)])) / 9
    np.testing.assert_allclose(KernelRidge(kernel="ntk", bias=True, unit=True).gram(x, x), expected, rtol=1e-7)


@pytest.mark.parametrize(
    "model", [KernelRidge(kernel="rbf"), KernelRidge(kernel="ntk"), KernelRidge(kernel="ntk", bias=True)]
)
def test_a_small_ridge_interpolates(model):
    x = np.sign(RNG.standard_normal((40, 20)))
    y = np.sign(RNG.standard_normal(40))
    np.testing.assert_allclose(model.predict(model.fit(x, y), x, x), y, atol=1e-4)
    heavy = model.model_copy(update={"ridge": 1e6})
    assert np.abs(heavy.predict(heavy.fit(x, y), x, x)).max() < 0.1


def test_gamma_is_one_over_n_unless_given():
    x = np.sign(RNG.standard_normal((3, 20)))
    np.testing.assert_array_equal(KernelRidge(kernel="rbf").gram(x, x), rbf(x, x, 1 / 20))
    np.testing.assert_array_equal(KernelRidge(kernel="rbf", gamma=0.5).gram(x, x), rbf(x, x, 0.5))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"m": None}, "the model 'kernel-ridge' needs a fixed sample: give m"),
        ({"m": 100_000}, "m must be at most 30000 for the model 'kernel-ridge', not 100000"),
        (
            {"probes": ["movement"]},
            "the probe 'movement' looks at a network in training; the model 'kernel-ridge' is solved",
        ),
        ({"keep": ["final"]}, "the model 'kernel-ridge' has no weights to keep or to start from"),
        (
            {"model": {"name": "kernel-ridge", "kernel": "cubic"}},
            "model.kernel must be 'rbf', 'ntk' or 'poly', not 'cubic'",
        ),
        (
            {"model": {"name": "kernel-ridge", "kernel": "poly"}},
            "the kernel 'poly' needs a degree, and no other has one",
        ),
        ({"model": {"name": "kernel-ridge"}}, "model.kernel is missing"),
        (
            {"model": {"name": "kernel-ridge", "kernle": "rbf"}},
            "unknown field 'kernle' of model 'kernel-ridge'; did you mean 'kernel'?",
        ),
        (
            {"model": {"name": "kernel-ridge", "kernel": "ntk", "gamma": 1}},
            "gamma belongs to the kernel 'rbf', not 'ntk'",
        ),
        (
            {"model": {"name": "kernel", "kernel": "ntk"}},
            f"model.name must be one of {', '.join(map(repr, MODELS))}, not 'kernel'; one of your own is made known by "
            "gw.register, or by --parts FILE",
        ),
        ({"model": {"widht": 3}}, "unknown field 'widht' of model 'mlp'; did you mean 'width'?"),
        ({"model": {}}, "model.width is missing"),
        ({"model": {"width": 0}}, "model.width must be greater than or equal to 1, not 0"),
    ],
)
def test_bad_models_get_one_sentence(changes, sentence):
    with pytest.raises(GlasswareError, match=f"^{sentence.replace('?', '[?]').replace('.', '[.]')}$"):
        build({**SPEC, **changes})


def test_a_plain_model_is_an_mlp():
    assert build({**SPEC, "model": {"width": 7}}) == build({**SPEC, "model": {"name": "mlp", "width": 7}})


def test_what_a_solved_run_does_not_use_does_not_name_it():
    plain = build(SPEC)
    other = build({**SPEC, "steps": 500, "batch": 7, "loss": "square", "init": {"scheme": "sparse"},
                   "optimiser": {"name": "adam", "lr": 1}, "evaluation": {"every": 50, "train": 10}})  # fmt: skip
    assert run_id(plain) == run_id(other)
    assert run_id(plain) != run_id(build({**SPEC, "seed": 1}))
    assert run_id(plain) != run_id(build({**SPEC, "evaluation": {"test": 500}}))
    assert run_id(Run.model_validate_json(spec_json(other))) == run_id(plain)
