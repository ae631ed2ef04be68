"""Strips of digits: what they show, what they ask for, and that training never sees a test image."""

import sys

import numpy as np
import pytest

from glassware.foundation.draws import Stream, held_out_key, run_key, stream_key
from glassware.foundation.errors import GlasswareError
from glassware.models import MLP
from glassware.tasks import DigitStrip
from glassware.tasks.digits import IMAGES, TRAIN_IMAGES, images
from glassware.training import Evaluation, Loop, Run

INDEX = np.arange(3000, dtype=np.uint32)
KEY = run_key(1, "a cell")


def strips(task, raw):
    values = task.values(KEY)
    return np.asarray(task.inputs(values, raw)), np.asarray(task.targets(values, raw))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_strip_is_its_images_and_its_label_the_parity_of_their_sum(k):
    task = DigitStrip(k=k)
    raw = task.raw(stream_key(KEY, Stream.EXAMPLE), INDEX)
    x, y = strips(task, raw)
    pixels, digits = images()
    chosen = task.values(KEY)["order"][np.asarray(raw)]
    np.testing.assert_array_equal(x.reshape(-1, k, 64), pixels[chosen])
    np.testing.assert_array_equal(y, np.where(digits[chosen].sum(axis=1) % 2 == 0, 1, -1))
    assert x.min() == 0
    assert x.max() == 1


def test_no_image_is_in_training_and_test_strips():
    task = DigitStrip(k=1)
    own, _ = strips(task, task.raw(stream_key(KEY, Stream.EXAMPLE), INDEX))
    loop = Loop(Run(task=task, m=100, model=MLP(width=4), evaluation=Evaluation(test=3000)).shape())
    examined = np.asarray(loop.examination().raw).reshape(-1, 1)
    np.testing.assert_array_equal(examined[:3000], task.held_out(held_out_key(), INDEX))
    other, _ = strips(task, examined)
    assert not {row.tobytes() for row in own} & {row.tobytes() for row in other}
    assert len({row.tobytes() for row in own}) > 1000
    assert len({row.tobytes() for row in other}) > 400


def test_every_run_splits_the_images_anew():
    one, two = (DigitStrip(k=1).values(run_key(seed, "a cell"))["order"] for seed in (1, 2))
    assert sorted(one) == sorted(two) == list(range(IMAGES))
    assert set(one[:TRAIN_IMAGES]) != set(two[:TRAIN_IMAGES])


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    images.cache_clear()
    with pytest.raises(GlasswareError, match="needs scikit-learn: pip install"):
        strips(DigitStrip(k=1), np.zeros((1, 1), np.uint32))
