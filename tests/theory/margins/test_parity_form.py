import math

import numpy as np
import pytest

from glassware.theory.margins.margins import ParityTask
from glassware.theory.margins.networks import ParityNetwork, maxmargin_parity
from glassware.theory.margins.parity_form import parity_form, pattern_masses


@pytest.mark.parametrize(("n", "k"), [(4, 1), (6, 2), (9, 5)])
def test_the_form_of_parity_networks(n, k):
    task, network = ParityTask(n, k), maxmargin_parity(n, k)
    form = parity_form(network, task)
    np.testing.assert_allclose(form.off_support, 0)
    np.testing.assert_allclose(form.imbalance, 1)
    np.testing.assert_allclose(form.common, 0, atol=1e-12)
    np.testing.assert_allclose(form.sign, 1)
    np.testing.assert_allclose(pattern_masses(network, task), 2.0 ** -(k - 1))
    flipped = ParityNetwork(-network.u, network.w * (-1) ** k)
    np.testing.assert_allclose(pattern_masses(flipped, task), pattern_masses(network, task))


def test_a_bent_parity_neuron():
    network = ParityNetwork(np.array([[1.0, 0], [-2, 0], [0.5, 0]]), np.array([[0.5, 1.5], [0, 0]]))
    form = parity_form(network, ParityTask(3, 2))
    assert form.off_support[0] == pytest.approx(0.25)
    assert form.imbalance[0] == pytest.approx(2)
    assert form.common[0] == pytest.approx(2 / math.sqrt(2.5))
    assert form.sign[0] == 1  # (1)(-2)(0.5 - 1.5) > 0
    assert np.isnan(form.imbalance[1])
    for turned in (network, ParityNetwork(-network.u, network.w)):
        np.testing.assert_allclose(pattern_masses(turned, ParityTask(3, 2)), [0, 1])
