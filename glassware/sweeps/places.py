"""What a store asks of the disk it lies on, and the disk of this machine.

Everything that a store keeps goes through here: ``disk_of(place)`` is the local disk for a folder, and an object store
(``objects.py``) for an address. A store needs little: list, read, write whole, remove, and a lock; nothing is ever
changed in place, and nothing is renamed but what is damaged.
"""

from __future__ import annotations

import contextlib
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import BinaryIO, TypeVar

from glassware.foundation.address import Address
from glassware.foundation.errors import StoreError
from glassware.sweeps.disk import TEMPORARY, os_errors, write_whole
from glassware.sweeps.lock import Holding, Note, locked, writers
from glassware.sweeps.share import Share

Found = TypeVar("Found")


class Disk(ABC):
    """Where a store's files lie. A file that is not there is a ``FileNotFoundError``, all else a ``StoreError``."""

    whole = False  # whether a file appears whole or not at all, whoever writes it

    @abstractmethod
    def entries(self, folder: PurePath) -> list[PurePath]:
        """What lies in a folder, by name; nothing if it is not there."""

    @abstractmethod
    def sizes(self, folder: PurePath) -> dict[PurePath, int]:
        """The bytes of all files in a folder, at any depth."""

    @abstractmethod
    def exists(self, place: PurePath) -> bool:
        """Whether there is such a file or folder."""

    @abstractmethod
    def is_folder(self, place: PurePath) -> bool:
        """Whether something can lie in it: False for a file, and for nothing."""

    @abstractmethod
    def same(self, one: PurePath, other: PurePath) -> bool:
        """Whether two names are of one folder."""

    @abstractmethod
    def opened(self, place: PurePath) -> AbstractContextManager[BinaryIO]:
        """A file to read."""

    @abstractmethod
    def text(self, place: PurePath) -> str:
        """All of a small file of text."""

    @abstractmethod
    def source(self, place: PurePath) -> Path | BinaryIO:
        """A file as Polars scans it; one that is read for that is verified."""

    @abstractmethod
    def modified(self, place: PurePath) -> float:
        """When a file was written; only to tell an older from a newer."""

    @abstractmethod
    def write(self, place: PurePath, data: bytes) -> None:
        """Write a file, whole or not at all. It is there to stay when this returns."""

    @abstractmethod
    def remove(self, place: PurePath) -> None:
        """Remove a file, if it is there."""

    @abstractmethod
    def move(self, place: PurePath, to: PurePath) -> None:
        """Move a file out of the way."""

    @abstractmethod
    def make(self, folder: PurePath) -> None:
        """Make a folder."""

    @abstractmethod
    def clean(self, folder: PurePath) -> None:
        """Remove the unfinished files of killed writers. Only for the holder of the lock."""

    @abstractmethod
    def each(self, action: Callable[[PurePath], Found], places: Iterable[PurePath]) -> Iterator[Found]:
        """What an action gives for each place, in order."""

    @abstractmethod
    def errors(self, store: PurePath) -> AbstractContextManager[None]:
        """Errors of writing as one sentence about the store."""

    @abstractmethod
    def locked(self, store: PurePath, share: Share | None) -> AbstractContextManager[Holding]:
        """Hold a store: alone, or beside the holders of other shares."""

    @abstractmethod
    def writers(self, store: PurePath) -> dict[str, Note | None]:
        """Who is writing a store, and what each says about itself."""

    def read(self, place: PurePath) -> bytes:
        """All of a file."""
        with self.opened(place) as file:
            return file.read()

    def newest_first(self, places: list[PurePath]) -> list[PurePath]:
        """By age; of equal age the first by name."""
        if len(places) < 2:
            return places
        return sorted(places, key=lambda place: (-self.modified(place), place.name))


class LocalDisk(Disk):
    """The file system of this machine, or one that it has mounted."""

    def entries(self, folder: PurePath) -> list[PurePath]:
        there = Path(folder)
        return sorted(there.iterdir()) if there.exists() else []

    def sizes(self, folder: PurePath) -> dict[PurePath, int]:
        return {path: path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()}

    def exists(self, place: PurePath) -> bool:
        return Path(place).exists()

    def is_folder(self, place: PurePath) -> bool:
        return Path(place).is_dir()

    def same(self, one: PurePath, other: PurePath) -> bool:
        return not isinstance(other, Address) and Path(one).resolve() == Path(other).resolve()

    @contextlib.contextmanager
    def opened(self, place: PurePath) -> Iterator[BinaryIO]:
        """A file to read, if it is one. Opening a pipe would wait for a writer, and is refused instead."""
        try:
            handle = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            mode = os.fstat(handle).st_mode
            if not stat.S_ISREG(mode):
                os.close(handle)
                what = "a folder" if stat.S_ISDIR(mode) else "not a file"
                raise StoreError(f"{place} is {what} and does not belong in a glassware store; remove it")
            with os.fdopen(handle, "rb") as file:
                yield file
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreError(f"cannot read {place}: {error.strerror}") from None

    def text(self, place: PurePath) -> str:
        with open(place) as file:
            return file.read()

    def source(self, place: PurePath) -> Path:
        return Path(place)

    def modified(self, place: PurePath) -> float:
        return Path(place).stat().st_mtime_ns

    def write(self, place: PurePath, data: bytes) -> None:
        write_whole(Path(place), data)

    def remove(self, place: PurePath) -> None:
        Path(place).unlink(missing_ok=True)

    def move(self, place: PurePath, to: PurePath) -> None:
        Path(to).parent.mkdir(parents=True, exist_ok=True)
        Path(place).rename(to)

    def make(self, folder: PurePath) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)

    def clean(self, folder: PurePath) -> None:
        for stale in Path(folder).glob(TEMPORARY + "*"):
            stale.unlink()

    def each(self, action: Callable[[PurePath], Found], places: Iterable[PurePath]) -> Iterator[Found]:
        return map(action, places)

    def errors(self, store: PurePath) -> AbstractContextManager[None]:
        return os_errors(store)

    def locked(self, store: PurePath, share: Share | None) -> AbstractContextManager[Holding]:
        return locked(Path(store), share)

    def writers(self, store: PurePath) -> dict[str, Note | None]:
        return writers(Path(store))


_LOCAL = LocalDisk()


def disk_of(place: PurePath) -> Disk:
    """The disk that a place is on."""
    if not isinstance(place, Address):
        return _LOCAL
    from glassware.sweeps.objects import object_disk  # only for those who use one

    return object_disk(place.scheme, place.bucket)


def files_below(folder: PurePath, suffix: str) -> list[PurePath]:
    """The files with this suffix in a folder, at any depth, by name."""
    return sorted(path for path in disk_of(folder).sizes(folder) if path.suffix == suffix)
