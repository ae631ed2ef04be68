"""Mistakes in a study of your own: one sentence each, when they are made; and one mistake does not hide the rest."""

import logging
from dataclasses import replace

import polars as pl
import pytest

import glassware as gw
from glassware.studies import FigureError, claims, figures
from tests.calls import call
from tests.helpers import TINY
from tests.tiny_study import STUDY, WIDTHS, claim, first

RATE = gw.rate(3, 10)
FRAME = pl.DataFrame({"width": [3, 30], "m": [100, None], "success": [True, False]})
CHECK = lambda frame: gw.Finding(gw.rate(*gw.counts(frame, width=3)), gw.at_least(0.4), "points")


def changed(probe, **fields):
    """A probe as the user would make it: in the tests its types are checked before it checks them itself."""
    for name, value in fields.items():
        object.__setattr__(probe, name, value)
    probe.__post_init__()


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (lambda: gw.Finding(RATE, 0.3), r"meets a threshold, as gw.at_least\(0.3\), or a verdict, not 0.3"),
        (lambda: gw.Finding(RATE, True), "or a verdict, not True"),
        (lambda: gw.Finding(0.3, gw.at_least(0.3)), "measures a gw.Estimate, .* not 0.3"),
        (lambda: gw.Finding(RATE, gw.at_least(0.3), "percent"), "unit of a finding is one of .*, not 'percent'"),
        (lambda: gw.at_least("0.3"), "a threshold is a number, .* not '0.3'"),
        (lambda: gw.rate(5, 3), "5 of 3 cannot be"),
        (lambda: gw.Claim("a", "", "", "", 0.3), "check of claim 'a' must be a function of the rows, not 0.3"),
        (lambda: gw.Claim("a", "", "", "", CHECK, "smoke"), "scales of claim 'a' must be a tuple of some of smoke"),
        (lambda: changed(gw.Probe("final", len), when="sometimes"), "measured as 'curve' or 'final', not 'sometimes'"),
        (lambda: replace(STUDY, stages=first), r"stages of the study 'test/tiny' must be a tuple of .* \(runs,\)"),
        (lambda: replace(STUDY, claims=claim("a", True)), r"claims of the study 'test/tiny' must be .* \(claim,\)"),
        (lambda: replace(STUDY, claims=(claim("a", True),) * 2), "the study 'test/tiny' has two claims 'a'"),
        (lambda: replace(STUDY, stages=(lambda *_: gw.grid(TINY)[0],)).size("smoke"), "a list of gw.Run, .* not Run"),
        (lambda: replace(STUDY, stages=(lambda *_: None,)).size("smoke"), "stage 1 of the study 'test/tiny' .* None"),
        (lambda: gw.grid(TINY, {"m": 100}), "axis 'm' must be a list of values, not 100"),
        (lambda: gw.grid(TINY, {"m": "online"}), "axis 'm' must be a list of values, not 'online'"),
        (lambda: gw.grid(TINY, {"width": [1]}), "axis 'width': .* did you mean 'model.width'"),
        (lambda: gw.counts(FRAME, widht=3), "the rows have no column 'widht'; did you mean 'width'"),
        (lambda: gw.counts(FRAME, width="3"), "the column 'width' has numbers, not '3'"),
        (lambda: gw.charts.success_heat_map(FRAME, title="", y="model.width", column=None), "did you mean 'width'"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence(mistake, said):
    with pytest.raises(gw.GlasswareError, match=said):
        mistake()


def test_online_may_be_written_out():
    assert gw.counts(FRAME, m="online") == gw.counts(FRAME, m=None) == (0, 1)


@pytest.mark.parametrize("gives", [True, 0.3, None, RATE])
def test_a_check_that_fails_leaves_the_other_claims(gives):
    wrong = replace(claim("wrong", True), check=lambda frame: gives)
    broken = replace(claim("broken", True), check=lambda frame: 1 / 0)
    judged = claims(replace(STUDY, claims=(wrong, broken, claim("true", True))), "smoke", FRAME)
    assert [one.verdict for one in judged] == ["error", "error", "holds"]
    assert "not a gw.Finding" in judged[0].detail
    assert "ZeroDivisionError: division by zero (test_mistakes.py, line" in judged[1].detail


def test_a_figure_that_fails_leaves_the_others(tmp_path, caplog):
    frame = FRAME.with_columns(test_error=0.5)
    study = replace(STUDY, figures={"bad": lambda _: 1 / 0, **WIDTHS, "forgotten": lambda _: None})
    with pytest.raises(FigureError, match="figure 'bad' of test/tiny cannot be drawn: ZeroDivisionError") as caught:
        figures(study, "smoke", frame, tmp_path)
    assert [path.name for path in caught.value.drawn] == ["widths.png", "widths.html"]
    assert "figure 'forgotten' of test/tiny returned None" in caplog.text


def test_commands_show_the_rest_and_end_with_1(folder, monkeypatch, caplog):
    caplog.set_level(logging.CRITICAL, "glassware")
    broken = replace(claim("broken", True), check=lambda frame: 1 / 0)
    study = replace(
        STUDY, stages=(first,), claims=(broken, claim("true", True)), figures={"bad": lambda _: 1 / 0, **WIDTHS}
    )
    monkeypatch.setitem(gw.STUDIES, study.name, study)
    made = call("reproduce", "test/tiny", "--seeds", "1")
    assert (made.exit_code, made.stderr.count("\n")) == (1, 2)
    assert "claim 'broken' of test/tiny: the check failed: ZeroDivisionError" in made.stderr
    assert "figure 'bad' of test/tiny" in made.stderr
    for words in ("✓ holds", "! error", "1 of 2 claims of the paper hold, 1 has an error", "widths.png"):
        assert words in made.stdout
    assert call("claims", "test/tiny", "--seeds", "1", "--json").exit_code == 1
    drawn = call("figures", "test/tiny", "--seeds", "1")
    assert drawn.exit_code == 1
    assert "widths.png" in drawn.stdout


def test_a_threshold_that_its_words_contradict_is_shown():
    said = lambda words: claims(
        replace(STUDY, claims=(gw.Claim("a", "", "", words, CHECK, ("smoke",)),)), "smoke", FRAME
    )
    assert said("")[0].threshold == "≥ 40%"
    assert said("at least 40 points")[0].threshold == "at least 40 points"
    assert said("≥ 30%")[0].threshold == "≥ 30% (checked: ≥ 40%)"
    assert [limit.words(unit) for limit, unit in ((gw.below(2), "times"), (gw.between(1.5, 2.5), ""))] == [
        "< 2×",
        "1.5 to 2.5",
    ]
