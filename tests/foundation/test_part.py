"""Parts made in Python: mistakes in one sentence, the same that a sweep file gets, and copies that are equal."""

import copy
import pickle
from typing import Literal

import pytest

import glassware as gw
from glassware.sweeps.validation import build

GIVEN = {"task": gw.Parity(n=9, k=2), "model": gw.MLP(width=4)}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: gw.Run(**GIVEN, stepz=3), "unknown field 'stepz' of run; did you mean 'steps'?"),
        (lambda: gw.SGD(lrr=0.1), "unknown field 'lrr' of optimiser 'sgd'; did you mean 'lr'?"),
        (
            lambda: gw.Run(**GIVEN, optimiser={"name": "sgd", "lrr": 0.1}),
            "unknown field 'lrr' of optimiser 'sgd'; did you mean 'lr'?",
        ),
        (
            lambda: gw.Run(**GIVEN, optimiser={"name": "adam", "lr": 1, "schedule": {"name": "cosine", "step": 9}}),
            "unknown field 'step' of optimiser.schedule 'cosine'; did you mean 'steps'?",
        ),
        (
            lambda: gw.Run(**GIVEN, penalty=[{"name": "l2", "wieght": 1}]),
            "unknown field 'wieght' of penalty 'l2'; did you mean 'weight'?",
        ),
        (lambda: gw.Init(scheem="dense"), "unknown field 'scheem' of init; did you mean 'scheme'?"),
        (
            lambda: gw.KernelRidge(kernle="rbf"),
            "unknown field 'kernle' of model 'kernel-ridge'; did you mean 'kernel'?",
        ),
        (
            lambda: gw.Parity(n=9, k=2, zzz=1),
            "unknown field 'zzz' of task 'parity'; valid: name, n, k, support, noise, distribution",
        ),
        (lambda: gw.Run(task=GIVEN["task"]), "model is missing"),
        (lambda: gw.Run(**GIVEN, batch=0), "batch must be greater than or equal to 1, not 0"),
        (lambda: gw.Parity(n=3, k=9), "k must be at most n: k = 9, n = 3"),
    ],
)
def test_a_mistake_in_python_is_one_sentence(make, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (its whole text is compared)
        make()
    assert str(caught.value) == sentence
    assert isinstance(caught.value, gw.GlasswareError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == sentence


def test_python_and_sweep_files_get_the_same_sentence():
    wrong = {"task": {"n": 9, "k": 2}, "model": {"width": 4}, "optimiser": {"name": "sgd", "lr": 0.1, "momentun": 1}}
    sentences = []
    for make in (lambda: gw.Run(**wrong), lambda: build(wrong), lambda: gw.grid(wrong)):
        with pytest.raises(gw.GlasswareError) as caught:
            make()
        sentences.append(str(caught.value))
    assert sentences == ["unknown field 'momentun' of optimiser 'sgd'; did you mean 'momentum'?"] * 3


def test_a_part_of_ones_own_is_explained_like_ours():
    class Majority(gw.Parity):
        name: Literal["majority-here"] = "majority-here"
        margin: int = 1

    with pytest.raises(ValueError, match="unknown field 'margn' of task 'majority-here'; did you mean 'margin'"):
        Majority(n=9, k=3, margn=2)


def test_runs_are_copied_and_pickled():
    run = gw.Run(**GIVEN, m=30, optimiser=gw.Adam(lr=0.01, schedule=gw.Cosine(steps=60)), seed=7)
    for again in (copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run)), run.model_copy()):
        assert again == run
        assert hash(again) == hash(run)
