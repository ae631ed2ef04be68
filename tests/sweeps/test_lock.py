import contextlib
import errno
import os
import signal
import subprocess
import sys
import threading

import pytest

from glassware.foundation.errors import StoreError
from glassware.sweeps import Share, lock
from glassware.sweeps.lock import locked

# Takes a lock, says so, and holds it until it is killed.
HOLD = """
import sys, time
from pathlib import Path
from glassware.sweeps import Share
from glassware.sweeps.lock import locked
with locked(Path(sys.argv[1]), Share(*map(int, sys.argv[2:])) if sys.argv[2:] else None):
    print("held", flush=True)
    time.sleep(60)
"""


@contextlib.contextmanager
def holder(folder, *share):
    """Another process that holds the store; killed without warning at the end."""
    words = [sys.executable, "-c", HOLD, str(folder), *map(str, share)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize(("theirs", "ours"), [((), Share(1, 2)), ((1, 2), None), ((1, 2), Share(1, 2)), ((), None)])
def test_a_killed_holder_is_named_while_it_lives_and_forgotten_afterwards(tmp_path, theirs, ours):
    with holder(tmp_path, *theirs) as process:
        for _ in range(2):  # asking leaves the holder's name where it is
            with (
                pytest.raises(StoreError, match=rf"another process \(pid {process.pid} on .+\)"),
                locked(tmp_path, ours),
            ):
                pytest.fail("two writers")
    with locked(tmp_path, ours):
        pass


def test_a_share_of_another_process_leaves_room_for_others(tmp_path):
    with holder(tmp_path, 1, 3), locked(tmp_path, Share(2, 3)), locked(tmp_path, Share(3, 3)):
        pass


def test_shares_that_start_together_wait_for_one_another_at_the_gate(tmp_path):
    count = 8
    start, held, failed = threading.Barrier(count), threading.Barrier(count, timeout=20), []

    def write(index):
        start.wait()
        try:
            with locked(tmp_path, Share(index, count)):
                held.wait()  # all hold theirs at the same time
        except Exception as error:
            failed.append(error)
            held.abort()

    threads = [threading.Thread(target=write, args=(index,)) for index in range(1, count + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with locked(tmp_path):
        pass


def test_the_gate_does_not_stay_closed(tmp_path, monkeypatch):
    """A process stopped behind the gate is no reason to wait forever, and a refusal opens it again."""
    monkeypatch.setattr(lock, "GATE_SECONDS", 0.1)
    with contextlib.ExitStack() as stopped:
        lock._take(stopped, tmp_path, lock.GATE)
        with pytest.raises(StoreError, match="another process"), locked(tmp_path):
            pytest.fail("through a closed gate")
    with locked(tmp_path):
        with pytest.raises(StoreError, match="another process"), locked(tmp_path):
            pytest.fail("two writers")
        with pytest.raises(StoreError, match="another process"), locked(tmp_path, Share(1, 2)):
            pytest.fail("two writers")


def test_a_disk_without_locks_is_a_sentence(tmp_path, monkeypatch):
    def unsupported(*_, **__):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(lock, "lock_descriptor", unsupported)
    said = r"cannot lock store .*: No locks available; give a folder on another disk"
    with pytest.raises(StoreError, match=said), locked(tmp_path):
        pytest.fail("without a lock")


def test_a_system_without_fcntl_can_import_it():
    code = "import sys; sys.modules['fcntl'] = None; import glassware.sweeps.lock"
    subprocess.run([sys.executable, "-c", code], check=True)
