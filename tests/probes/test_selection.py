"""The probe of attention against its definition, on a network with weights of no special kind."""

import jax
import numpy as np
import pytest

from glassware.foundation.draws import held_out_key
from glassware.foundation.errors import GlasswareError
from glassware.models import ClsTransformer
from glassware.probes.selection import ROWS, SHOWN, selection
from glassware.tasks import Junta
from glassware.training import Run
from tests.helpers import tiny


def test_shares_are_those_of_the_hidden_bits_by_class():
    task = Junta(length=9, support=(1, 4, 6))
    run = Run(task=task, m=20, batch="full", model=ClsTransformer(width=8, heads=2))
    values = run.values()
    params = jax.jit(lambda values: run.first(values))(values)
    params[1]["q"] = 40 * params[1]["q"]
    x = task.bits(held_out_key(), np.arange(ROWS, dtype=np.uint32)).astype(np.float32)
    both = lambda values, params: (selection(run, values, params), run.network.cls_attention(params, x))
    found, shares = jax.jit(both)(values, params)
    weights, y = np.asarray(shares).mean(axis=-1), x[:, [1, 4, 6]].all(axis=1)
    others = weights[:, [0, 2, 3, 5, 7, 8]]
    for label in (0, 1):
        np.testing.assert_allclose(
            found[f"selected_{label}"], weights[y == label][:, [1, 4, 6]].sum(1).mean(), rtol=1e-4
        )
        np.testing.assert_allclose(found[f"largest_irrelevant_{label}"], others[y == label].max(), rtol=1e-4)
    hidden = weights[:, [1, 4, 6]]
    np.testing.assert_allclose(found["zero_weight"], hidden[x[:, [1, 4, 6]] == 0].mean(), rtol=1e-4)
    np.testing.assert_allclose(found["one_weight"], hidden[x[:, [1, 4, 6]] == 1].mean(), rtol=1e-4)
    np.testing.assert_allclose(found["irrelevant_weight"], others.mean(), rtol=1e-4)
    np.testing.assert_allclose(found["attention"], weights[:SHOWN], rtol=1e-4)
    np.testing.assert_array_equal(found["attention_class"], y[:SHOWN])


def test_other_models_get_one_sentence():
    with pytest.raises(GlasswareError, match="the probe 'selection' needs the model 'cls-transformer', not 'mlp'"):
        tiny(probes=["selection"])
