import pytest

import glassware as gw
from glassware import studies
from glassware.foundation.errors import GlasswareError
from glassware.studies import changed, find, parse_changes
from tests.calls import call, sentence
from tests.tiny_study import STUDY


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setitem(studies.STUDIES, STUDY.name, STUDY)


def test_every_run_has_the_new_value_and_nothing_else_changes():
    for run, before in zip(changed(STUDY, {"optimiser.momentum": 0.9}).runs("smoke"), STUDY.runs("smoke"), strict=True):
        assert run.optimiser.momentum == 0.9
        assert run.optimiser.weight_decay == before.optimiser.weight_decay
        assert run.model_copy(update={"optimiser": before.optimiser}) == before


def test_it_is_named_accordingly_and_its_claims_say_so():
    study = changed(STUDY, {"task.n": 15, "m": "online"})
    assert study.name == "test/tiny@task.n=15,m=online"
    assert study.title.endswith(", with task.n = 15, m = online")
    assert {claim.note for claim in study.claims} == {"judged on runs with task.n = 15, m = online"}
    assert changed(changed(STUDY, {"task.n": 15}), {"m": 3}).name == "test/tiny@task.n=15,m=3"
    assert changed(STUDY, {}) is STUDY


def test_it_is_found_by_its_name(known):
    assert find("test/tiny@task.n=15").runs("smoke") == changed(STUDY, {"task.n": 15}).runs("smoke")


def test_values_are_read_as_in_a_sweep_file():
    given = ["a=0.9", "b=3", "c=online", "d=true", 'e="x"', " f = 1e-3 "]
    assert parse_changes(given) == {"a": 0.9, "b": 3, "c": "online", "d": True, "e": "x", "f": 0.001}


def test_its_runs_stand_beside_those_of_the_study(known, folder):
    for words in ([], ["--set", "task.n=15"]):
        done = call("reproduce", "test/tiny", "--scale", "smoke", "--store", "store", "--figures", "figures", *words)
        assert done.exit_code == 0, done.output
    assert len(gw.Store("store").read()) == 16
    assert gw.list_sweeps("store")["name"].to_list() == ["test/tiny@task.n=15/smoke"]
    assert (folder / "figures/test/tiny@task.n=15/smoke/widths.png").exists()
    assert call("claims", "test/tiny@task.n=15", "--scale", "smoke", "--store", "store").exit_code == 0
    found = gw.compare("test/tiny", "test/tiny@task.n=15", scale="smoke", store="store")
    assert found.differ == (("task.n", "20", "15"),)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["task.n"], "a change is written FIELD=VALUE, as optimiser.momentum=0.9, not 'task.n'"),
        (["task.n=3", "task.n=4"], "task.n is set twice"),
        (["momentum=0.9"], "axis 'momentum': a run has no such field; did you mean 'optimiser.momentum'?"),
        (["optimiser.momentun=0.9"], "unknown field 'momentun' of optimiser 'sgd'; did you mean 'momentum'?"),
        (["optimiser.name=sdg"], "optimiser.name must be one of 'sgd', 'adam', 'adamw', not 'sdg'"),
        (["seed=3"], "the seed of a study's runs cannot be set"),
        (["m=[1, 2]"], "m can be set to a number, a word or true and false, not [1, 2]"),
        (["model.activation=../x"], "model.activation can be set to a number, a word"),
    ],
)
def test_bad_changes(known, folder, words, said):
    given = [word for one in words for word in ("--set", one)]
    assert sentence(call("reproduce", "test/tiny", "--scale", "smoke", *given)).startswith(said)
    assert list(folder.iterdir()) == []


def test_what_is_only_computed_has_nothing_to_change():
    with pytest.raises(GlasswareError, match="is computed, not trained"):
        changed(find("theory/search-floors"), {"task.n": 3})
