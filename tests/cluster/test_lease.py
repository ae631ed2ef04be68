"""Who may write a store on an object store."""

import json
import subprocess
import sys
import threading
import time

import pytest

from glassware.foundation.errors import StoreError
from glassware.sweeps import Share, Store, lease
from glassware.sweeps.lock import Note


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(lease, "BEAT", 0.1)
    monkeypatch.setattr(lease, "LOOK", 0.1)


@pytest.fixture
def store(address):
    return Store(address)


def test_one_writes_alone_and_then_the_next(store):
    for _ in range(2):
        with store.writing():
            assert len(store.disk.entries(store.path / "lock")) == 1
    assert not store.disk.entries(store.path / "lock")


def test_a_second_writer_is_refused_as_soon_as_the_first_shows_life(store, monkeypatch):
    monkeypatch.setattr(lease, "LEASE", 3.0)  # the server's clock ticks once a second
    refused = pytest.raises(StoreError, match=r"is being written by another process \(pid ")
    with store.writing(), refused, store.writing():
        pytest.fail("two at once")


def test_shares_write_together_and_others_do_not(store):
    with store.writing(Share(1, 3)), store.writing(Share(3, 3)):
        with pytest.raises(StoreError, match="give a share of 3, or wait"), store.writing(Share(1, 2)):
            pytest.fail("another deal")
        with pytest.raises(StoreError, match=r"share 1 of 3|another process"), store.writing(Share(1, 3)):
            pytest.fail("the same share")
        with pytest.raises(StoreError, match="another process"), store.writing():
            pytest.fail("alone")


def test_a_dead_holder_of_this_machine_is_known_at_once(store):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    said = {"who": "pid 1 on there", "machine": lease._machine(), "pid": dead.pid, "note": None}
    store.disk.write(store.path / "lock" / f"alone-{'a' * 12}", json.dumps(said).encode())
    started = time.monotonic()
    with store.writing():
        assert time.monotonic() - started < 5
        assert len(store.disk.entries(store.path / "lock")) == 1


def test_a_lease_that_is_not_renewed_is_nobodys(store, monkeypatch):
    monkeypatch.setattr(lease, "LEASE", 1.0)
    store.disk.write(store.path / "lock" / f"alone-{'a' * 12}", b'{"who": "pid 1 on there", "machine": "there"}')
    with store.writing():
        assert len(store.disk.entries(store.path / "lock")) == 1


def test_a_holder_that_was_taken_for_dead_ends(store):
    with store.writing() as writer:
        (place,) = store.disk.entries(store.path / "lock")
        store.disk.remove(place)
        time.sleep(0.5)
        with pytest.raises(StoreError, match="another process has taken over"):
            writer.held.tell(Note(0.0, 0.0, 0, None))


def test_of_many_that_come_at_once_one_writes_at_a_time(store, monkeypatch):
    monkeypatch.setattr(lease, "LEASE", 30.0)
    inside, most, done = [], [], []

    def write():
        for _ in range(50):
            try:
                with store.writing():
                    inside.append(1)
                    most.append(len(inside))
                    time.sleep(0.02)
                    inside.pop()
                done.append(1)
                return
            except StoreError:
                continue

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4
    assert max(most) == 1
