"""Probes that return numbers, vectors and matrices, along the way and at the end."""

import jax.numpy as jnp
import numpy as np
import pytest

from glassware.engine import train
from glassware.probes import PROBES, Probe
from glassware.sweeps import Store, sweep
from tests import reference
from tests.helpers import tiny

WEIGHTS = {
    "when": "curve",
    "measure": lambda run, values, params: {"second": params[1]["w"][:, 0], "first": params[0]["w"]},
}
LAST = {
    "when": "final",
    "measure": lambda run, values, params: {"matrix": params[0]["w"], "size": jnp.max(params[0]["w"])},
}


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    monkeypatch.setitem(PROBES, "weights", Probe(**WEIGHTS))
    monkeypatch.setitem(PROBES, "last", Probe(**LAST))


RUN = {"m": 50, "steps": 20, "seed": 3}


def test_every_point_of_a_curve_may_be_an_array():
    run = tiny(**RUN, probes=["weights", "last", "movement"])
    (outcome,) = train([run])
    along = [reference.start(run), *(list(params) for params in reference.sgd(run))][::10]
    assert outcome.curves["first"].shape == (3, 20, 8)
    assert outcome.curves["second"].shape == (3, 8)
    assert outcome.curves["movement"].shape == (3,)
    for at, (W, _, v, _) in enumerate(along):
        np.testing.assert_allclose(outcome.curves["first"][at], W, atol=1e-5)
        np.testing.assert_allclose(outcome.curves["second"][at], v, atol=1e-5)
    np.testing.assert_array_equal(outcome.final["matrix"], outcome.curves["first"][-1])
    assert outcome.final["size"] == outcome.final["matrix"].max()


def test_arrays_come_back_from_a_store_as_nested_lists(tmp_path):
    runs = [tiny(**RUN, probes=["weights", "last"]), tiny(**RUN)]
    table = sweep(runs, tmp_path, engine="xla")
    (outcome,) = train(runs[:1], engine="xla")
    kept = Store(tmp_path).read()
    assert kept.sort("id").equals(table.sort("id"), null_equal=True)
    probed, plain = table.to_dicts()
    for column, array in (
        ("curve_first", outcome.curves["first"]),
        ("curve_second", outcome.curves["second"]),
        ("matrix", outcome.final["matrix"]),
        ("size", outcome.final["size"]),
    ):
        np.testing.assert_array_equal(np.array(probed[column], np.float32), array)
        assert plain[column] is None
