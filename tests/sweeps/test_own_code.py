"""Rows of a part of your own remember its code: an edit that changes what it does is told, any other is not."""

import logging

import pytest

import glassware as gw
from glassware.sweeps.own_code import COLUMN
from tests.helpers import tiny

PART = '''
from typing import ClassVar, Literal

import glassware as gw
from glassware.foundation.draws import draw, unit

SCALE = 1.0

def middle():
    return 0.5

@gw.register
class Half(gw.Task):
    """Is x above the middle?"""

    name: Literal["test-half"] = "test-half"
    offset: float = 0.0
    input_shape: ClassVar = (1,)

    def raw(self, key, index):
        return unit(draw(key, index, 0 * index)[0])

    def inputs(self, values, raw):
        return SCALE * raw[..., None]

    def targets(self, values, raw):
        return 1.0 - 2.0 * (raw < middle() + self.offset)
'''


@pytest.fixture
def _forgotten():
    yield
    gw.TASKS.pop("test-half", None)


@pytest.fixture
def swept(folder, caplog, _forgotten):
    """Sweeps the task as this text defines it into one store; returns what was said."""

    def sweep(text):
        names = {"__name__": "mine"}
        exec(compile(text, "mine.py", "exec", dont_inherit=True), names)
        base = gw.Run(task=names["Half"](), model=gw.MLP(width=4), steps=20, batch=4, keep=("final",),
                      evaluation=gw.Evaluation(every=10, test=32))  # fmt: skip
        caplog.clear()
        with caplog.at_level(logging.WARNING, "glassware"):
            frame = gw.sweep(gw.grid(base, seeds=2), "store")
        return frame, [record.getMessage() for record in caplog.records]

    return sweep


def test_the_same_code_is_not_told_whatever_its_comments(swept):
    assert swept(PART)[1] == []
    commented = PART.replace("above the middle?", "large?").replace(
        "        return SCALE", "        # why\n        return SCALE"
    )
    assert swept(commented)[1] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("raw < middle()", "raw > middle()"),  # a method
        ("return 0.5", "return 0.25"),  # a function of the file
        ("SCALE = 1.0", "SCALE = 2.0"),  # a constant of the file
        ("offset: float = 0.0", "offset: float = 0.1"),  # a default, which ids leave out
    ],
)
def test_other_code_under_the_same_name_is_told(swept, caplog, old, new):
    before, said = swept(PART)
    assert said == []
    assert old in PART
    after, said = swept(PART.replace(old, new))
    assert after["id"].to_list() == before["id"].to_list()  # found, not trained again
    (line,) = said
    assert line.startswith("rows in store (2 of 2) were made by other code of the task 'test-half'")
    caplog.clear()
    gw.network(before.row(0, named=True), store="store")
    assert "(1 of 1) were made by other code" in caplog.text


def test_what_comes_with_glassware_is_not_recorded():
    assert COLUMN not in gw.sweep([tiny()]).columns
