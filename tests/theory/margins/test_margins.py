import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from glassware.theory.boolean import chi, cube
from glassware.theory.margins.characters import powers
from glassware.theory.margins.groups import cyclic, named
from glassware.theory.margins.margins import (
    ParityTask,
    ascend,
    best_neuron_value,
    certify,
    expected_weighted_margin,
    labels,
    neuron_norms,
    neuron_values,
    norm_power,
    normalised_margin,
    outputs,
    point_margins,
    weighted_margins,
)
from glassware.theory.margins.networks import (
    GroupNetwork,
    ParityNetwork,
    maxmargin_cyclic,
    maxmargin_group,
    maxmargin_parity,
    memorising,
    some_frequencies,
)
from glassware.theory.margins.optimum import max_margin, max_margin_parity, uniform_labels
from glassware.theory.margins.representations import chaining_defect, coefficients, matrices, rank1_defect

RNG = np.random.default_rng
TASKS = [
    named("Z_13"),
    named("S_3"),
    named("D_5"),
    named("S_3 x Z_2"),
    named("Q_8"),
    named("A_4"),
    ParityTask(6, 2),
    ParityTask(5, 3),
]


def random_network(task, rng, neurons=5):
    if isinstance(task, ParityTask):
        return ParityNetwork(rng.standard_normal((task.n, neurons)), rng.standard_normal((neurons, 2)))
    n = task.order
    return GroupNetwork(*rng.standard_normal((2, n, neurons)), rng.standard_normal((neurons, n)))


def best_margin(task):
    return max_margin_parity(task.k) if isinstance(task, ParityTask) else max_margin(task).margin


def scaled(network, factors):
    return type(network)(*(part * factors for part in network[:-1]), network.w * np.reshape(factors, (-1, 1)))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TASKS), st.integers(0, 2**32 - 1))
def test_weak_duality(task, seed):
    """For every network: min g <= E g <= E g' <= gamma* |theta|^nu, and no neuron beats the best one."""
    rng = RNG(seed)
    network = random_network(task, rng, int(rng.integers(1, 9)))
    plain, weighted = point_margins(network, task), weighted_margins(network, task)
    assert np.all(weighted >= plain - 1e-9)
    bound = best_margin(task) * norm_power(network, task)
    assert plain.min() <= weighted.mean() + 1e-9 <= bound + 2e-9
    units = scaled(network, 1 / neuron_norms(network))
    assert neuron_values(units, task).max() <= best_neuron_value(task) * (1 + 1e-9)


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_values_of_neurons_add_up_to_the_mean_weighted_margin(task):
    """A formula against the definition, at every point and every wrong label."""
    network = random_network(task, RNG(0))
    count = len(labels(task))
    mean = weighted_margins(network, task).mean()
    assert neuron_values(network, task).sum() == pytest.approx(mean, rel=1e-9)
    assert expected_weighted_margin(network, task) == pytest.approx(mean, rel=1e-9)
    assert expected_weighted_margin(network, task, q=np.full(count, 1 / count)) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_what_leaves_the_normalised_margin_alone(task):
    rng = RNG(1)
    network = random_network(task, rng)
    before, nu = normalised_margin(network, task), 3 if not isinstance(task, ParityTask) else task.k + 1
    assert normalised_margin(scaled(network, np.full(5, 0.3)), task) == pytest.approx(before, rel=1e-9)
    order = rng.permutation(5)
    shuffled = type(network)(*(part[:, order] for part in network[:-1]), network.w[order])
    assert normalised_margin(shuffled, task) == pytest.approx(before, rel=1e-9)
    parts = [scaled(network, np.full(5, 0.6)), scaled(network, np.full(5, (1 - 0.6**nu) ** (1 / nu)))]
    split = type(network)(
        *(np.concatenate(p, axis=1) for p in zip(*(q[:-1] for q in parts), strict=True)),
        np.concatenate([q.w for q in parts]),
    )
    assert normalised_margin(split, task) == pytest.approx(before, rel=1e-9)


def test_relabelling_leaves_the_margin_alone():
    group, rng = named("D_5"), RNG(2)
    network = random_network(group, rng)
    g, h = 3, 7
    moved = GroupNetwork(
        network.u[group.table[g]], network.v[group.table[:, h]], network.w[:, group.table[group.table[g], h]]
    )
    assert normalised_margin(moved, group) == pytest.approx(normalised_margin(network, group), rel=1e-9)


def test_the_zero_network_has_no_normalised_margin():
    group = named("S_3")
    zero = GroupNetwork(np.zeros((6, 2)), np.zeros((6, 2)), np.zeros((2, 6)))
    assert math.isnan(normalised_margin(zero, group))
    assert not certify(zero, group).proved


def test_the_certificate_and_what_it_refuses():
    group = cyclic(13)
    assert certify(maxmargin_cyclic(13), group).proved
    less = certify(some_frequencies(13, [1, 2, 3, 4, 5]), group)
    assert less.best_neurons  # every neuron is optimal, only not all frequencies are there
    assert not less.tied_labels
    assert not less.attained
    memory = certify(memorising(group), group)
    assert memory.on_margin
    assert memory.tied_labels
    assert not memory.best_neurons
    noise = certify(random_network(group, RNG(0)), group)
    assert not any([noise.on_margin, noise.best_neurons, noise.tied_labels, noise.attained])
    assert certify(maxmargin_parity(6, 2), ParityTask(6, 2)).proved


def test_uniform_weights_of_labels_certify_nothing_for_s3():
    """The bound they give lies above the maximum, and the optimal neurons are not all best."""
    group = named("S_3")
    found = certify(maxmargin_group(group), group, tau=uniform_labels(group))
    assert found.bound == pytest.approx(2 / 18**1.5 * 6 / 5)  # of sign, whose wrong labels add up to -1
    assert found.bound > 1.3 * max_margin(group).margin
    assert not found.best_neurons


def test_any_mixture_of_best_neurons_has_the_best_mean():
    """Lemma 7.5: the mean of g' survives, the minimum of g does not."""
    task = named("D_5")
    network = maxmargin_group(task)
    unit = scaled(network, 1 / neuron_norms(network))
    mass = RNG(3).exponential(size=network.u.shape[1])
    mixed = scaled(unit, (mass / mass.sum()) ** (1 / 3))
    best = max_margin(task).margin
    assert norm_power(mixed, task) == pytest.approx(1)
    assert expected_weighted_margin(mixed, task) == pytest.approx(best, rel=1e-10)
    assert normalised_margin(mixed, task) < 0.9 * best


def test_another_distribution_of_points_needs_its_own_bound():
    group = named("S_3")
    q = np.zeros(36)
    q[0] = 1
    with pytest.raises(ValueError, match="uniform points only"):
        certify(maxmargin_group(group), group, q=q)
    assert certify(maxmargin_group(group), group, q=q, bound=max_margin(group).margin).proved
    with pytest.raises(ValueError, match="36 points"):
        expected_weighted_margin(maxmargin_group(group), group, q=np.ones(3))


@pytest.mark.parametrize(("name", "type_"), [("Z_13", "C"), ("D_5", "R"), ("S_4", "R"), ("Q_8", "H")])
def test_climbing_ends_at_one_irrep_in_the_predicted_form(name, type_):
    """Under the hypothesis every start reaches gamma*: u, v, w of one length and one irrep, rank one, chained."""
    group = named(name)
    for seed in range(6):
        neuron = ascend(group, RNG(seed))
        assert neuron_norms(neuron)[0] == pytest.approx(1)
        assert neuron_values(neuron, group)[0] == pytest.approx(max_margin(group).margin, rel=1e-6)
        sides = [neuron.u[:, 0], neuron.v[:, 0], neuron.w[0]]
        shares = np.stack([powers(group, side) for side in sides])
        place = int(np.argmax(shares[0]))
        assert place > 0
        assert shares[:, place].min() > 1 - 1e-5
        alpha, beta, gamma = (coefficients(matrices(group)[place], side) for side in sides)
        assert rank1_defect(alpha, "H" if alpha.shape[0] > 1 and type_ == "H" else "R") < 1e-4
        assert chaining_defect(alpha, beta, gamma) < 1e-4


def test_climbing_may_end_lower_where_the_hypothesis_fails():
    group = named("A_5")
    best = max_margin(group).margin
    reached = np.array([neuron_values(ascend(group, RNG(seed)), group)[0] for seed in range(8)]) / best
    assert reached.max() <= 1 + 1e-9
    assert np.all(np.minimum(np.abs(reached - 1), np.abs(reached - 0.9295)) < 1e-3)
    assert np.any(reached < 0.95)


def test_the_best_parity_neuron_by_optimisation():
    """Nothing but the definition: the mean margin of one neuron of length 1 over the cube."""
    n, k, x = 6, 3, cube(6)
    y = chi(x, range(k))

    def value(flat):
        flat = flat / np.linalg.norm(flat)
        return -np.mean((x @ flat[:n]) ** k * y) * (flat[n] - flat[n + 1])

    found = min((minimize(value, RNG(seed).standard_normal(n + 2)) for seed in range(4)), key=lambda f: f.fun)
    assert -found.fun == pytest.approx(max_margin_parity(k), rel=1e-6)
    u, w = np.split(found.x / np.linalg.norm(found.x), [n])
    np.testing.assert_allclose(np.abs(u), [*np.full(k, 1 / math.sqrt(k + 1)), *np.zeros(n - k)], atol=1e-3)
    np.testing.assert_allclose(w, np.prod(np.sign(u[:k])) * np.array([1, -1]) / math.sqrt(2 * (k + 1)), atol=1e-3)


def test_squares_cannot_learn_the_parity_of_four_bits():
    """Every expected margin is 0, so no quadratic network separates it: D.2.2 must mean x^4 where it says quadratic."""
    x, rng = cube(6), RNG(0)
    y = chi(x, range(4))
    u, w = rng.standard_normal((6, 20)), rng.standard_normal((20, 2))
    scores = (x @ u) ** 2 @ w
    assert np.mean(y * (scores[:, 0] - scores[:, 1])) == pytest.approx(0, abs=1e-11)


def test_bad_input():
    group = named("S_3")
    with pytest.raises(ValueError, match="group network"):
        outputs(maxmargin_parity(6, 2), group)
    with pytest.raises(ValueError, match="13 inputs"):
        outputs(maxmargin_cyclic(13), group)
    with pytest.raises(ValueError, match="adds up to 1"):
        weighted_margins(maxmargin_group(group), group, tau=np.ones(3))
    with pytest.raises(ValueError, match="inverses"):
        best_neuron_value(cyclic(3), tau=np.array([0.0, 1.0, 0.0]))
    with pytest.raises(ValueError, match="1 <= k <= n"):
        ParityTask(3, 0)
