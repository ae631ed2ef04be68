"""Commands called as a user types them."""

import sys

from typer.testing import CliRunner

from glassware.cli import app

SWEEP = """
seeds = 2
[run]
task = { n = 20, k = 3 }
model = { width = 8 }
batch = 8
steps = 60
evaluation = { every = 10, test = 128 }
[grid]
m = [30, "online"]
"""

GLASSWARE = [
    sys.executable,
    "-c",
    # A shell's background job starts with Ctrl-C ignored; these must not.
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from glassware.cli import main; main()",
]


def call(*words):
    """Call ``glassware`` on a terminal wide enough for its tables."""
    words = [str(word) for word in words]
    return CliRunner().invoke(app, words, prog_name="glassware", env={"COLUMNS": "120"})


def sentence(result):
    """What a refused command said: one sentence, on standard error, without a traceback."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("glassware: ")
    assert "Traceback" not in line
    return line.removeprefix("glassware: ")


def snapshot(folder):
    """Everything below a folder, to the byte and the time of writing."""
    return {p: (p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p in folder.rglob("*")}
