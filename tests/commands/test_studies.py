import json
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import glassware as gw
from glassware import studies
from glassware.cli import app
from glassware.foundation.errors import GlasswareError
from tests.calls import call, sentence, snapshot
from tests.tiny_study import STUDY, claim, first


def test_studies(monkeypatch):
    monkeypatch.setattr(
        studies, "STUDIES", {STUDY.name: STUDY, "test/one": replace(STUDY, name="test/one", stages=(first,))}
    )
    result = call("studies")
    assert result.exit_code == 0
    assert re.search(r"test/tiny +Two widths of a small network +4 \+ +4 \+ +4 \+ +4 *\n", result.stdout)
    assert re.search(r"test/one +Two widths of a small network +4 +4 +4 +4 *\n", result.stdout)
    narrow = CliRunner().invoke(app, ["studies"], env={"COLUMNS": "50"}).stdout
    assert re.search(r"test/tiny +4 \+ +4 \+ +4 \+ +4 *\n", narrow)


def test_a_study_from_end_to_end(folder, tiny_study, trained):
    words = ["reproduce", "test/tiny", "--scale", "smoke"]
    result = call(*words)
    assert (result.exit_code, result.stderr, len(trained)) == (0, "", 8)
    said = result.stdout
    assert "test/tiny at scale smoke: Two widths of a small network" in said
    for stage in (1, 2):
        assert f"stage {stage} of 2: 4 runs: 0 done before, 4 to train" in said
    assert re.search(r"at most about \d+ \w+; less when runs succeed early", said)
    assert re.search(r"trained 4 runs in 0:\d\d: \d succeeded", said)
    table = re.sub(r"\s+", " ", said)
    for name, needed, verdict in (("true", "≥ 20%", "✓ holds"), ("false", "≥ 80%", "✗ fails")):
        assert re.search(rf"│ {name} │ Section 1 │ 50% \[25%, 75%\] │ {needed} │ {verdict} +│", table), said
    assert re.search(r"│ rare │ Section 1 │ – │ ≥ 80% │ \? not enough runs │", table)
    assert "1 of 3 claims of the paper hold" in said
    assert "not judged at scale smoke: large" in said
    for kind in ("png", "html"):
        path = f"results/figures/test/tiny/smoke/widths.{kind}"
        assert f"figure {path}" in said
        assert (folder / path).stat().st_size
    assert "results in results/store" in said

    before = snapshot(folder / "results/store")
    again = call(*words)
    assert (again.exit_code, len(trained)) == (0, 8)
    assert again.stdout.count("4 runs: 4 done before, 0 to train") == 2
    assert snapshot(folder / "results/store") == before

    more = call(*words, "--seeds", "3", "--lanes", "2")
    assert "6 runs: 4 done before, 2 to train" in more.stdout
    assert "4 runs: 4 done before" not in more.stdout  # the second stage grew with the first

    claims = call("claims", "test", "--scale", "smoke", "--json")
    assert (claims.exit_code, claims.stderr) == (0, "")
    assert [c["verdict"] for c in json.loads(claims.stdout)] == [
        "holds", "fails", "not enough runs", "not judged at this scale",
    ]  # fmt: skip
    assert "✗ fails" in call("claims", "test/tiny", "--scale", "smoke").stdout
    assert call("claims", "test/tiny", "--scale", "smoke", "--markdown").stdout.splitlines() == [
        "| claim | where | needed | measured | verdict |",
        "|---|---|---|---|---|",
        "| `true`: It is said that true | Section 1 | ≥ 20% | 50% [25%, 75%] (1 of 2) | holds |",
        "| `false`: It is said that false | Section 1 | ≥ 80% | 50% [25%, 75%] (1 of 2) | **fails** |",
        "| `rare`: It is said that rare | Section 1 | ≥ 80% | – | **not enough runs** |",
    ]
    assert "1 of 3 claims of the paper hold" in call("claims", "--scale", "smoke").stdout

    drawn = call("figures", "test/tiny", "--scale", "smoke", "--figures", "elsewhere")
    assert drawn.stdout.split() == [
        word for kind in ("png", "html") for word in ("figure", f"elsewhere/test/tiny/smoke/widths.{kind}")
    ]


def test_pages_of_claims_are_written_from_a_store(folder, tiny_study, monkeypatch):
    from glassware.printing import claims_index, pages

    monkeypatch.setattr(claims_index, "STUDIES", {STUDY.name: STUDY})
    for module in (pages, claims_index):
        monkeypatch.setattr(module, "PAGES", (claims_index.Page("tiny", "Tiny", lambda name: True),))
    assert call("run", "test/tiny").exit_code == 0
    assert "claims/tiny.intro.md must be there" in sentence(call("claims", STUDY.name, "--pages", "docs"))
    (folder / "docs/claims").mkdir(parents=True)
    (folder / "docs/claims/tiny.intro.md").write_text("# Tiny\n\n<!-- claims -->\n")
    assert call("claims", STUDY.name, "--pages", "docs").stdout == "docs/claims-tiny.md\n"
    said = (folder / "docs/claims-tiny.md").read_text()
    assert "| ≥ 20% | holds: 50% [25%, 75%] (1 of 2) | not measured |" in said
    assert re.search(r"Laptop scale: \d+ runs of this store \(glassware \S+, JAX \S+, .+\)", said)


def test_a_study_in_shares(folder, tiny_study, trained):
    """Each trains its part, the second stage waits for all of the first, and nothing is judged before the end."""
    words = ["reproduce", "test/tiny", "--scale", "smoke"]
    said = [call(*words, "--share", f"{i}/2") for i in (1, 2)]
    assert [(one.exit_code, one.stderr) for one in said] == [(0, "")] * 2
    assert "test/tiny at scale smoke, share 1 of 2: Two widths of a small network" in said[0].stdout
    assert re.search(r"stage 2 waits for \d of 4 runs of stage 1, in other shares", said[0].stdout)
    assert "waits" not in said[1].stdout  # all of the first stage is there
    for one in said:
        assert re.search(r"\d of \d results are in results/store; the same command without --share", one.stdout)
        assert "claims of the paper" not in one.stdout
    assert not (folder / "results/figures").exists()
    assert 4 <= len(trained) < 8
    last = call(*words)
    assert len(trained) == 8
    assert "4 runs: 4 done before, 0 to train" in last.stdout
    assert "1 of 3 claims of the paper hold" in last.stdout


def test_a_share_of_nothing_is_a_sentence(folder, tiny_study):
    studies.STUDIES[STUDY.name] = replace(STUDY, stages=())
    words = ["reproduce", "test/tiny", "--scale", "smoke", "--share"]
    assert sentence(call(*words, "1/2")) == "test/tiny is computed, not trained: there is nothing to share"
    assert "is no share" in sentence(call(*words, "3/2"))
    with pytest.raises(GlasswareError, match="a share needs a store"):
        gw.reproduce(STUDY, "smoke", store=None, figures=None, share="1/2")


def test_the_old_name_says_the_new_one_and_does_the_same(folder, tiny_study, trained):
    result = call("run", "test/tiny", "--scale", "smoke", "--seeds", "1")
    assert (result.exit_code, len(trained)) == (0, 4)
    assert result.stderr == "'glassware run' is now 'glassware reproduce'; the old name goes in 0.3\n"
    assert "glassware run" not in call("--help").stdout


def test_claims_say_what_is_missing(folder, tiny_study):
    assert call("reproduce", "test/tiny", "--seeds", "1").exit_code == 0
    assert "3 of 6 runs are missing; those that succeed finish first" not in call("claims", "test/tiny").stdout
    assert "a verdict may be chance" in call("claims", "test/tiny", "--seeds", "1").stdout
    assert "a verdict may be chance" in call("reproduce", "test/tiny", "--seeds", "1").stdout
    said = call("claims", "test/tiny", "--seeds", "2").stdout
    assert "a verdict may be chance" not in said
    assert "2 of 6 runs are missing; those that succeed finish first" in said
    silent = replace(STUDY, claims=(claim("rare", None),), stages=(first,))
    studies.STUDIES[STUDY.name] = silent
    said = call("claims", "test/tiny", "--scale", "paper").stdout
    assert "test/tiny at scale paper: not enough runs for any of 1 claims yet" in said
    assert "glassware reproduce test/tiny --scale paper" in said
    studies.STUDIES[STUDY.name] = replace(silent, claims=(claim("large", True, ("paper",)),))
    said = call("claims", "test/tiny", "--scale", "smoke").stdout
    assert "test/tiny at scale smoke: none of its 1 claims can be judged at this scale" in said


def test_a_chart_that_fails_comes_after_the_claims(folder, monkeypatch):
    broken = replace(STUDY, figures={"bad": lambda _: 1 / 0})
    monkeypatch.setitem(studies.STUDIES, STUDY.name, broken)
    result = call("reproduce", "test/tiny", "--seeds", "1")
    assert result.exit_code == 1
    assert "✗ fails" in result.stdout


def test_an_estimate_from_end_to_end(folder, tiny_study, trained):
    """Nothing known; then all of the first stage; then all of it. Nothing is trained and no store is made."""
    words = ["estimate", "test/tiny", "--scale", "smoke"]
    blind = call(*words)
    assert (blind.exit_code, blind.stderr, trained, list(folder.iterdir())) == (0, "", [], [])
    said = blind.stdout
    assert "test/tiny at scale smoke: Two widths of a small network" in said
    assert re.search(r"width +runs +steps per run +budget +FLOPs +time +at most", said)
    for name, runs in (("4", 2), ("8", 2), ("all", 4)):
        assert re.search(rf"\n +{name} +{runs} +60 +60 +\S+e\+\d+ +\d+ s +\d+ s", said), said
    shapes = [rf"\S+ \(mlp of width {width} on parity with 20 inputs\)" for width in (4, 8)]
    assert re.search(rf"speed measured here \(\S+\), GFLOP/s: {shapes[0]}, {shapes[1]}", " ".join(said.split()))
    assert "of the expected time rests 100% on the worst case, no early stop" in said
    assert re.search(r"4 runs of 4 left to train: about \d+ s, at most about \d+ s", said)
    assert "not counted: a later stage, whose runs depend on these" in said

    assert call("reproduce", "test/tiny", "--scale", "smoke").exit_code == 0
    done = call(*words).stdout
    assert "of the expected time rests 100% on rows of the same cell" in done
    assert "all 8 runs are in the store: nothing is left to train" in done
    assert "later stage" not in done
    more = json.loads(call(*words, "--seeds", "3", "--json").stdout)
    assert (more["study"], more["scale"], more["runs"], more["todo"]) == ("test/tiny", "smoke", 6, 2)
    assert more["later_stages"] == 1
    assert more["basis"]["cell"] == pytest.approx(1)
    assert len(trained) == 8
