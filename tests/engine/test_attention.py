"""The attention kernels against matrix products and a softmax; the one for GPUs is interpreted."""

import jax
import numpy as np
import pytest

from glassware.engine import attention
from glassware.engine.attention import gpu
from glassware.models.causal_attention import attend, attend_plainly

OPTIMISED = {"xla_backend_optimization_level": 3}


def planes(rng, features, scale=1.0):
    return np.float32(scale * rng.standard_normal((features, 2, 7, 16)))


def given(f, g, v, scale=1.0):
    rng = np.random.default_rng(2)
    table = np.float32(scale * rng.standard_normal((7, g)))
    return planes(rng, f, scale), planes(rng, f), planes(rng, g), table, planes(rng, v)


@pytest.mark.parametrize("kernel", [attend, gpu.kernel(interpret=True)], ids=["cores", "gpu"])
@pytest.mark.parametrize(("sizes", "scale"), [((2, 3, 2), 1.0), ((2, 3, 2), 1e4), ((3, 0, 1), 1.0)])
def test_the_kernel_is_its_formula(sizes, scale, kernel):
    """Means and all slopes; scores of tens of thousands included, and no positions at all."""
    attention.offer()
    arrays, seen = given(*sizes, scale), planes(np.random.default_rng(3), sizes[2])
    # As users compile it: scores of 10^8, made again for the slopes, must round as before.
    compiled = lambda way: jax.jit(lambda a: (way(*a), jax.vjp(way, *a)[1](seen)), compiler_options=OPTIMISED)
    both = (jax.tree.leaves(compiled(way)(arrays)) for way in (kernel, attend_plainly))
    for found, expected in zip(*both, strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-5 * max(1, np.abs(expected).max(initial=0)), rtol=1e-4)


@pytest.mark.parametrize("attend", [attend, gpu.kernel(interpret=True)], ids=["cores", "gpu"])
def test_the_kernel_takes_lanes_together_and_keeps_nan_in_its_sequence(attend):
    attention.offer()
    one = given(1, 2, 1)
    arrays = jax.tree.map(lambda a: np.stack([a, 2 * a]), one)
    together = np.asarray(jax.jit(jax.vmap(attend))(*arrays))
    for lane, found in enumerate(together):
        np.testing.assert_array_equal(found, jax.jit(attend)(*(a[lane] for a in arrays)))
    one[0][0, 1, 3, 5] = np.nan
    spoiled = np.isnan(np.asarray(jax.jit(attend)(*one)))
    assert spoiled[0, 1, 3, 5]
    assert spoiled.sum() == 1


def test_a_jax_with_another_interface_goes_without_the_kernel(tmp_path, monkeypatch, caplog):
    (tmp_path / "xla/ffi/api").mkdir(parents=True)
    (tmp_path / "xla/ffi/api/c_api.h").write_text("#define XLA_FFI_API_MAJOR 1\n")
    monkeypatch.setattr(attention.jax.ffi, "include_dir", lambda: str(tmp_path))
    assert attention.load_for_cores.__wrapped__() is None
    assert "is not of version 0); using XLA" in caplog.text
