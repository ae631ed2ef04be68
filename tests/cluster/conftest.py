import os

import pytest

from glassware.sweeps.objects import object_disk
from tests.cluster.servers import environment, s3_server


@pytest.fixture(scope="session")
def server():
    """The address of an S3 server on this machine."""
    pytest.importorskip("moto.server", reason="make cluster installs a server")
    with s3_server() as address:
        yield address


@pytest.fixture
def s3(server, monkeypatch, request):
    """An empty store on it."""
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    object_disk.cache_clear()
    yield f"s3://bucket/{os.getpid()}/{request.node.name.replace('[', '-').replace(']', '')}"
    object_disk.cache_clear()


@pytest.fixture(params=["memory", "s3"])
def address(request):
    """An empty store, in the memory of this process and on the server."""
    if request.param == "s3":
        return request.getfixturevalue("s3")
    pytest.importorskip("fsspec", reason="make cluster installs it")
    return f"memory://tests/{os.getpid()}/{request.node.name}"
