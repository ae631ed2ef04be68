"""Kept weights: what is on disk is what was trained, and other runs may start from it."""

import jax
import numpy as np
import pytest

from glassware.engine import train
from glassware.foundation.errors import GlasswareError, StoreError
from glassware.models.model import from_leaves, named_leaves
from glassware.sweeps import Store, run_id, sweep
from glassware.sweeps.kept import find, run_of
from tests import reference
from tests.helpers import TINY, tiny

WHOLE = {**TINY["evaluation"], "stop": False}


def arrays(params):
    """A network's weights in the reference's order."""
    first, last = params
    return first["w"], first["b"], last["w"][:, 0], last["b"][0]


def loaded(path, run, step="final"):
    return from_leaves(Store(path).weights(run_id(run), step))


@pytest.mark.parametrize(
    ("engine", "keep"),
    [("xla", ("first", 0, 20, 60, "final")), ("kernels", ("first", "final"))],
    ids=["xla", "kernels"],
)
def test_what_is_kept_is_what_the_plain_trainer_has(tmp_path, engine, keep):
    runs = [tiny(m=50, seed=seed, keep=keep, evaluation=WHOLE) for seed in range(3)]
    table = sweep(runs, tmp_path, engine=engine, lanes=2)
    assert set(table["engine"]) == {engine}
    assert table["keep"].to_list() == [list(map(str, keep))] * 3
    for run in runs:
        along = [reference.start(run), *(list(params) for params in reference.sgd(run))]
        for step in keep:
            at = {"first": 0, "final": 60}.get(step, step)
            for ours, plain in zip(arrays(loaded(tmp_path, run, step)), along[at], strict=True):
                np.testing.assert_allclose(ours, plain, atol=1e-5, err_msg=f"step {step}")
    assert sorted(run_of(path) for path in (tmp_path / "weights").iterdir()) == sorted(map(run_id, runs))


def test_kept_steps_share_a_program_and_do_not_change_the_run():
    runs = [tiny(seed=1, keep=(step, "final"), evaluation=WHOLE) for step in (10, 50)]
    assert len({run.shape() for run in runs}) == 1
    outcomes = list(train([*runs, tiny(seed=1, evaluation=WHOLE)], engine="xla"))
    assert len({outcome.curves["loss"].tobytes() for outcome in outcomes}) == 1
    assert {tuple(outcome.weights) for outcome in outcomes} == {("10", "final"), ("50", "final"), ()}


def test_names_are_those_of_the_network():
    first, bias, last = (np.full(1, value) for value in (1.0, 2.0, 3.0))
    params = ({"w": first, "b": bias}, {"w": last})
    assert named_leaves(params) == {"0.w": first, "0.b": bias, "1.w": last}
    assert from_leaves(named_leaves(params)) == params


def test_a_run_that_ended_earlier_lacks_the_later_steps(tmp_path):
    run = tiny(task={"n": 20, "k": 1}, keep=("first", 10, 60), evaluation={**TINY["evaluation"], "success": 0.2})
    table = sweep([run], tmp_path)
    assert 10 <= table["steps_taken"].item() < 60
    assert len(loaded(tmp_path, run, 10)) == 2
    with pytest.raises(GlasswareError) as caught:
        Store(tmp_path).weights(run_id(run), 60)
    assert str(caught.value) == f"run {run_id(run)} has no weights of step 60; it kept first, 10"


def test_weights_that_are_not_there_are_a_sentence(tmp_path):
    run = tiny(keep=("final",))
    sweep([run, tiny(seed=1)], tmp_path)
    with pytest.raises(GlasswareError, match=r'^run \w+ has kept no weights in .*: give keep=\("final",\) in its spec'):
        Store(tmp_path).weights(run_id(tiny(seed=1)))
    path = find(tmp_path, run_id(run))
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:4], b"", b"\xff" * 100):
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=rf"^{path} is damaged") as caught:
            Store(tmp_path).weights(run_id(run))
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("keep", "sentence"),
    [
        ((15,), "steps at which the run is examined, as 20, not 15"),
        ((70,), "steps at which the run is examined, as 60, not 70"),
        (("last",), "keep"),
        (tuple(range(0, 20_010, 10)), "keep"),
    ],
)
def test_an_impossible_keep_is_refused_in_a_sentence(keep, sentence):
    with pytest.raises(GlasswareError) as caught:
        tiny(keep=keep)
    assert sentence in str(caught.value)


def test_with_growing_steps_only_those_can_be_kept():
    exam = {**WHOLE, "growth": 2.0}  # 10, 20, 40, 60
    (outcome,) = train([tiny(keep=(40, 60), evaluation=exam)])
    assert set(outcome.weights) == {"40", "60"}
    with pytest.raises(GlasswareError, match=r"as (40|60), not 50"):
        tiny(keep=(50,), evaluation=exam)


def test_keeping_needs_a_store():
    with pytest.raises(GlasswareError, match=r"^weights are kept in a store, and found there: give one$"):
        sweep([tiny(keep=("final",))])


# -- starting from kept weights -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    """A trained run, and the store that has its weights."""
    path, run = tmp_path_factory.mktemp("parent"), tiny(m=50, steps=30, keep=("first", 10, "final"), evaluation=WHOLE)
    sweep([run], path, engine="xla")
    return path, run


def child(run, **changes):
    start = {"run": run_id(run), **changes.pop("start", {})}
    return tiny(m=50, keep=("first", "final"), evaluation=WHOLE, start=start, **changes)


@pytest.mark.parametrize("step", ["first", 10, "final"])
def test_a_run_goes_on_from_what_another_has_kept(parent, step):
    path, run = parent
    more = child(run, start={"step": step}, steps=20)
    table = sweep([more], path)
    kept, begun = loaded(path, run, step), loaded(path, more, "first")
    jax.tree.map(np.testing.assert_array_equal, begun, kept)
    assert (table["start_run"].item(), table["start_step"].item()) == (run_id(run), str(step))
    params = [np.float64(a) for a in arrays(kept)]  # and trains on its own examples
    for g in reference.gradients_along(more, params):
        params[:] = [p - 0.1 * (d + 0.01 * p) for p, d in zip(params, g, strict=True)]
    for ours, plain in zip(arrays(loaded(path, more)), params, strict=True):
        np.testing.assert_allclose(ours, plain, atol=1e-5)


def test_one_layer_may_be_transplanted(parent):
    path, run = parent
    other = child(run, start={"leaves": ["0.*"]}, seed=5, probes=["movement"])
    table = sweep([other], path)
    first, kept = loaded(path, other, "first"), loaded(path, run)
    jax.tree.map(np.testing.assert_array_equal, first[0], kept[0])
    drawn = reference.start(other)
    np.testing.assert_allclose(arrays(first)[2], drawn[2], atol=1e-6)
    assert np.abs(arrays(first)[2] - arrays(kept)[2]).max() > 0.1
    moved = np.abs(loaded(path, other)[0]["w"] - first[0]["w"]).max()
    assert table["curve_movement"].list.last().item() == pytest.approx(moved)  # from where it started
    assert table["curve_movement"].list.first().item() == 0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model": {"width": 9}}, r"the weights '0\.\w' of run \w+ are \(.*8,?\); this network's are \(.*9,?\)"),
        (
            {"model": {"width": [8, 8]}},
            r"the weights '\d\.\w' of run \w+ are (missing|\(.*\)); this network's are \(.*\)",
        ),
        ({"start": {"leaves": ["7.*"]}}, r"start.leaves \['7\.\*'\] match no weights; 0\.b, 0\.w, 1\.b, 1\.w"),
        ({"start": {"step": 20}}, r"run \w+ has no weights of step 20; it kept first, 10, final"),
        ({"start": {"run": "0" * 20}}, r"run 0{20} has kept no weights in .*"),
    ],
)
def test_weights_that_do_not_fit_are_a_sentence(parent, changes, sentence):
    path, run = parent
    before = Store(path).ids()
    with pytest.raises(GlasswareError, match=f"^{sentence}") as caught:
        sweep([child(run, **changes)], path)
    assert len(str(caught.value).splitlines()) == 1
    assert Store(path).ids() == before


def test_runs_that_start_from_different_weights_share_a_program(parent):
    _, run = parent
    assert child(run).shape() == child(run, start={"step": 10}).shape() != child(run, start={"leaves": ["0.*"]}).shape()
    assert run_id(child(run)) != run_id(child(run, start={"step": 10}))
