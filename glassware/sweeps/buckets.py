"""Two ways to an object store: obstore, for S3, Google and Azure, and fsspec for whatever else it can write.

obstore is one package without dependencies, for all three, and takes no event loop: fsspec's own packages for them
bring a client of 30 MB each and pin it to a version. Both are imported when an address is first used.
"""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

TIMEOUT = 30.0  # seconds for one request; then it is tried again


class Entry(NamedTuple):
    """An object: its key, bytes, and when it was written by the server's clock (0: it does not say)."""

    key: str
    size: int
    modified: float


class Bucket(Protocol):
    """The requests that a store makes, each tried once. What is not there is a ``FileNotFoundError``."""

    whole: bool  # whether objects appear whole or not at all
    failures: tuple[type[Exception], ...]  # what the requests raise

    def put(self, key: str, data: bytes) -> None: ...
    def get(self, key: str, start: int | None = None, end: int | None = None) -> bytes: ...
    def head(self, key: str) -> Entry: ...
    def delete(self, key: str) -> None: ...
    def listed(self, prefix: str) -> tuple[list[Entry], list[str]]:
        """What lies directly below: objects, and prefixes of further ones."""

    def below(self, prefix: str) -> list[Entry]:
        """All objects below."""


class ObstoreBucket:
    """S3 and what speaks like it, Google Cloud Storage, Azure; configured by the environment."""

    whole = True

    def __init__(self, scheme: str, name: str) -> None:
        import obstore
        from obstore import store
        from obstore.exceptions import BaseError

        self._requests: Any = obstore
        self.failures: tuple[type[Exception], ...] = (BaseError, OSError)
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
        client: Any = {
            "timeout": timedelta(seconds=TIMEOUT),
            "connect_timeout": timedelta(seconds=TIMEOUT / 3),
            "allow_http": endpoint.startswith("http://"),
        }
        made: dict[str, Any] = {"s3": store.S3Store, "gs": store.GCSStore, "az": store.AzureStore}
        own = {"endpoint": endpoint} if scheme == "s3" and endpoint else {}
        self._store = made[scheme](name, client_options=client, retry_config={"max_retries": 0}, **own)

    def put(self, key: str, data: bytes) -> None:
        self._requests.put(self._store, key, data, use_multipart=len(data) > 2**26)

    def get(self, key: str, start: int | None = None, end: int | None = None) -> bytes:
        if start is None:
            return bytes(self._requests.get(self._store, key).bytes())
        return bytes(self._requests.get_range(self._store, key, start=start, end=end))

    def head(self, key: str) -> Entry:
        return _entry(self._requests.head(self._store, key))

    def delete(self, key: str) -> None:
        self._requests.delete(self._store, key)

    def listed(self, prefix: str) -> tuple[list[Entry], list[str]]:
        found = self._requests.list_with_delimiter(self._store, prefix or None)
        return [_entry(one) for one in found["objects"]], list(found["common_prefixes"])

    def below(self, prefix: str) -> list[Entry]:
        return [_entry(one) for one in self._requests.list(self._store, prefix or None).collect()]


def _entry(said: Any) -> Entry:
    return Entry(said["path"], said["size"], said["last_modified"].timestamp())


class FsspecBucket:
    """Any file system that fsspec can write. Whether its files appear whole is its own affair."""

    whole = False
    failures: tuple[type[Exception], ...] = (Exception,)  # each has its own

    def __init__(self, scheme: str, name: str) -> None:
        import fsspec

        self._files: Any = fsspec.filesystem(scheme, use_listings_cache=False)
        self._root = str(self._files._strip_protocol(f"{scheme}://{name}"))

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._files.pipe_file(path, data)

    def get(self, key: str, start: int | None = None, end: int | None = None) -> bytes:
        return bytes(self._files.cat_file(self._path(key), start=start, end=end))

    def head(self, key: str) -> Entry:
        said = self._files.info(self._path(key))
        if said["type"] == "directory":
            raise FileNotFoundError(key)
        return self._entry(said)

    def delete(self, key: str) -> None:
        self._files.rm_file(self._path(key))

    def listed(self, prefix: str) -> tuple[list[Entry], list[str]]:
        try:
            found = self._files.ls(self._path(prefix), detail=True)
        except FileNotFoundError:
            return [], []
        folders = [self._key(said["name"]) for said in found if said["type"] == "directory"]
        return [self._entry(said) for said in found if said["type"] != "directory"], folders

    def below(self, prefix: str) -> list[Entry]:
        return [self._entry(said) for said in self._files.find(self._path(prefix), detail=True).values()]

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}" if key else self._root

    def _key(self, path: str) -> str:
        return path.rstrip("/").removeprefix(self._root).lstrip("/")

    def _entry(self, said: dict[str, Any]) -> Entry:
        when = next((said[name] for name in ("LastModified", "mtime", "modified", "created") if name in said), 0.0)
        at = when.timestamp() if isinstance(when, datetime) else when
        return Entry(self._key(said["name"]), said["size"] or 0, float(at) if isinstance(at, int | float) else 0.0)
