import pytest

import glassware as gw
from glassware.foundation.errors import GlasswareError
from glassware.sweeps import Store, grid, read_sweep_file, recall, remembered, sweep
from glassware.sweeps.check import check
from glassware.sweeps.joining import merge
from glassware.sweeps.share import Share
from tests.calls import SWEEP
from tests.helpers import TINY


@pytest.fixture
def file(folder):
    (folder / "my sweep.toml").write_text('title = "Do data help?"\n' + SWEEP)
    return folder / "my sweep.toml"


def test_a_file_has_a_name_a_title_and_its_text(file):
    read = read_sweep_file(file)
    assert (read.name, read.title, len(read.runs)) == ("my-sweep", "Do data help?", 4)
    assert read.text == file.read_text()
    file.write_text('name = "pair/β-1"\n' + SWEEP)
    assert read_sweep_file(file).name == "pair/β-1"


@pytest.mark.parametrize(
    "name", ['""', '"../up"', '"/abs"', '"a\\nb"', '"-x"', '"a//b"', "3", '"' + "x" * 101 + '"', '"<b>"']
)
def test_a_name_that_cannot_be_one(file, name):
    file.write_text(f"name = {name}\n" + SWEEP)
    with pytest.raises(GlasswareError, match="the name of a sweep is up to 100 letters"):
        read_sweep_file(file)


def test_a_store_remembers_its_sweeps(file):
    frame = sweep(file, "store")
    store = Store("store")
    (one,) = remembered(store)
    assert (one.name, one.title, one.file, one.ids) == (
        "my-sweep",
        "Do data help?",
        file.read_text(),
        tuple(frame["id"]),
    )
    sweep(file, "store")  # nothing to train, nothing to write
    assert len(list((store.path / "sweeps").iterdir())) == 1
    file.write_text(file.read_text().replace("help", "matter"))
    sweep(file, "store")  # nothing to train, another title
    assert [one.title for one in remembered(store)] == ["Do data matter?"]
    assert not check(store).faults


def test_runs_made_in_python_may_have_a_name(folder):
    gw.sweep(grid(TINY, {"m": [30]}, seeds=1), "store")
    assert remembered(Store("store")) == []
    gw.sweep(grid(TINY, {"m": [30]}, seeds=2), "store", name="mine/a", title="Mine")
    assert gw.list_sweeps("store").rows()[0][:4] == ("mine/a", "Mine", 2, 2)


def test_a_share_remembers_the_whole_sweep(file):
    sweep(file, "store", share=Share(1, 2))
    sweep(file, "store", share=Share(2, 2))
    (one,) = remembered(Store("store"))
    assert len(one.ids) == 4


def test_damage_is_seen_and_a_merge_brings_names(file):
    sweep(file, "store")
    merge(Store("other"), Store("store"))
    assert recall(Store("other"), "my-sweep") == recall(Store("store"), "my-sweep")
    (path,) = (Store("store").path / "sweeps").iterdir()
    path.write_bytes(path.read_bytes()[:-9] + b"x" * 9)
    assert [fault.path for fault in check(Store("store")).faults] == [path]
    with pytest.raises(GlasswareError, match="is damaged"):
        remembered(Store("store"))
