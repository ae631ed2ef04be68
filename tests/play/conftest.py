"""One session and its page on a port of its own, for all tests that train."""

import http.client
import json
import os
import re
import socket
import threading
import time

import pytest

from glassware.play.app import make_app
from glassware.play.session import Session
from glassware.play.settings import Settings
from glassware.web.listening import make_server

# Few shapes: each is compiled once.
QUICK = Settings(n=20, k=2, width=12, m=200, steps=600, lr=0.2, slow=False)
LONG = Settings(n=100, width=400, steps=20_000)  # a training that is not over when the next one begins


class Page:
    """A page asked over a socket, as its script asks."""

    def __init__(self, port):
        self.port, self.address = port, f"http://127.0.0.1:{port}"
        self.token = re.search(r'data-token="([^"]+)"', self.ask("GET", "/")[2])[1]

    def ask(self, method, path, body=None, **headers):
        """The code, the headers and the body of an answer; a header of None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        sent = {"Host": f"127.0.0.1:{self.port}", "Content-Length": str(len(body or ""))}
        for name, value in {**sent, **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders((body or "").encode())
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, said

    def post(self, path, body, **headers):
        """The code of an answer, and what it says."""
        code, _, said = self.ask("POST", path, json.dumps(body), **{"X_Glassware_Token": self.token, **headers})
        return code, json.loads(said) if said.startswith("{") else said


@pytest.fixture(scope="package")
def session():
    session = Session()
    yield session
    session.close()


@pytest.fixture(scope="package")
def page(session):
    listening = socket.create_server(("127.0.0.1", 0))
    server = make_server(make_app(session))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield Page(listening.getsockname()[1])
    server.should_exit = True
    thread.join(10)


def follow(session, number, until, seed=0, seconds=120):
    """Look at a training as a page does, until something holds; all frames, and the last answer."""
    frames, end = [], time.monotonic() + seconds
    while True:
        said = session.look(number, len(frames), seed)
        frames += said.get("frames", [])
        if until(said, frames):
            return frames, said
        assert time.monotonic() < end, said
        time.sleep(0.02)


def gone(pid, seconds=10):
    """Whether a process ends within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
