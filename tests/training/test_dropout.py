"""Dropout, clipping and padded full batches in a whole run."""

import jax
import numpy as np
import pytest

from glassware.models import ClsTransformer, Init
from glassware.models.dropout import Dropout
from glassware.sweeps import run_id
from glassware.tasks import Junta
from glassware.training import SGD, AdamW, Evaluation, Loop, Run
from glassware.training.examples import Examples
from glassware.training.gradient import Gradient
from tests import reference
from tests.helpers import tiny, weights_along

SMALL = ClsTransformer(width=8, heads=2, d_attn=4, embedding_dropout=0.0)


def junta(**changes):
    given = {
        "task": Junta(length=12), "m": 20, "model": SMALL, "batch": "full", "steps": 20,
        "optimiser": AdamW(lr=0.01), "evaluation": Evaluation(every=10, test=64, success=0.0),
    }  # fmt: skip
    return Run(**{**given, **changes})


def first_loss(run):
    """The training loss of the first step."""
    shape = run.shape()
    gradient, first = Gradient(shape, Examples(shape)), Loop(shape).init
    return float(jax.jit(lambda values: gradient(values, first(values))[1]["loss"])(run.values()))


def test_runs_of_different_m_share_a_program():
    assert junta(m=17).shape() == junta(m=64).shape() != junta(m=65).shape()
    assert [junta(m=m).shape().m for m in (1, 64, 97, 128, 129, 257)] == [64, 64, 128, 128, 256, 512]


def test_a_padded_batch_is_the_mean_over_its_own_rows_with_their_own_coins():
    run = junta(m=19)
    values = run.values()
    x = run.task.bits(run.task.sample_key(run.key(), 19), np.arange(19, dtype=np.uint32)).astype(np.float32)
    y = x[:, run.task.hidden_support(run.key())].all(axis=1).astype(int)
    dropout = Dropout(values["keys"]["dropout"], 0, np.arange(19, dtype=np.uint32))
    logits = jax.jit(lambda values: SMALL.apply_training(SMALL.init(values, run.task), x, dropout))(values["init"])
    loss = -np.asarray(jax.nn.log_softmax(logits))[np.arange(19), y].mean()
    assert first_loss(run) == pytest.approx(loss, rel=1e-5)


def test_another_seed_for_the_weights_keeps_the_sample_and_drops_other_numbers():
    one, other = (junta(init=Init(seed=seed)).values()["keys"] for seed in (1, 2))
    assert one["example"].tolist() == other["example"].tolist() == junta().values()["keys"]["example"].tolist()
    assert one["dropout"].tolist() != other["dropout"].tolist()


def test_runs_without_dropout_have_no_stream_for_it():
    assert set(tiny().values()["keys"]) == {"example", "noise", "order"}
    model = SMALL.model_copy(update={"attention_dropout": 0.0, "output_dropout": 0.0})
    assert set(junta(model=model).values()["keys"]) == {"example", "noise", "order"}


def test_a_gradient_is_clipped_to_its_norm():
    def moved(clip):
        run = tiny(optimiser=SGD(lr=1.0, clip=clip), pairing="clip")
        start, after = reference.start(run), weights_along(run)
        return np.concatenate([np.ravel(a - b[0]) for a, b in zip(start, after, strict=True)])

    free, clipped, loose = moved(None), moved(0.01), moved(1e3)
    assert np.linalg.norm(free) > 0.05
    np.testing.assert_allclose(clipped, free * 0.01 / np.linalg.norm(free), atol=1e-5)
    np.testing.assert_allclose(loose, free, atol=1e-6)


def test_clipping_is_a_lane_value_and_no_column_of_runs_without_it():
    assert junta(optimiser=AdamW(lr=0.01, clip=1.0)).shape() == junta(optimiser=AdamW(lr=0.02, clip=2.0)).shape()
    assert "clip" not in junta().columns()
    assert junta(optimiser=AdamW(lr=0.01, clip=2.0)).columns()["clip"] == 2.0
    assert run_id(tiny()) == run_id(tiny(optimiser={"name": "sgd", "lr": 0.1, "weight_decay": 0.01, "clip": None}))


def test_rows_say_how_many_samples_were_rejected():
    row = junta(task=Junta(length=40), m=14).columns()
    assert row["rejected"] >= 0
    assert len(row["support"]) == 3
    assert row["bit_bias"] == pytest.approx(0.7937, abs=1e-4)
