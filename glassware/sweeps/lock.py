"""Who may write a store: one process alone, or several with a share each."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import stat
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from filelock import lock_descriptor

from glassware.foundation.errors import StoreError
from glassware.sweeps.disk import os_errors
from glassware.sweeps.share import Share

LOCK = "lock"  # how the names of lock files begin
GATE = f"{LOCK}-gate"
GATE_SECONDS = 30.0  # longest wait at the gate, which everyone passes within milliseconds
_SHARE = re.compile(rf"{LOCK}-(\d+)-of-(\d+)")


@dataclass(frozen=True)
class Note:
    """What a writer says about itself in its lock file.

    Attributes:
        since, last: when it began, and when it last wrote (seconds since 1970).
        written: rows it has written so far.
        left: runs it still has to train; None if it does not know.
    """

    since: float
    last: float
    written: int
    left: int | None


class Holding(Protocol):
    """A store that is held for writing."""

    def tell(self, note: Note) -> None:
        """Say how far the writer is."""


class Held:
    """A lock that is held; its file says by whom, and how far the holder is."""

    def __init__(self, lock: int) -> None:
        self._lock = lock

    def say(self, note: Note | None = None) -> None:
        """Write who we are, and how far."""
        # The first byte is the one that Windows locks, and nobody else can read it there.
        text = f" pid {os.getpid()} on {socket.gethostname()[:60]}\n{json.dumps(asdict(note)) if note else ''}"
        os.ftruncate(self._lock, 0)
        os.lseek(self._lock, 0, os.SEEK_SET)
        os.write(self._lock, text.encode())

    def tell(self, note: Note) -> None:
        """Say how far we are. A disk that is full is no reason to stop: the rows themselves will tell."""
        with contextlib.suppress(OSError):
            self.say(note)


@contextlib.contextmanager
def locked(folder: Path, share: Share | None = None) -> Iterator[Held]:
    """Hold a store: alone, or beside the holders of other shares. Raises a ``StoreError`` if it is taken.

    The operating system releases the locks when their holder dies, on shared file systems too; the files stay.

    filelock has no shared lock on such file systems (its ``ReadWriteLock`` is an SQLite file). So all locks are
    exclusive, and writers pass a gate one at a time: behind it a share checks that nobody holds the store alone or
    shares it otherwise, and a lone writer that nobody holds a share.
    """
    with contextlib.ExitStack() as held:
        with contextlib.ExitStack() as checked:
            _take(checked, folder, GATE, GATE_SECONDS)
            if share is None:
                ours = _take(held, folder, LOCK)
                for other in _shares(folder):
                    _take(checked, folder, other)
            else:
                _take(checked, folder, LOCK)
                for other, theirs in _shares(folder).items():
                    if theirs.count != share.count and _is_held(folder, other):
                        raise StoreError(
                            f"share {theirs} is being trained into store {folder}, and share {share} has runs of it; "
                            f"give a share of {theirs.count}, or wait"
                        )
                ours = _take(held, folder, f"{LOCK}-{share.index}-of-{share.count}")
        yield ours


def writers(folder: Path) -> dict[str, Note | None]:
    """Who is writing a store, and what each says about itself.

    Asked behind the gate, where a lock that is tried for a moment is in nobody's way.
    """
    found: dict[str, Note | None] = {}
    if not (folder / GATE).exists():  # nobody has ever written it, or an earlier version
        return found
    with contextlib.ExitStack() as gate:
        _take(gate, folder, GATE, GATE_SECONDS)
        for name, share in [(LOCK, None), *_shares(folder).items()]:
            if _is_held(folder, name):
                who, _, note = (folder / name).read_bytes()[1:400].decode(errors="replace").partition("\n")
                found[who.strip() + (f", share {share}" if share else "")] = _read_note(note)
    return found


def _read_note(text: str) -> Note | None:
    try:
        return note_from(json.loads(text))
    except ValueError:  # none, or just being written
        return None


def note_from(said: Any) -> Note | None:
    """A note from plain data, if it is one."""
    try:
        return Note(**said)
    except TypeError:
        return None


def _shares(folder: Path) -> dict[str, Share]:
    """The lock files of shares, held or not."""
    found = {path.name: _SHARE.fullmatch(path.name) for path in sorted(folder.glob(f"{LOCK}-*-of-*"))}
    return {name: Share(int(match[1]), int(match[2])) for name, match in found.items() if match}


def _is_held(folder: Path, name: str) -> bool:
    if not (folder / name).exists():
        return False
    lock = _open(folder, name)
    try:
        return not lock_descriptor(lock, blocking=False)
    finally:
        os.close(lock)


def _open(folder: Path, name: str) -> int:
    """Open a lock file. A link would have its target overwritten, so it is refused."""
    if (folder / name).is_symlink():
        raise StoreError(f"{folder / name} is a link, which may lead anywhere; remove it")
    with os_errors(folder):
        lock = os.open(folder / name, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    if not stat.S_ISREG(os.fstat(lock).st_mode):
        os.close(lock)
        raise StoreError(f"{folder / name} is not a file; remove it")
    return lock


def _take(held: contextlib.ExitStack, folder: Path, name: str, seconds: float = 0.0) -> Held:
    """Take one lock, waiting up to ``seconds`` for it, until the stack closes. The file says who holds it."""
    lock = _open(folder, name)
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
        Held(lock).say()
    return Held(lock)


def _holder(lock: int) -> str:
    os.lseek(lock, 1, os.SEEK_SET)
    return os.read(lock, 100).decode(errors="replace").partition("\n")[0].strip() or "unknown"
