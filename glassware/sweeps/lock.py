"""Who may write a store: one process alone, or several with a share each."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import lock_descriptor

from glassware.foundation.errors import StoreError
from glassware.sweeps.disk import os_errors
from glassware.sweeps.share import Share

LOCK = "lock"  # how the names of lock files begin
GATE = f"{LOCK}-gate"
GATE_SECONDS = 30.0  # longest wait at the gate, which everyone passes within milliseconds


@contextlib.contextmanager
def locked(folder: Path, share: Share | None = None) -> Iterator[None]:
    """Hold a store: alone, or beside the holders of other shares. Raises a ``StoreError`` if it is taken.

    The operating system releases the locks when their holder dies, on shared file systems too; the files stay.

    filelock has no shared lock on such file systems (its ``ReadWriteLock`` is an SQLite file). So all locks are
    exclusive, and writers pass a gate one at a time: behind it a share checks that nobody holds the store alone, and a
    lone writer that nobody holds a share.
    """
    with contextlib.ExitStack() as held:
        with contextlib.ExitStack() as checked:
            _take(checked, folder, GATE, GATE_SECONDS)
            if share is None:
                _take(held, folder, LOCK)
                for other in sorted(folder.glob(f"{LOCK}-*-of-*")):
                    _take(checked, folder, other.name)
            else:
                _take(checked, folder, LOCK)
                _take(held, folder, f"{LOCK}-{share.index}-of-{share.count}")
        yield


def _take(held: contextlib.ExitStack, folder: Path, name: str, seconds: float = 0.0) -> None:
    """Take one lock, waiting up to ``seconds`` for it, until the stack closes. The file says who holds it."""
    with os_errors(folder):
        lock = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644)
    held.callback(os.close, lock)  # which releases it
    deadline = time.monotonic() + seconds
    try:
        while not lock_descriptor(lock, blocking=False):
            if time.monotonic() >= deadline:
                raise StoreError(
                    f"store {folder} is being written by another process ({_holder(lock)}); wait or give another folder"
                )
            time.sleep(0.02)
    except OSError as error:
        raise StoreError(f"cannot lock store {folder}: {error.strerror}; give a folder on another disk") from None
    with os_errors(folder):
        os.ftruncate(lock, 0)
        # The first byte is the one that Windows locks, and nobody else can read it there.
        os.write(lock, f" pid {os.getpid()} on {socket.gethostname()[:60]}".encode())


def _holder(lock: int) -> str:
    os.lseek(lock, 1, os.SEEK_SET)
    return os.read(lock, 100).decode(errors="replace").strip() or "unknown"
