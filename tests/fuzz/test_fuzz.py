"""A few of the cases that ``make faults`` runs by the hundred thousand."""

import os

import pytest

from glassware import studies
from tests.fuzz import lines, specs, texts


@pytest.mark.parametrize(("judge", "count"), [(specs.judge, 300), (texts.judge, 100)])
def test_what_nobody_would_write_is_a_run_or_a_sentence(judge, count):
    ended = [judge(number, 0) for number in range(count)]
    assert {"refused", "a run" if judge is specs.judge else "a sweep"} <= {*ended}


def test_what_nobody_would_type_ends_in_a_sentence(monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", dict(studies.STUDIES))
    before = os.getcwd()
    try:
        assert {lines.judge(number, 0) for number in range(15)} == {"refused", "done"}
    finally:
        os.chdir(before)
