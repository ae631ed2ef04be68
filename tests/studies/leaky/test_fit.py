"""What the studies of leaky parities share."""

import numpy as np
import pytest

from glassware.studies.leaky.fit import examples, hidden, marks, readout, stepped
from glassware.theory.leaky.distributions import LeakyParity, majority_agreement
from glassware.theory.leaky.linear_methods import ridge
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
    fresh = task.sample(50, rng).z
    np.testing.assert_allclose(
        readout(hidden(after), task, 1000, seed)(fresh), ridge(hidden(after), z, y)(fresh), atol=1e-5
    )


def test_marks_tell_the_components_apart():
    task = LeakyParity.draw(9, 3, np.random.default_rng(0))
    one_bit = marks(lambda z: z[:, task.support[0]], task, [1])
    assert one_bit["leaking"] == 1.0
    assert abs(one_bit["uniform"] - 0.5) < 0.03
    assert one_bit["mixture"] == pytest.approx((one_bit["uniform"] + 1) / 2)
    majority = marks(lambda z: z[:, list(task.support)].sum(axis=1), task, [1])
    assert abs(majority["uniform"] - majority_agreement(3)) < 0.03
