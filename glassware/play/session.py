"""One training at a time, in one child process: started, replaced, and ended when nobody looks any more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassware.play.settings import Settings

BEAT = 6.0  # seconds without a word from the page after which it is gone; hidden pages may speak once a second
LONGEST = 120.0  # seconds that a training may take; the first one on a machine compiles the kernel, in half a minute
IDLE = 300.0  # seconds that a process waits for the next one
TICK = 0.25
HOME = str(Path(__file__).parents[2])  # where this package is imported from


@dataclass
class Training:
    """What is asked for, and what has been said about it so far."""

    number: int
    settings: Settings | None
    seed: int = 0  # whose weights are looked at
    supports: list[list[int]] | None = None
    frames: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[int, dict[str, Any]] = field(default_factory=dict)  # the newest of each seed
    lanes: list[dict[str, Any]] | None = None  # how each run ended
    ended: bool = False
    sorry: str = ""
    began: float = field(default_factory=time.monotonic)

    def job(self) -> str:
        """The line that the process reads."""
        settings = None if self.settings is None else self.settings.model_dump(mode="json")
        return json.dumps({"number": self.number, "settings": settings, "seed": self.seed}) + "\n"

    def take(self, said: dict[str, Any]) -> None:
        """Something the process has said about it."""
        self.supports = said.get("supports", self.supports)
        if "frame" in said:
            self.frames.append(said["frame"])
        for picture in (said.get("picture"), *said.get("pictures", ())):
            if picture:
                self.pictures[picture["lane"]] = picture
        if "sorry" in said:
            self.fail(said["sorry"])
        if "ended" in said:
            self.lanes, self.ended = said["lanes"], True

    def fail(self, why: str) -> None:
        """It will not come to its end; one that has, stays."""
        if not self.ended:
            self.ended, self.sorry = True, why

    def since(self, frames: int) -> dict[str, Any]:
        """What is new for a page that has so many frames."""
        return {
            "number": self.number,
            "supports": self.supports,
            "frames": self.frames[frames:],
            "picture": self.pictures.get(self.seed),
            "lanes": self.lanes,
            "ended": self.ended,
            "sorry": self.sorry,
        }


class Session:
    """The child process of a page, and what it said about the newest training.

    Args:
        beat, longest, idle: seconds, see above.
    """

    def __init__(self, *, beat: float = BEAT, longest: float = LONGEST, idle: float = IDLE) -> None:
        self.beat, self.longest, self.idle = beat, longest, idle
        self._lock = threading.RLock()
        self._child: subprocess.Popen[str] | None = None
        self._now = Training(0, None, ended=True)
        self._closed = threading.Event()
        self._heard = self._busy = time.monotonic()
        threading.Thread(target=self._watch, name="glassware-play", daemon=True).start()

    @property
    def pid(self) -> int | None:
        """Of the child process, if there is one."""
        with self._lock:
            return None if self._child is None else self._child.pid

    def warm(self) -> None:
        """Have a process ready, so that the first training begins sooner."""
        with self._lock:
            self._heard = time.monotonic()
            self._process()

    def start(self, settings: Settings, seed: int = 0) -> int:
        """Train this instead of whatever is trained now; returns the training's number."""
        with self._lock:
            self._heard = time.monotonic()
            self._now = Training(self._now.number + 1, settings, seed)
            self._send()
            return self._now.number

    def stop(self, number: int) -> None:
        """Give up the training of this number, if it is still the newest."""
        with self._lock:
            if number == self._now.number and not self._now.ended:
                self._now = Training(number + 1, None, ended=True)
                self._send()

    def look(self, number: int, since: int, seed: int) -> dict[str, Any]:
        """What is new about a training since so many frames; asking is what keeps the process alive.

        Args:
            number: of the training.
            since: frames that the page has.
            seed: whose weights it wants to see.
        """
        with self._lock:
            self._heard = time.monotonic()
            if number != self._now.number:
                return {"number": self._now.number, "replaced": True}
            if seed != self._now.seed:
                self._now.seed = seed
                if not self._now.ended:
                    self._send()
            return self._now.since(since)

    def close(self) -> None:
        """End the process, and everything else."""
        self._closed.set()
        with self._lock:
            self._end()

    # -- inside, with the lock held -------------------------------------------------------------------------------

    def _process(self) -> subprocess.Popen[str]:
        """The process; a new one where there is none."""
        if self._child is None:
            self._child = spawn()
            self._busy = time.monotonic()
            threading.Thread(target=self._read, args=(self._child,), daemon=True).start()
        return self._child

    def _send(self) -> None:
        for _ in range(2):  # it may have died since it was looked at
            pipe = self._process().stdin
            assert pipe is not None
            try:
                pipe.write(self._now.job())
                pipe.flush()
                return
            except OSError:
                self._end()

    def _end(self) -> None:
        """End the process, at once: it has nothing to lose."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        with suppress(OSError):  # what was left in the pipe has no reader
            if child.stdin is not None:
                child.stdin.close()

    # -- threads --------------------------------------------------------------------------------------------------

    def _read(self, child: subprocess.Popen[str]) -> None:
        """Take what a process says, until it ends."""
        assert child.stdout is not None
        with child.stdout as answers:
            for line in answers:
                said = json.loads(line)
                with self._lock:
                    if said["number"] == self._now.number and child is self._child and not self._now.ended:
                        self._busy = time.monotonic()
                        self._now.take(said)
        with self._lock:
            if child is self._child:
                self._now.fail("the process that trains has ended; it may have run out of memory")
                self._end()

    def _watch(self) -> None:
        """End the process when the page is gone, when a training takes too long, and when none comes."""
        while not self._closed.wait(TICK):
            with self._lock:
                now, training = time.monotonic(), self._now
                if self._child is None:
                    continue
                if now - self._heard > self.beat:
                    training.fail("the page was away, and so the training stopped")
                    self._end()
                elif not training.ended and now - training.began > self.longest:
                    training.fail(f"it took more than {self.longest:.0f} seconds; make something smaller")
                    self._end()
                elif training.ended and now - self._busy > self.idle:
                    self._end()


def spawn() -> subprocess.Popen[str]:
    """A new process that trains: on the CPU, without a terminal, with this very package."""
    paths = [HOME, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.Popen(
        [sys.executable, "-m", "glassware.play.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("GLASSWARE_DEBUG") else subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=environment,
        start_new_session=True,  # Ctrl-C is for the command, which then ends it
    )
