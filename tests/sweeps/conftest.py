import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Lives:
    """Talks to ``tests.sweeps.lives``."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.sweeps.lives"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, *words: object) -> list[str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def start(self, kind: str, store: Path, number: int = 0) -> tuple[int, bool]:
        """A new life: its pid, and whether it was at work before it ended."""
        pid, state = self._ask("start", kind, store, number)
        return int(pid), state == "working"

    def end(self, signal: int = 0, reports: int = 0, seconds: float = 0.0) -> tuple[int, int]:
        """Send a signal after so many reports and seconds: the exit status (negative: a signal) and all reports."""
        status, heard = self._ask("end", signal, reports, seconds)
        return int(status), int(heard)


@pytest.fixture(scope="module")
def lives():
    """A process that forks processes to be killed."""
    made = Lives()
    yield made
    made.process.communicate(timeout=30)
