"""``glassware play`` as it is typed: however it ends, it leaves no process behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import glassware
from tests.calls import GLASSWARE, call, sentence
from tests.play.conftest import LONG, QUICK, Page, gone


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the children of a process")
@pytest.mark.parametrize(
    ("how", "code", "settings", "when"),
    [(signal.SIGINT, 0, LONG, "supports"), (signal.SIGKILL, -signal.SIGKILL, QUICK, "ended")],
    ids=["Ctrl-C while it trains", "kill -9 when it is idle"],
)
def test_it_leaves_no_child(folder, how, code, settings, when):
    root = str(Path(glassware.__file__).parent.parent)
    command = subprocess.Popen(
        [*GLASSWARE, "play", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    with command.stdout, command.stderr:
        page = Page(int(command.stdout.readline().split("127.0.0.1:")[1].split("/")[0]))
        number = page.post("/start", {"settings": settings.model_dump(mode="json")})[1]["number"]
        while not page.post("/look", {"number": number})[1][when]:
            time.sleep(0.05)
        (child,) = _children(command.pid)
        command.send_signal(how)
        assert command.wait(10) == code
        assert gone(int(child))
        assert command.stderr.read() == ""
    assert list(folder.iterdir()) == []


def _children(pid):
    """Of all threads of a process."""
    return [one for task in Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()]


def test_a_port_that_is_taken_is_one_sentence(page):
    said = sentence(call("play", "--no-browser", "--port", page.port))
    assert said.startswith(f"cannot listen on port {page.port}: ")
