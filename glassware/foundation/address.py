"""Where a store is: a folder of this machine, or an address as ``s3://bucket/prefix``.

Both are pure paths, so that names, suffixes and joins are the same for both, and a type checker sees whoever touches a
file other than through its disk (``places.py``).
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path, PurePath, PurePosixPath

from glassware.foundation.errors import GlasswareError
from glassware.foundation.names import ADDRESS, check_path, printable

OBJECTS = ("s3", "gs", "az")  # through obstore
MEMORY = "memory"  # of this process, for tests; through fsspec
# fsspec knows these too, but they cannot be written, are a folder anyway, or hold others.
UNFIT = {"file", "local", "http", "https", "data", "zip", "tar", "libarchive", "reference", "filecache", "blockcache",
         "simplecache", "cached", "dir", "git", "github", "generic", "jupyter", "jlab", "async_wrapper"}  # fmt: skip
LONGEST = 800  # bytes of an address: S3 allows 1,024 for a whole key
EXTRA = "pip install 'glassware[cloud]'"


class Address(PurePosixPath):
    """An address, with the bucket as its first part. It is no path of this machine, so ``open`` cannot take it."""

    def __str__(self) -> str:
        return super().__str__().replace(":/", "://", 1)

    def __fspath__(self) -> str:
        raise TypeError(f"{self} is not a path of this machine")

    @property
    def scheme(self) -> str:
        return self.parts[0].rstrip(":")

    @property
    def bucket(self) -> str:
        return self.parts[1]

    @property
    def key(self) -> str:
        """What the bucket calls it."""
        return "/".join(self.parts[2:])


def place_of(where: str | PurePath) -> PurePath:
    """A folder or an address, checked by its name alone; nothing is touched."""
    if isinstance(where, Address):
        return where
    text = os.fspath(where)
    if not ADDRESS.match(text):
        check_path(text)
        return Path(where)
    scheme, _, rest = text.partition(":")
    if any(mark in rest for mark in "@?#"):  # not shown: it may be a secret
        raise GlasswareError(
            f"an address of a store has no user, password or query ({scheme}://bucket/prefix); "
            "credentials come from the environment"
        )
    address = Address(f"{scheme.lower()}:/{rest}")
    shown = printable(str(address))[:200]
    _check_scheme(address.scheme, shown)
    if len(address.parts) < 2:
        raise GlasswareError(f"{address.scheme}:// names no bucket; an address is {address.scheme}://bucket/prefix")
    if ".." in address.parts:
        raise GlasswareError(f"the address {shown} has '..' in it, which a bucket does not know")
    try:
        size = len(str(address).encode())
    except UnicodeEncodeError:
        raise GlasswareError(f"the address {shown} is not text in UTF-8") from None
    if size > LONGEST or printable(str(address)) != str(address):
        raise GlasswareError(f"the address {shown} is too long, or has characters that cannot be seen")
    return address


def _check_scheme(scheme: str, shown: str) -> None:
    """Refuse addresses at which nothing can be kept, and those for which a package is missing."""
    if scheme in OBJECTS:
        return _need("obstore", scheme)
    if scheme == MEMORY:
        return _need("fsspec", scheme)
    known = False
    if scheme not in UNFIT and importlib.util.find_spec("fsspec") is not None:
        from fsspec.registry import known_implementations

        known = scheme in known_implementations
    if not known:
        raise GlasswareError(
            f"{shown} is no address of a store: give a folder, s3://bucket/prefix, gs://, az://, "
            "or an address that fsspec can write"
        )
    return None


def _need(package: str, scheme: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise GlasswareError(f"a store at {scheme}:// needs the package {package}: {EXTRA}")
