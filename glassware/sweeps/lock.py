"""Who may write a store: one process alone, or several, each with a share of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from glassware.errors import StoreError
from glassware.sweeps.disk import os_errors
from glassware.sweeps.share import Share

LOCK = "lock"  # how the names of lock files begin


@contextlib.contextmanager
def locked(folder: Path, share: Share | None = None) -> Iterator[None]:
    """Hold a store: alone, or beside the holders of other shares. Whoever comes too late gets a sentence.

    The system gives locks back when their holder dies, on a shared file system too; the files stay and mean nothing.
    """
    with contextlib.ExitStack() as held:
        if share is None:
            _take(held, folder, LOCK, fcntl.LOCK_EX)
        else:
            _take(held, folder, LOCK, fcntl.LOCK_SH)
            _take(held, folder, f"{LOCK}-{share.index}-of-{share.count}", fcntl.LOCK_EX)
        yield


def _take(held: contextlib.ExitStack, folder: Path, name: str, kind: int) -> None:
    """One lock file, until the stack ends. Its text says who holds it, for the sentence that others get."""
    with os_errors(folder):
        lock = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644)
    held.callback(os.close, lock)  # which releases it
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 100).decode(errors="replace").strip() or "unknown"
        raise StoreError(
            f"store {folder} is being written by another process ({holder}); wait or give another folder"
        ) from None
    except OSError as error:
        raise StoreError(f"cannot lock store {folder}: {error.strerror}; give a folder on another disk") from None
    with os_errors(folder):
        os.ftruncate(lock, 0)
        os.write(lock, f"pid {os.getpid()} on {socket.gethostname()[:60]}".encode())
