"""``glassware play`` as it is typed: however it ends, it leaves no process behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import glassware
from tests.calls import GLASSWARE, call, sentence
from tests.play.conftest import LONG, Page, gone


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the children of a process")
@pytest.mark.parametrize(
    ("how", "trains", "code"), [(signal.SIGINT, False, 0), (signal.SIGKILL, True, -signal.SIGKILL)]
)
def test_it_leaves_no_child(folder, how, trains, code):
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
        number = page.post("/start", {"settings": LONG.model_dump(mode="json")})[1]["number"]
        while trains and not page.post("/look", {"number": number})[1]["frames"]:
            pass
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
