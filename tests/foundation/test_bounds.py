import warnings

import numpy as np
import pytest

from glassware.foundation.bounds import Fraction, NotNegative, Positive, Real
from glassware.foundation.errors import GlasswareError
from tests.helpers import tiny

CHAIN = {"name": "markov-chain", "states": 2, "length": 10}


@pytest.mark.parametrize(("kind", "sign"), [(Real, -1), (Positive, 1), (NotNegative, 1), (Fraction, 1)])
def test_the_ends_of_every_kind_are_numbers_of_float32(kind, sign):
    bounds = {type(one).__name__: one for one in kind.__metadata__[0].metadata}
    low, high = (np.float32(getattr(bounds[name], name.lower())) for name in ("Ge", "Le"))
    assert np.isfinite([low, high]).all()
    assert np.float32(1e-30) > 0
    assert kind is not Fraction or high < 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"optimiser": {"name": "adam", "lr": 0.1, "eps": 1e300}}, "optimiser.eps"),
        ({"optimiser": {"name": "adamw", "lr": 0.1, "eps": 1e-300}}, "optimiser.eps"),
        ({"optimiser": {"name": "adam", "lr": 0.1, "b2": 0.99999999}}, "optimiser.b2"),
        ({"optimiser": {"name": "sgd", "lr": 0.1, "momentum": 1 - 1e-12}}, "optimiser.momentum"),
        ({"optimiser": {"name": "sgd", "lr": 0.1, "clip": 1e-300}}, "optimiser.clip"),
        ({"m": 9, "model": {"name": "kernel-ridge", "kernel": "rbf", "gamma": 1e300}}, "model.gamma"),
        ({"m": 9, "model": {"name": "kernel-ridge", "kernel": "rbf", "ridge": 1e300}}, "model.ridge"),
        ({"model": {"name": "paired", "width": 4, "levels": [1e300]}}, "model.levels"),
        ({"model": {"name": "random-features", "function": "fourier", "count": 4, "gamma": 1e300}}, "model.gamma"),
        ({"task": CHAIN, "model": {"name": "minimal-induction", "v": 1e300}}, "model.v"),
        ({"task": CHAIN, "model": {"name": "minimal-induction", "w": -1e300}}, "model.w"),
        ({"task": CHAIN, "model": {"name": "softmax-induction", "diagonal": 1e300}}, "model.diagonal"),
        ({"task": {**CHAIN, "alpha": [1e-300, 1]}, "model": {"name": "minimal-induction"}}, "task.alpha"),
        ({"task": {"name": "junta", "length": 9, "p": 1 - 1e-12}}, "task.p"),
        ({"penalty": [{"name": "mixed-norm", "weight": 1, "outer": 1e-300}]}, "penalty.outer"),
    ],
)
def test_numbers_that_float32_does_not_hold_are_refused(changes, field):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GlasswareError, match=f"^{field} must be"):
            tiny(**changes)
