"""Compositions of random maps, against a walk."""

import jax
import numpy as np
import pytest

from glassware.tasks.maps import follow


@pytest.mark.parametrize("states", [2, 3, 9], ids=["two", "packed", "too many for a word"])
def test_following_is_walking(states):
    rng = np.random.default_rng(states)
    moves = rng.integers(0, states, (states, 11, 4)).astype(np.uint32)
    first = rng.integers(0, states, 4).astype(np.uint32)
    found = np.asarray(jax.jit(follow)(moves, first))
    for sequence, state in enumerate(first):
        for step in range(11):
            state = moves[state, step, sequence]
            assert found[step, sequence] == state
