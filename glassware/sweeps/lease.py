"""Who may write a store on an object store, which has no locks: whoever has left a lease there.

A lease is an object under a name of its own, written again every few seconds. Whoever wants to write leaves one, then
lists: a listing shows everything that was written before it, so of two that come at the same time at least one sees the
other. Whoever sees another withdraws, and looks again a little later. No conditional write is needed, which not every
server has. A lease that was not renewed for a minute is nobody's; its age is the difference of two times that the
server has noted, so that no clock of ours counts, and on the machine of its holder a dead one is known at once.

A holder that was stopped for longer finds its lease gone and ends. Rows that it and its successor have both written are
the same, and readers take each once: a lease spares work, and the store is sound without it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from glassware.foundation.errors import StoreError
from glassware.sweeps.lock import LOCK, Note, note_from
from glassware.sweeps.share import Share

if TYPE_CHECKING:
    from glassware.sweeps.objects import ObjectDisk

BEAT, LEASE = 10.0, 60.0  # seconds between two renewals, and without one until a lease is nobody's
LOOK = 1.0  # seconds between two looks at somebody else's
_NAMED = re.compile(r"(alone|(\d+)-of-(\d+))-[0-9a-f]{12}")
_ours: set[PurePath] = set()  # leases that this process holds, or is about to


class Lease:
    """A lease that is held, renewed by a thread."""

    def __init__(self, disk: ObjectDisk, place: PurePath) -> None:
        self.disk, self.place = disk, place
        self.note: Note | None = None
        self.lost = False
        self._ended = threading.Event()
        _ours.add(place)
        self._thread = threading.Thread(target=self._renew, name="glassware-lease", daemon=True)

    def say(self) -> None:
        """Write who we are, and how far."""
        here = {"who": f"pid {os.getpid()} on {socket.gethostname()[:60]}", "machine": _machine(), "pid": os.getpid()}
        note = None if self.note is None else asdict(self.note)
        self.disk.write(self.place, json.dumps({**here, "note": note}).encode())

    def tell(self, note: Note) -> None:
        """Say how far we are, at the next renewal. Ends a writer that others have taken for dead."""
        self.note = note
        if self.lost:
            raise StoreError(
                f"another process has taken over {self.place.parent.parent}, which this one could not reach for "
                f"{LEASE:.0f} s; what is written is kept"
            )

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Withdraw it; one that cannot be reached is nobody's a minute later."""
        self._ended.set()
        _ours.discard(self.place)
        if self._thread.is_alive():
            self._thread.join(timeout=BEAT)
        with contextlib.suppress(StoreError):
            self.disk.remove(self.place)

    def _renew(self) -> None:
        while not self._ended.wait(BEAT):
            with contextlib.suppress(StoreError):  # the next one may get through
                if self.place not in self.disk.heads(self.place.parent):
                    self.lost = True
                    return
                if not self._ended.is_set():
                    self.say()


@contextlib.contextmanager
def leased(disk: ObjectDisk, store: PurePath, share: Share | None) -> Iterator[Lease]:
    """Hold a store: alone, or beside the holders of other shares. Raises a ``StoreError`` if it is taken."""
    label = "alone" if share is None else f"{share.index}-of-{share.count}"
    ours = Lease(disk, store / LOCK / f"{label}-{uuid.uuid4().hex[:12]}")
    first: dict[PurePath, float] = {}  # others' leases as they were seen first
    deadline = time.monotonic() + LEASE + 2 * BEAT + 2.0  # servers note whole seconds
    try:
        while True:
            ours.say()
            others = _in_the_way(ours, share)
            if not others:
                break
            disk.remove(ours.place)
            for place, written in others.items():
                if written > first.setdefault(place, written) or time.monotonic() > deadline:
                    raise StoreError(_taken(disk, store, place, share))
            time.sleep(LOOK * random.uniform(0.5, 1.0))
        ours.start()
        yield ours
    finally:
        ours.end()


def leases(disk: ObjectDisk, store: PurePath) -> dict[str, Note | None]:
    """Who is writing a store, and what each says about itself."""
    found: dict[str, Note | None] = {}
    for place, written in disk.heads(store / LOCK).items():
        if time.time() - written > 2 * LEASE:  # by our clock, which may differ from the server's: only told, not used
            continue
        said = _read(disk, place)
        share = _share(place)
        found[str(said.get("who", "unknown")) + (f", share {share}" if share else "")] = note_from(said.get("note"))
    return found


def _in_the_way(ours: Lease, share: Share | None) -> dict[PurePath, float]:
    """Leases that exclude ours, and when each was written. Those that are nobody's are removed."""
    there = ours.disk.heads(ours.place.parent)
    now = there.pop(ours.place, None)
    if now is None:  # removed by somebody who took us for dead; next time
        return {}
    found: dict[PurePath, float] = {}
    for place, written in there.items():
        theirs = _share(place)
        if share is not None and theirs is not None and theirs.count == share.count and theirs.index != share.index:
            continue
        if now - written > LEASE or _is_dead(place, _read(ours.disk, place)):
            ours.disk.remove(place)
        else:
            found[place] = written
    return found


def _share(place: PurePath) -> Share | None:
    named = _NAMED.fullmatch(place.name)
    return Share(int(named[2]), int(named[3])) if named and named[2] else None


def _is_dead(place: PurePath, said: dict[str, Any]) -> bool:
    """Whether it was left by a process of this machine that is no more, or by ours, which could not remove it."""
    pid = said.get("pid")
    if said.get("machine") != _machine() or not isinstance(pid, int) or os.name == "nt":
        return False
    if pid == os.getpid():
        return place not in _ours
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _read(disk: ObjectDisk, place: PurePath) -> dict[str, Any]:
    try:
        said = json.loads(disk.read(place))
    except (FileNotFoundError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _machine() -> str:
    """This machine, or the container that numbers its processes by itself."""
    with contextlib.suppress(OSError):
        return f"{socket.gethostname()} {os.stat('/proc/self/ns/pid').st_ino}"
    return socket.gethostname()


def _taken(disk: ObjectDisk, store: PurePath, place: PurePath, share: Share | None) -> str:
    theirs = _share(place)
    if share is not None and theirs is not None and theirs.count != share.count:
        return (
            f"share {theirs} is being trained into store {store}, and share {share} has runs of it; "
            f"give a share of {theirs.count}, or wait"
        )
    who = _read(disk, place).get("who", "unknown")
    return f"store {store} is being written by another process ({who}); wait or give another store"
