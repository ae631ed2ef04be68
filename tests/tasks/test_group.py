import numpy as np
import pytest

from glassware.foundation.errors import GlasswareError
from glassware.sweeps.validation import build
from glassware.tasks import CubeParity, GroupMultiplication
from glassware.theory.margins.groups import named
from glassware.training import Run

KEY = np.zeros(2, np.uint32)


def listed(task):
    """All examples of a finite task: inputs and targets."""
    raw, values = task.raw(KEY, np.arange(task.domain, dtype=np.uint32)), task.values(KEY)
    return np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))


@pytest.mark.parametrize("group", ["Z_7", "S_3", "Z_2 x Z_3"])
def test_all_pairs_are_labelled_by_their_product(group):
    task = GroupMultiplication(group=group)
    inputs, targets = listed(task)
    assert len({tuple(pair) for pair in inputs}) == task.classes**2
    np.testing.assert_array_equal(targets, named(group).table[inputs[:, 0], inputs[:, 1]])


def test_a_table_of_ones_own_is_a_group_with_a_name():
    table = tuple(map(tuple, named("S_3").table.tolist()))
    mine, theirs = GroupMultiplication(group=table), GroupMultiplication(group="S_3")
    np.testing.assert_array_equal(listed(mine)[1], listed(theirs)[1])
    assert mine.columns("task")["group"].startswith("table of order 6 (")
    spec = {"task": mine.model_dump(), "model": {"name": "group-net", "width": 4}}
    assert build(spec).task == mine


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("Z71", "no known group"),
        (((0, 1), (1,)), "square"),
        (((0, 1, 2), (1, 2, 0)), "square"),
        (((0, 1), (1, 1)), "permutation"),
        (((1, 0, 2), (0, 2, 1), (2, 1, 0)), "identity"),
    ],
)
def test_what_is_no_group_is_refused_in_a_sentence(group, said):
    with pytest.raises(GlasswareError, match=said) as caught:
        build({"task": {"name": "group", "group": group}, "model": {"name": "group-net", "width": 4}})
    assert "\n" not in str(caught.value)


def test_a_cube_has_all_sign_vectors_and_two_classes():
    task = CubeParity(n=5, k=3, support=(0, 2, 4))
    inputs, targets = listed(task)
    assert len({tuple(x) for x in inputs}) == 32
    np.testing.assert_array_equal(np.where(targets == 0, 1, -1), inputs[:, [0, 2, 4]].prod(axis=1))


@pytest.mark.parametrize(
    "spec",
    [
        {"task": {"name": "cube-parity", "n": 4, "k": 5}, "model": {"name": "power-net", "width": 4, "degree": 2}},
        {"task": {"name": "cube-parity", "n": 40, "k": 5}, "model": {"name": "power-net", "width": 4, "degree": 2}},
        {"task": {"name": "group", "group": "S_3"}, "model": {"name": "group-net", "width": 0}},
        {"task": {"name": "group", "group": "S_3"}, "model": {"name": "mlp", "width": 5}, "probes": ["margin"]},
        {"task": {"name": "cube-parity", "n": 4, "k": 2}, "model": {"name": "group-net", "width": 5}},
        {"task": {"name": "parity", "n": 4, "k": 2}, "model": {"name": "power-net", "width": 5, "degree": 2}},
        {"task": {"name": "group", "group": "S_3"}, "model": {"name": "group-net", "width": 5, "begins": "memorising"}},
        {"task": {"name": "group", "group": "S_3"}, "model": {"name": "group-net", "width": 5, "activation": "gelu"}},
    ],
)
def test_parts_that_do_not_fit_are_refused_in_a_sentence(spec):
    with pytest.raises(GlasswareError) as caught:
        build(spec)
    assert "\n" not in str(caught.value)


def test_halves_of_a_group_are_disjoint():
    run = Run(task=GroupMultiplication(group="Z_5"), m=15, model={"name": "group-net", "width": 4})
    assert run.sample == 15
    assert run.task.domain == 25
