"""A first step from a stream of examples."""

import numpy as np

from glassware.studies.leaky.fit import examples, stepped
from glassware.theory.leaky.distributions import LeakyParity
from glassware.theory.leaky.network import first_step as step_at_once
from glassware.theory.leaky.network import initialise


def test_a_stream_gives_what_a_whole_sample_gives(monkeypatch):
    monkeypatch.setattr("glassware.studies.leaky.fit.CHUNK", 300)
    rng = np.random.default_rng(0)
    task = LeakyParity.draw(9, 3, rng)
    network, seed = initialise(9, 3, 20, rng), [5, 6]
    drawn = list(examples(task, 1000, seed))
    assert [len(part.y) for part in drawn] == [300, 300, 300, 100]
    z, y = (np.concatenate([part[i] for part in drawn]) for i in (0, 1))
    whole = step_at_once(network, z / 3.0, y)
    after = stepped(network, task, 1000, seed)
    for a, b in zip((whole.w, whole.b, whole.u), (after.w, after.b, after.u), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
