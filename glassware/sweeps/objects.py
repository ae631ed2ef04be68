"""A store on an object store: the same files under the same names, without renames and without locks of files.

An object appears whole or not at all, and a listing shows every object whose writing has ended: S3 since 2020, Google
and Azure always. So a part is one request to write it under its final name, which is unique. Every request may be made
twice without harm, and is, with growing pauses, when the server fails, does not answer or hangs up.

No word of the server's reaches a message: it may quote the request, and with it who asked.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from pathlib import PurePath
from typing import BinaryIO, TypeVar, cast

from glassware.foundation.address import OBJECTS, Address
from glassware.foundation.errors import GlasswareError, StoreError
from glassware.sweeps.buckets import Bucket, Entry, FsspecBucket, ObstoreBucket
from glassware.sweeps.checked import read_checked
from glassware.sweeps.lease import leased, leases
from glassware.sweeps.lock import Holding, Note
from glassware.sweeps.places import Disk
from glassware.sweeps.share import Share

PATIENCE = 120.0  # seconds after which a request that fails is given up
PAUSE, LONGEST_PAUSE = 0.1, 10.0  # seconds between tries: doubled each time
AT_ONCE = 16  # requests for reading many files: each waits for the network, not for this machine

_STATUS = re.compile(r"status code: (\d{3})")
_LASTING = {400, 401, 403, 404, 405, 409, 411, 412, 416, 501}  # asking again gives the same answer
_MISSING = ("NoSuchBucket", "bucketNotFound", "ContainerNotFound")

Found = TypeVar("Found")


class ObjectDisk(Disk):
    """A bucket as a disk."""

    def __init__(self, scheme: str, name: str, bucket: Bucket) -> None:
        self.root, self.bucket, self.whole = Address(f"{scheme}://{name}"), bucket, bucket.whole

    def entries(self, folder: PurePath) -> list[PurePath]:
        objects, folders = self._try("list", folder, lambda: self.bucket.listed(_key(folder)))
        names = {entry.key for entry in objects} | {name.rstrip("/") for name in folders}
        return sorted(self.root / name for name in names if name != _key(folder))

    def sizes(self, folder: PurePath) -> dict[PurePath, int]:
        found = self._try("list", folder, lambda: self.bucket.below(_key(folder)))
        return {self.root / entry.key: entry.size for entry in found}

    def exists(self, place: PurePath) -> bool:
        return self._head(place) is not None or self.is_folder(place)

    def is_folder(self, place: PurePath) -> bool:
        return bool(self.entries(place))

    def same(self, one: PurePath, other: PurePath) -> bool:
        return one == other

    @contextlib.contextmanager
    def opened(self, place: PurePath) -> Iterator[BinaryIO]:
        with _Remote(self, place) as file:
            yield cast(BinaryIO, file)

    def text(self, place: PurePath) -> str:
        return self.read(place).decode()

    def source(self, place: PurePath) -> BinaryIO:
        return io.BytesIO(read_checked(place))

    def read(self, place: PurePath) -> bytes:
        return self._try("read", place, lambda: self.bucket.get(_key(place)))

    def range(self, place: PurePath, start: int, end: int) -> bytes:
        """Some bytes of an object."""
        return self._try("read", place, lambda: self.bucket.get(_key(place), start, end)) if end > start else b""

    def size(self, place: PurePath) -> int:
        return self._try("read", place, lambda: self.bucket.head(_key(place))).size

    def modified(self, place: PurePath) -> float:
        return self._try("read", place, lambda: self.bucket.head(_key(place))).modified

    def write(self, place: PurePath, data: bytes) -> None:
        try:
            self._try("write", place, lambda: self.bucket.put(_key(place), data))
        except FileNotFoundError:
            raise StoreError(f"cannot write {place}: there is no bucket '{self.root.bucket}'") from None

    def remove(self, place: PurePath) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._try("remove", place, lambda: self.bucket.delete(_key(place)))

    def move(self, place: PurePath, to: PurePath) -> None:
        self.write(to, self.read(place))  # killed in between it is in both places, and moved again
        self.remove(place)

    def make(self, folder: PurePath) -> None:
        """Nothing: a folder is there when something lies in it."""

    def clean(self, folder: PurePath) -> None:
        """Nothing: there are no unfinished files."""

    def each(self, action: Callable[[PurePath], Found], places: Iterable[PurePath]) -> Iterator[Found]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(action, places)

    def errors(self, store: PurePath) -> AbstractContextManager[None]:
        return contextlib.nullcontext()  # they are sentences already

    def locked(self, store: PurePath, share: Share | None) -> AbstractContextManager[Holding]:
        return leased(self, store, share)

    def writers(self, store: PurePath) -> dict[str, Note | None]:
        return leases(self, store)

    def heads(self, folder: PurePath) -> dict[PurePath, float]:
        """What lies directly in a folder, and when it was written by the server's clock."""
        objects, _ = self._try("list", folder, lambda: self.bucket.listed(_key(folder)))
        return {self.root / entry.key: entry.modified for entry in objects}

    def _head(self, place: PurePath) -> Entry | None:
        with contextlib.suppress(FileNotFoundError):
            return self._try("read", place, lambda: self.bucket.head(_key(place)))
        return None

    def _try(self, verb: str, place: PurePath, request: Callable[[], Found]) -> Found:
        """Make a request until it succeeds, fails for good, or patience is at an end."""
        started, pause, tries = time.monotonic(), PAUSE, 0
        while True:
            tries += 1
            try:
                return request()
            except (FileNotFoundError, GlasswareError):
                raise
            except self.bucket.failures as error:
                spent, why = time.monotonic() - started, _why(error)
                if any(word in str(error) for word in _MISSING):
                    raise StoreError(f"cannot {verb} {place}: there is no bucket '{self.root.bucket}'") from None
                if _lasts(error):
                    raise StoreError(f"cannot {verb} {place}: {why}") from None
                if spent + pause > PATIENCE:
                    again = f", also at the {tries}th try after {spent:.0f} s" if tries > 1 else ""
                    raise StoreError(f"cannot {verb} {place}: {why}{again}; what it holds is intact") from None
            time.sleep(pause * random.uniform(0.5, 1.0))  # not all at once when a server comes back
            pause = min(2 * pause, LONGEST_PAUSE)


class _Remote(io.RawIOBase):
    """An object as a file: each read is a request for those bytes alone."""

    def __init__(self, disk: ObjectDisk, place: PurePath) -> None:
        self._disk, self._place, self._at, self._size = disk, place, 0, disk.size(place)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._size, self._at + size)
        data = self._disk.range(self._place, self._at, end)
        self._at += len(data)
        return data


def _key(place: PurePath) -> str:
    assert isinstance(place, Address)
    return place.key


def _status(error: Exception) -> int | None:
    found = _STATUS.search(str(error))
    return int(found[1]) if found else None


def _lasts(error: Exception) -> bool:
    """Whether asking again would give the same answer."""
    if isinstance(error, PermissionError | NotImplementedError | TypeError):
        return True
    return _status(error) in _LASTING or type(error).__name__ in ("PermissionDeniedError", "UnauthenticatedError")


def _why(error: Exception) -> str:
    """What went wrong, in words of ours."""
    status, text = _status(error), str(error).lower()
    if status in (401, 403) or (_lasts(error) and status is None):
        return "the server refuses these credentials; they come from the environment (docs/cluster.md)"
    if status is not None:
        return f"the server answered {status}"
    if "169.254.169.254" in text or "credential" in text or "metadata.google" in text:
        return "no credentials were found; they come from the environment (docs/cluster.md)"
    if "timed out" in text or "timeout" in text:
        return "the server did not answer in time"
    return "the connection failed"


@cache
def object_disk(scheme: str, name: str) -> ObjectDisk:
    """The disk of a bucket, one per process."""
    if scheme in OBJECTS:
        return ObjectDisk(scheme, name, ObstoreBucket(scheme, name))
    try:
        return ObjectDisk(scheme, name, FsspecBucket(scheme, name))
    except (ImportError, ValueError) as error:
        package = getattr(error, "name", None) or "a package of fsspec's"
        raise GlasswareError(f"a store at {scheme}:// needs {package}, which is not installed") from None
