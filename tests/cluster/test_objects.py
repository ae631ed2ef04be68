"""Stores on object stores keep every promise of those on a disk."""

import json

import pytest

import glassware as gw
from glassware.foundation.errors import GlasswareError, StoreError
from glassware.sweeps import Store, buckets, objects
from glassware.sweeps.check import check
from glassware.sweeps.computed import keep_computed, read_computed
from glassware.sweeps.joining import compact, merge
from glassware.sweeps.objects import object_disk
from glassware.sweeps.repair import repair
from glassware.sweeps.status import status
from glassware.sweeps.store import Writer
from tests.calls import SWEEP, call, sentence
from tests.cluster.servers import SECRET, Proxy
from tests.helpers import TINY, same_findings

RUNS = gw.grid({**TINY, "keep": ["final"]}, {"m": [30, 300]}, seeds=3)


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The same runs, in a folder."""
    path = tmp_path_factory.mktemp("local") / "store"
    return path, gw.sweep(RUNS, path)


def test_a_sweep_gives_the_rows_of_a_folder_and_goes_on(address, local, trained):
    assert same_findings(gw.sweep(RUNS[:2], address), local[1][:2])
    assert same_findings(gw.sweep(RUNS, address), local[1])
    assert len(trained) == len(RUNS)
    run = local[1]["id"][0]
    assert {n: a.tolist() for n, a in gw.weights(run, store=address).items()} == {
        n: a.tolist() for n, a in gw.weights(run, store=local[0]).items()
    }
    found = gw.open(address)
    assert (found.runs, found.kept) == (len(RUNS), len(RUNS))
    report = check(Store(address))
    assert (report.runs, report.weights, report.faults) == (len(RUNS), len(RUNS), [])


def test_tables_are_kept_and_replaced(address, local):
    store, other = Store(address), local[1].select("id", "m")
    for version in (1, 2):
        assert keep_computed(store, "a/table", version, lambda: other).equals(other)
    assert read_computed(store, "a/table", 2).equals(other)
    assert len(store.disk.sizes(store.path / "computed")) == 1


def test_stores_are_merged_and_compacted_across_disks(address, local, tmp_path):
    store = Store(address)
    assert merge(store, Store(local[0])).added == len(RUNS)
    gw.sweep(gw.grid(TINY, {"m": [40]}, seeds=2), address)
    assert compact(store) == (2, 1)
    back = Store(tmp_path / "back")
    assert merge(back, store).weights == len(RUNS)
    assert same_findings(back.read(), store.read())
    with pytest.raises(StoreError, match="are the same store"):
        merge(store, Store(address))


def test_damage_is_seen_and_what_is_repaired_is_trained_again(address, local):
    gw.sweep(RUNS, address)
    store = Store(address)
    for place in (store.parts()[0], *store.disk.entries(store.path / "weights")[:1]):
        data = bytearray(store.disk.read(place))
        data[len(data) // 3] ^= 4
        store.disk.write(place, bytes(data))
        faults = check(store).faults
        assert [fault.path for fault in faults] == [place]
        assert "is damaged" in faults[0].why
        assert repair(store).moved
        assert same_findings(gw.sweep(RUNS, address), local[1])
    assert not check(store).faults


def test_commands_take_addresses(s3, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEP)
    assert f"results in {s3}" in call("sweep", file, "--store", s3).output
    assert json.loads(call("status", s3, "--json").output)["runs"] == 4
    assert json.loads(call("open", s3, "--json").output)["runs"] == 4
    run = Store(s3).read()["id"][0]
    assert call("show", run, "--store", s3, "--figures", tmp_path).exit_code == 0
    for verb in ("check", "repair", "compact"):
        assert call("store", verb, s3).exit_code == 0
    assert call("claims", "pareto/slices", "--store", s3).exit_code == 0
    assert call("store", "merge", tmp_path / "copy", s3).exit_code == 0
    assert "no store at" in sentence(call("status", f"{s3}-not-there"))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s4://bucket/x", "s4://bucket/x is no address of a store"),
        ("http://host/x", "is no address of a store"),
        ("file:///x", "is no address of a store"),
        ("s3://", "s3:// names no bucket"),
        ("s3://bucket/../x", "'..'"),
        (f"s3://me:{SECRET}@bucket/x", "no user, password or query (s3://bucket/prefix)"),
        (f"az://box/x?sig={SECRET}", "no user, password or query"),
        ("s3://bucket/" + "x" * 2000, "too long"),
    ],
)
def test_addresses_that_cannot_be_are_refused(address, said, folder):
    for words in (["status", address], ["claims", "--store", address]):
        found = sentence(call(*words))
        assert said in found
        assert SECRET not in found
    assert not list(folder.iterdir())


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(GlasswareError, match=r"needs the package obstore: pip install 'glassware\[cloud\]'"):
        gw.Store("s3://bucket/x")


def test_a_bucket_that_is_not_there_is_named(s3):
    with pytest.raises(StoreError, match="there is no bucket 'elsewhere'"):
        gw.sweep(RUNS, s3.replace("bucket", "elsewhere"))


# -- a server that fails ------------------------------------------------------------------------------------------


@pytest.fixture
def faulty(server, s3, monkeypatch):
    """A proxy before the server, through which the store is now reached."""
    monkeypatch.setattr(buckets, "TIMEOUT", 0.6)
    monkeypatch.setattr(objects, "PAUSE", 0.01)
    made = Proxy(server)
    monkeypatch.setenv("AWS_ENDPOINT_URL", made.address)
    object_disk.cache_clear()
    yield made
    made.stop()


def test_faults_are_ridden_out(faulty, s3, local, monkeypatch):
    monkeypatch.setattr("glassware.sweeps.store.Writer", lambda *a, **k: Writer(*a, **{**k, "rows": 1}))
    faulty.share = 0.3
    assert same_findings(gw.sweep(RUNS, s3), local[1])
    assert not check(Store(s3)).faults
    assert faulty.failed >= 10
    faulty.share = 0.0
    assert sum(len(Store(s3)._collect([part], None)) for part in Store(s3).parts()) == len(RUNS)


def test_a_server_that_does_not_come_back_is_a_sentence_and_nothing_is_lost(faulty, s3, local, monkeypatch):
    gw.sweep(RUNS[:3], s3)
    monkeypatch.setattr(objects, "PATIENCE", 0.5)
    faulty.share = 1.0
    for fault, said in (("500", "answered 500"), ("silence", "in time|connection"), ("half", "connection|in time")):
        faulty.faults = (fault,)
        with pytest.raises(StoreError, match=rf"cannot read {s3}/store.json: .*({said}).*intact") as refused:
            gw.sweep(RUNS, s3)
        assert SECRET not in str(refused.value)
    faulty.share = 0.0
    assert same_findings(Store(s3).read(), local[1][:3])
    store = Store(s3)

    def write():
        with store.writing() as writer:
            faulty.share, faulty.faults = 1.0, ("500",)
            writer.add(local[1].row(4, named=True))

    with pytest.raises(StoreError, match=r"cannot write .*answered 500.*intact"):
        write()
    faulty.share = 0.0
    assert same_findings(gw.sweep(RUNS, s3), local[1])


def test_a_refused_key_is_not_asked_for_again(faulty, s3, monkeypatch):
    faulty.share, faulty.faults = 1.0, ("403",)
    monkeypatch.setattr(faulty, "serve", lambda request: (request.send_error(403), faulty.__dict__.update(asked=1)))
    with pytest.raises(StoreError, match="refuses these credentials"):
        Store(s3)


# -- leases -------------------------------------------------------------------------------------------------------


def test_status_says_who_writes(s3):
    store = Store(s3)
    with store.writing() as writer:
        writer.wanted = 7
        assert [one.who.startswith("pid ") for one in status(store).writing] == [True]
    assert status(store).writing == ()
