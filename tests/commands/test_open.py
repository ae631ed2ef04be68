import json
import re

from tests.calls import SWEEP, call, sentence, snapshot


def test_a_store_is_opened(full_store, folder):
    before = snapshot(folder)
    result = call("open", full_store)
    assert (result.exit_code, result.stderr) == (0, "")
    said = result.stdout
    assert re.search(r"runs +4, \d succeeded", said)
    assert re.search(r"size +\S+ kB", said)
    assert re.search(r"format +2, semantics 2", said)
    assert re.search(r"parity +mlp +4 +\d +m\b", said)
    found = json.loads(call("open", full_store, "--json").stdout)
    assert (found["runs"], found["studies"], found["sweeps"][0]["varied"]) == (4, [], ["m"])
    assert snapshot(folder) == before


def test_only_what_was_varied_is_named(folder):
    """Also where the other runs of the sweep have the usual value, which a specification leaves out."""
    (folder / "rates.toml").write_text(SWEEP.replace('m = [30, "online"]', '"optimiser.lr" = [0.1, 0.3]'))
    assert call("sweep", "rates.toml", "--store", "store").exit_code == 0
    assert json.loads(call("open", "store", "--json").stdout)["sweeps"][0]["varied"] == ["optimiser.lr"]


def test_what_is_no_store(folder):
    (folder / "file").write_text("mine")
    (folder / "other").mkdir()
    (folder / "other" / "notes.txt").write_text("mine")
    for place, said in [
        ("nowhere", "there is no store at nowhere"),
        ("file", "file is a file, not a store folder"),
        ("other", "other has files in it and is not a glassware store"),
    ]:
        assert said in sentence(call("open", place))
