from typing import get_args

import pytest

from glassware.commands.options import EngineName, Scale
from glassware.engine import ENGINES
from glassware.studies import SCALES
from tests.calls import SWEEP, call, sentence, snapshot


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["swep"], "no such command 'swep'. Did you mean 'sweep', 'sweeps'? (see glassware --help)"),
        (["zzz"], "no such command 'zzz' (see glassware --help)"),
        (["reproduce"], "missing argument 'STUDY' (see glassware reproduce --help)"),
        (["reproduce", "pareto/slices", "--sede", "1"], "no such option: --sede"),
        (["reproduce", "pareto/sparcity"], "unknown study 'pareto/sparcity'; did you mean 'pareto/sparsity'?"),
        (["reproduce", "theory"], "'theory' has 5 studies; name one, as theory/search-floors ("),
        (["claims", "succes"], "unknown study 'succes'; did you mean 'pareto/success-frontier'?"),
        (["figures", "quite-another"], "unknown study 'quite-another'"),
        (["reproduce", "test/tiny", "--scale", "lapto"], "invalid value for '--scale': 'lapto' is not one of"),
        (["reproduce", "test/tiny", "--seeds", "0"], "seeds must be at least 1, not 0"),
        (["reproduce", "test/tiny", "--seeds", "-1"], "seeds must be at least 1, not -1"),
        (["reproduce", "test/tiny", "--seeds", "few"], "invalid value for '--seeds'"),
        (["reproduce", "test/tiny", "--lanes", "0"], "lanes must be at least 1, not 0"),
        (["claims", "test/tiny"], "there is no store at results/store; 'glassware reproduce' and"),
        (["figures", "test/tiny"], "there is no store at results/store"),
        (["reproduce", "test/tiny", "--seeds", "1000000000"], "seeds must be at most 1,000,000, not 1000000000"),
        (["reproduce", "test/tiny", "--lanes", "1000000000"], "lanes must be at most 1,048,576, not 1000000000"),
        (["claims", "test/tiny", "--seeds", "1000000000"], "seeds must be at most 1,000,000"),
        (["figures", "test/tiny", "--seeds", "1000000000"], "seeds must be at most 1,000,000"),
        (["estimate", "test/tiny", "--lanes", "1000000000"], "lanes must be at most 1,048,576"),
        (["estimate", "pareto/slices", "--seeds", "1000000"], "pareto/slices at scale laptop with 1,000,000 seeds"),
        (["run", "test/tiny", "--seeds", "1000000000"], "seeds must be at most 1,000,000"),
        (["claims", "test/tiny", "--store", "s3://bucket/store"], "s3://bucket/store is an address, not a folder"),
        (["open", "caf\udce9"], "the name caf\\udce9 is not text in UTF-8"),
        (["reproduce", "test/tiny", "--figures", "caf\udce9"], "the name caf\\udce9 is not text in UTF-8"),
        (["open", "a\x1b[31mb"], "there is no store at a\\x1b[31mb;"),
        (["claims", "a\x1b[31mb"], "unknown study 'a\\x1b[31mb'"),
        (["sweep", "absent.toml"], "invalid value for 'FILE.toml': file 'absent.toml' does not exist"),
        (["sweep", "."], "invalid value for 'FILE.toml': file '.' is a directory"),
    ],
)  # fmt: skip
def test_bad_command_lines(folder, tiny_study, words, said):
    assert sentence(call(*words)).startswith(said)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pareto/sparcity"], "unknown study 'pareto/sparcity'; did you mean 'pareto/sparsity'?"),
        (["test/tiny", "--scale", "lapto"], "invalid value for '--scale': 'lapto' is not one of"),
        (
            ["test/tiny", "--engine", "kernals"],
            "invalid value for '--engine': 'kernals' is not one of 'auto', ",
        ),
        (["test/tiny", "--seeds", "0"], "seeds must be at least 1, not 0"),
        (["test/tiny", "--store", "file"], "file is a file, not a store folder"),
    ],
)
def test_estimates_that_are_refused(folder, tiny_study, words, said):
    (folder / "file").write_text("mine")
    assert sentence(call("estimate", *words)).startswith(said)


def test_choices_are_those_of_the_api():
    """The command line names them again, so that a wrong one is refused before anything large is imported."""
    assert get_args(get_args(Scale)[0]) == SCALES
    assert get_args(get_args(EngineName)[0]) == ENGINES


def test_what_needs_scikit_learn_says_so(folder, monkeypatch):
    monkeypatch.setattr("glassware.studies.pareto.tabular.find_spec", lambda name: None)
    for command in ("reproduce", "estimate"):
        said = sentence(call(command, "pareto/tabular", "--scale", "smoke"))
        assert said == "pareto/tabular needs scikit-learn: pip install 'glassware[tabular]'"
    assert list(folder.iterdir()) == []


def spoil(store, how):
    part = next((store / "parts").iterdir())
    if how == "truncated":
        part.write_bytes(part.read_bytes()[:-100])
    elif how == "foreign":
        (store / "parts" / "notes.txt").write_text("mine")
    elif how == "newer":
        (store / "store.json").write_text('{"format": 1, "semantics": 999}')
    elif how == "damaged":
        (store / "store.json").write_text("{")
    return part


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("truncated", "{part} is cut short or not Parquet; remove it and its runs will be trained again"),
        ("foreign", "{store}/parts/notes.txt does not belong in a glassware store; remove it"),
        ("newer", "store {store} was written by a newer glassware (format 1, semantics 999; "),
        ("damaged", "{store}/store.json is damaged; "),
    ],
)
def test_bad_stores_are_named_and_left_alone(full_store, folder, tiny_study, trained, how, said):
    part = spoil(full_store, how)
    before = snapshot(folder)
    for words in (
        ["sweep", "good.toml"],
        ["reproduce", "test/tiny"],
        ["claims", "test/tiny"],
        ["figures", "test/tiny"],
    ):
        told = sentence(call(*words, "--store", full_store))
        assert told.startswith(said.format(part=part, store=full_store)), told
    assert (trained, snapshot(folder)) == ([], before)


@pytest.mark.parametrize("place", ["file", "file/below", "."])
def test_places_that_cannot_be_a_store(folder, tiny_study, trained, place):
    (folder / "good.toml").write_text(SWEEP)
    (folder / "file").write_text("mine")
    before = snapshot(folder)
    for words in (["sweep", "good.toml"], ["reproduce", "test/tiny"], ["claims", "test/tiny"]):
        assert place in sentence(call(*words, "--store", place))
    assert "is a file" in sentence(call("reproduce", "test/tiny", "--figures", "file/below"))
    assert (trained, snapshot(folder)) == ([], before)
