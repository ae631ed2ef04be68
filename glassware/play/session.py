"""One training at a time, in one child process: started, replaced, and ended when nobody looks any more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import glassware
from glassware.play.settings import Settings

BEAT = 6.0  # seconds without a word from the page after which it is gone; hidden pages may speak once a second
LONGEST = 120.0  # seconds that a training may take; the first one on a machine compiles the kernel, in half a minute
IDLE = 300.0  # seconds that a process waits for the next one
TICK = 0.25


class Session:
    """The child process of a page, and what it said about the newest training.

    Args:
        beat, longest, idle: seconds, see above.
    """

    def __init__(self, *, beat: float = BEAT, longest: float = LONGEST, idle: float = IDLE) -> None:
        self.beat, self.longest, self.idle = beat, longest, idle
        self._lock = threading.RLock()
        self._child: subprocess.Popen[str] | None = None
        self._number = 0
        self._clear()
        self._ended = True
        self._closed = threading.Event()
        self._heard = self._busy = time.monotonic()
        threading.Thread(target=self._watch, name="glassware-play", daemon=True).start()

    @property
    def pid(self) -> int | None:
        """Of the child process, if there is one."""
        with self._lock:
            return self._child.pid if self._child is not None and self._child.poll() is None else None

    def warm(self) -> None:
        """Have a process ready, so that the first training begins sooner."""
        with self._lock:
            self._hear()
            self._process()

    def start(self, settings: Settings, seed: int = 0) -> int:
        """Train this instead of whatever is trained now; returns the training's number."""
        with self._lock:
            self._hear()
            self._number += 1
            self._clear()
            self._settings, self._seed = settings.model_dump(mode="json"), seed
            self._send()
            return self._number

    def stop(self, number: int) -> None:
        """Give up the training of this number, if it is still the newest."""
        with self._lock:
            if number == self._number and not self._ended:
                self._settings, self._ended = None, True
                self._number += 1
                self._send()

    def look(self, number: int, since: int, seed: int) -> dict[str, Any]:
        """What is new about a training since so many frames; asking is what keeps the process alive.

        Args:
            number: of the training.
            since: frames that the page has.
            seed: whose weights it wants to see.
        """
        with self._lock:
            self._hear()
            if number != self._number:
                return {"number": self._number, "replaced": True}
            if seed != self._seed:
                self._seed = seed
                if not self._ended:
                    self._send()
            return {
                "number": number,
                "supports": self._supports,
                "frames": self._frames[since:],
                "picture": self._pictures.get(seed),
                "lanes": self._lanes,
                "ended": self._ended,
                "sorry": self._sorry,
            }

    def close(self) -> None:
        """End the process, and everything else."""
        self._closed.set()
        with self._lock:
            self._end()

    # -- inside, with the lock held -------------------------------------------------------------------------------

    def _clear(self) -> None:
        self._settings: dict[str, Any] | None = None
        self._seed = 0
        self._supports: list[list[int]] | None = None
        self._frames: list[dict[str, Any]] = []
        self._pictures: dict[int, dict[str, Any]] = {}
        self._lanes: list[dict[str, Any]] | None = None
        self._ended, self._sorry = False, ""
        self._began = time.monotonic()

    def _hear(self) -> None:
        self._heard = time.monotonic()

    def _process(self) -> subprocess.Popen[str]:
        """The process; a new one where there is none."""
        if self._child is None or self._child.poll() is not None:
            self._child = spawn()
            self._busy = time.monotonic()
            threading.Thread(target=self._read, args=(self._child,), daemon=True).start()
        return self._child

    def _send(self) -> None:
        job = {"number": self._number, "settings": self._settings, "seed": self._seed}
        for _ in range(2):  # it may have died since it was looked at
            pipe = self._process().stdin
            try:
                assert pipe is not None
                pipe.write(json.dumps(job) + "\n")
                pipe.flush()
                return
            except OSError:
                self._end()

    def _fail(self, why: str) -> None:
        if not self._ended:
            self._ended, self._sorry = True, why

    def _end(self) -> None:
        """Let the process go, and see to it that it is gone."""
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
                    if said["number"] == self._number and child is self._child and not self._ended:
                        self._take(said)
        with self._lock:
            if child is self._child:
                self._fail("the process that trains has ended; it may have run out of memory")
                self._end()

    def _take(self, said: dict[str, Any]) -> None:
        self._busy = time.monotonic()
        if "supports" in said:
            self._supports = said["supports"]
        if "frame" in said:
            self._frames.append(said["frame"])
            if said["picture"]:
                self._pictures[said["picture"]["lane"]] = said["picture"]
        if "sorry" in said:
            self._fail(said["sorry"])
        if "ended" in said:
            self._lanes, self._ended = said["lanes"], True
            self._pictures |= {one["lane"]: one for one in said["pictures"] if one}

    def _watch(self) -> None:
        """End the process when the page is gone, when a training takes too long, and when none comes."""
        while not self._closed.wait(TICK):
            with self._lock:
                if self._child is None:
                    continue
                now = time.monotonic()
                if now - self._heard > self.beat:
                    self._fail("the page was away, and so the training stopped")
                    self._end()
                elif not self._ended and now - self._began > self.longest:
                    self._fail(f"it took more than {self.longest:.0f} seconds; make something smaller")
                    self._end()
                elif self._ended and now - self._busy > self.idle:
                    self._end()


def spawn() -> subprocess.Popen[str]:
    """A new process that trains: on the CPU, without a terminal, with this very package."""
    home = str(Path(glassware.__file__).parent.parent)
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
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
