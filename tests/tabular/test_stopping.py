"""How long networks are trained: pilots find out, the others are told; a check keeps a mean of weights."""

from dataclasses import replace

import numpy as np
import pytest

from glassware.tabular import SparseMLPClassifier, lanes
from glassware.tabular.attempts import attempt
from glassware.tabular.cpu import program, weights
from glassware.tabular.recipe import PRESETS
from glassware.tabular.stopping import cut_short, others_reach, stop_at, waited

RNG = np.random.default_rng(0)
X = RNG.normal(size=(160, 5))
NOISE = RNG.integers(0, 2, 160)
SIGNAL = X[:, 0] + X[:, 1] + 0.7 * RNG.normal(size=160) > 0
ENDS = np.arange(1, 9)


def job(y, **changes):
    model = SparseMLPClassifier(
        (32, 16), n_ensemble=5, epochs=60, learning_rate=0.01, guided=False, precision="exact", random_state=0
    )
    prepared = model._prepare(X, y)
    return attempt(prepared, replace(prepared.recipe, cuts=0, **changes)).parts[0].job


def learnt(monkeypatch, made):
    """The outcome, and for each network the epochs it was trained for, most first."""
    epochs, orders = {}, program.orders

    def counted(shape, lane, begin, end):
        epochs[lane["order"].tobytes()] = end
        return orders(shape, lane, begin, end)

    monkeypatch.setattr(program, "orders", counted)
    outcome = program.train([made])[0]
    monkeypatch.undo()
    return outcome, sorted(epochs.values(), reverse=True)


def test_a_pilot_stops_when_it_has_waited_and_the_others_a_little_after_its_best():
    falls, noise = np.linspace(1, 0, 8), np.array([3.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0])
    assert [waited(noise[:n], ENDS, 3) for n in range(1, 9)] == [False] * 4 + [True] * 4
    assert not waited(falls, ENDS, 3)
    assert not waited(noise, ENDS, 0)
    assert not waited(noise, np.array([1, 1, 1, 1, 1, 1, 1, 2]), 3)  # checks at the same epoch count once
    assert [len(curve) for curve in cut_short(np.stack([noise] * 4), ENDS, 3)] == [5, 5, 4, 4]
    assert [len(curve) for curve in cut_short(np.stack([noise] * 4), ENDS, 0)] == [8] * 4
    assert others_reach([falls, noise[:5]], 8, 3) == 4  # their mean is judged where both have been
    assert others_reach([falls], 8, 3) == 8
    assert stop_at([noise[:5], noise[:3], falls]) == (1, pytest.approx((2 + falls[1]) / 3))
    unknown = np.full(8, np.nan)
    assert stop_at([unknown])[0] == 7


def test_on_noise_networks_stop_early_and_xla_takes_the_same_moment(monkeypatch):
    made = job(NOISE)
    ours, epochs = learnt(monkeypatch, made)
    assert len(epochs) == 5
    assert epochs[0] <= 40  # of 60
    assert epochs[2] < 20  # no pilot
    theirs = lanes.train([made], "xla")[0]
    assert ours.loss == pytest.approx(theirs.loss, rel=1e-4)
    for one, other in zip(ours.members, theirs.members, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a["w"], b["w"], atol=1e-3)
    _, epochs = learnt(monkeypatch, job(NOISE, patience=0))
    assert epochs == [60] * 5


def test_the_same_networks_on_any_number_of_cores(monkeypatch):
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(program, "cores", lambda cores=cores: cores)
        monkeypatch.setattr(program, "stay", lambda number: None)
        found.append(program.train([job(NOISE), job(SIGNAL)]))
    for one, other in zip(*found, strict=True):
        assert one.loss == other.loss
        for mine, theirs in zip(one.members, other.members, strict=True):
            assert all(np.array_equal(a["w"], b["w"]) for a, b in zip(mine, theirs, strict=True))


def test_a_check_keeps_the_mean_of_the_weights_on_the_way(monkeypatch):
    seen, kernel = [], program.kernel

    def watched(precision):
        found = kernel(precision)

        def train_epochs(net, table, orders, state, scratch, adam):
            loss = found.train_epochs(net, table, orders, state, scratch, adam)
            if len(adam):
                seen.append(state.w.copy())
            return loss

        return found._replace(train_epochs=train_epochs)

    monkeypatch.setattr(program, "kernel", watched)
    made = job(SIGNAL, epochs=1, n_ensemble=1)
    outcome = program.train([made])[0]
    assert len(seen) == 3  # an epoch of five steps: after two, four, five
    mean = weights.read(weights.layout(made.shape()), np.mean(seen, axis=0), 5)
    for ours, expected in zip(outcome.members[0], mean, strict=True):
        np.testing.assert_allclose(ours["w"], expected["w"], atol=1e-6)
    assert np.abs(seen[0] - seen[-1]).max() > 1e-3


def test_large_tables_get_batches_of_64_and_as_many_epochs_as_before():
    recipe = PRESETS["default"]
    assert [recipe.batch_size_for(rows) for rows in (100, 1000, 3000, 10_000, 100_000)] == [32, 32, 64, 64, 64]
    assert [recipe.passes(rows) for rows in (875, 8750)] == [68, 87]
    assert replace(recipe, batch_size=500).batch_size_for(10) == 500
