"""A store with studies and sweeps, made once, and its page on a port of its own."""

import http.client
import socket
import threading
import time
from urllib.parse import quote

import pytest

import glassware as gw
from glassware import studies
from glassware.sweeps import Store, grid, sweep
from glassware.web.app import make_app
from glassware.web.listening import make_server
from tests.helpers import TINY
from tests.reports.test_report import HOSTILE, NASTY
from tests.tiny_study import STUDY

FILE = f"""
name = "data"
title = '{HOSTILE}'
seeds = 3
[run]
task = {{ n = 20, k = 3 }}
model = {{ width = 8 }}
batch = 8
steps = 60
keep = ["first", "final"]
evaluation = {{ every = 10, test = 100 }}
[grid]
m = [30, "online"]
"model.width" = [4, 8]
"""


class Page:
    """The page of a store, asked over a socket as a browser asks."""

    def __init__(self, port, store):
        self.port, self.store = port, store
        self.address = f"http://127.0.0.1:{port}"

    def ask(self, path, *, method="GET", host=None, **headers):
        """The code, the headers and the body of an answer; the path goes out as it stands."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.getheaders()), body

    def body(self, path):
        code, _, body = self.ask(path)
        assert code == 200, body
        return body

    def wait(self, path, words, seconds=60):
        """The body, once it has these words."""
        end = time.monotonic() + seconds
        while words not in (body := self.body(path)):
            assert time.monotonic() < end, body
            time.sleep(0.2)
        return body


@pytest.fixture(scope="package")
def store(tmp_path_factory):
    """The tiny study, a sweep that keeps weights, and another one beside it."""
    home = tmp_path_factory.mktemp("page")
    (home / "data.toml").write_text(FILE)
    gw.reproduce(STUDY, "smoke", store=home / "store", figures=None)
    sweep(home / "data.toml", home / "store")
    sweep(grid({**TINY, "optimiser": {"lr": 0.3, "name": "sgd"}}, {"m": [30]}, seeds=3), home / "store", name="fast/α")
    return Store(home / "store")


@pytest.fixture(scope="package")
def page(store):
    """The page of the store, while the tests of this package run."""
    every = dict(studies.STUDIES)
    studies.STUDIES.clear()  # to match runs with all of them takes seconds
    studies.STUDIES.update({one.name: one for one in (STUDY, NASTY)})
    listening = socket.create_server(("127.0.0.1", 0))
    server = make_server(make_app(store))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield Page(listening.getsockname()[1], store)
    server.should_exit = True
    thread.join(10)
    studies.STUDIES.clear()
    studies.STUDIES.update(every)


@pytest.fixture
def run(store):
    """The id of a run that has kept weights."""
    rows = store.read(["id", "spec"])
    return rows.filter(rows["spec"].str.contains('"keep"'))["id"][0]


@pytest.fixture
def study_address():
    return f"/study/{quote(STUDY.name)}?scale=smoke"
