"""The process that trains: ``python -m glassware.play.child``, started by a session and by nothing else.

It reads jobs, one JSON object per line, and writes what it sees of them. A new job replaces the one that is trained,
from the next chunk on. It ends when its standard input does, so that it cannot outlive the command, however that ends.
It writes no files but the compiled programs that every training keeps.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from glassware.engine import Chunk, Glance, train
from glassware.foundation.errors import GlasswareError
from glassware.play.settings import SEEDS, Settings, read

MEMORY = 4 << 30  # bytes of data; ten of the largest networks take a tenth
SHOWN = 7.0  # seconds that a training in slow motion takes at least
QUICK = 0.1  # seconds between pictures where nothing slows it down


class ReplacedError(Exception):
    """Another job, or none, is wanted now."""


@dataclass
class Job:
    """What is wanted now: a number, settings (None: nothing), and the seed whose weights are looked at."""

    number: int
    settings: Settings | None
    seed: int


class Jobs:
    """Reads jobs in a thread of its own; the newest counts."""

    def __init__(self, source: TextIO) -> None:
        self._source, self._changed = source, threading.Condition()
        self._newest = Job(0, None, 0)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._source:
            told = json.loads(line)
            settings = None if told["settings"] is None else read(told["settings"])
            with self._changed:
                self._newest = Job(told["number"], settings, told["seed"])
                self._changed.notify_all()
        os._exit(0)  # whoever started this process is gone

    def after(self, number: int) -> Job:
        """Wait for a job with another number."""
        with self._changed:
            self._changed.wait_for(lambda: self._newest.number != number)
            return self._newest

    def seed(self, number: int) -> int:
        """Whose weights to show in the job of this number; an error where another one is wanted."""
        newest = self._newest
        if newest.number != number:
            raise ReplacedError
        return newest.seed


def main() -> None:
    """Train what is asked for until the end of standard input."""
    bound()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not come between two answers
    jobs, number = Jobs(sys.stdin), 0
    answer(answers, {"number": 0, "ready": True})
    while True:
        job = jobs.after(number)
        number = job.number
        if job.settings is None:
            continue
        try:
            perform(job, jobs, answers)
        except ReplacedError:
            pass
        except GlasswareError as error:
            answer(answers, {"number": number, "sorry": str(error)})
        except MemoryError:
            answer(answers, {"number": number, "sorry": "this network does not fit in the memory of the page"})
        except Exception as error:
            answer(answers, {"number": number, "sorry": f"the training failed: {type(error).__name__}"})


def bound() -> None:
    """Let no mistake take the whole machine: memory, cores, and turns. A system without such limits has the sizes of
    settings as the bound."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:SEEDS])  # one network per core at most
    os.nice(5)  # the page comes first


def answer(answers: TextIO, said: dict[str, Any]) -> None:
    """One line to the session."""
    answers.write(json.dumps(said, allow_nan=False, separators=(",", ":")) + "\n")
    answers.flush()


def perform(job: Job, jobs: Jobs, answers: TextIO) -> None:
    """Train the ten runs of a job side by side, and say after every chunk what is new."""
    assert job.settings is not None
    runs = job.settings.runs()
    supports = [list(run.columns()["support"]) for run in runs]
    answer(answers, {"number": job.number, "supports": supports})
    watch = Watch(job, jobs, answers, supports)
    pause = 0.0 if job.settings.slow else QUICK
    final = {}
    for outcome in train(runs, on_chunk=watch.on_chunk, chunk_seconds=pause):
        final[outcome.run.seed] = {"success": outcome.success_step, "diverged": outcome.diverged_step}
    lanes = [final[run.seed] for run in runs]
    answer(answers, {"number": job.number, "ended": True, "lanes": lanes, "pictures": watch.pictures})


class Watch:
    """Says what every chunk brought, and keeps pace."""

    def __init__(self, job: Job, jobs: Jobs, answers: TextIO, supports: list[list[int]]) -> None:
        assert job.settings is not None
        self.job, self.jobs, self.answers, self.supports = job, jobs, answers, supports
        self.steps, self.first, self.slow = job.settings.steps, job.settings.first, job.settings.slow
        self.seen = [0] * len(supports)  # points of each run's curves that were said
        self.pictures: list[dict[str, Any]] = [{} for _ in supports]
        self.taken, self.seconds, self.began = 0, 0.0, time.monotonic()

    def on_chunk(self, chunk: Chunk) -> None:
        """One frame: the curves' new points, the weights' sizes now, one network's weights."""
        looked_at = self.jobs.seed(self.job.number)
        self.taken, self.seconds = self.taken + chunk.steps, self.seconds + chunk.seconds
        glances = {glance.run.seed - self.first: glance for glance in chunk.look()}
        lanes = {lane: self._lane(lane, glance, lane == looked_at) for lane, glance in glances.items()}
        at = max(int(glance.curves["step"][-1]) for glance in glances.values())
        frame = {"step": at, "taken": self.taken, "seconds": round(self.seconds, 4), "lanes": lanes}
        answer(self.answers, {"number": self.job.number, "frame": frame, "picture": self.pictures[looked_at]})
        if self.slow:
            while (left := SHOWN * at / self.steps - (time.monotonic() - self.began)) > 0:
                time.sleep(min(left, 0.05))
                self.jobs.seed(self.job.number)

    def _lane(self, lane: int, glance: Glance, looked_at: bool) -> dict[str, Any]:
        """What is new about one run; its weights are read now, because they move on."""
        curves, weights = glance.curves, np.asarray(glance.params()[0]["w"])
        sizes, on = np.abs(weights), np.zeros(len(weights), bool)
        on[self.supports[lane]] = True
        since, self.seen[lane] = self.seen[lane], len(curves["step"])
        if looked_at or curves["step"][-1] >= self.steps or not np.isfinite(weights).all():
            self.pictures[lane] = picture(lane, weights)
        learned = curves["test_error"] <= np.float32(glance.run.evaluation.success)
        return {
            "step": curves["step"][since:].tolist(),
            "test": [finite(value) for value in curves["test_error"][since:]],
            "train": [finite(value) for value in curves["train_error"][since:]],
            "on": finite(sizes[on].max()),
            "off": finite(sizes[~on].max(initial=0.0)),
            "success": int(curves["step"][learned.argmax()]) if learned.any() else None,
        }


def finite(value: float) -> float | None:
    """A number as JSON has it."""
    return round(float(value), 6) if np.isfinite(value) else None


def picture(lane: int, weights: np.ndarray) -> dict[str, Any]:
    """First-layer weights (inputs, units) as bytes from -127 to 127 in units of ``scale`` / 127, input after input."""
    known = np.nan_to_num(weights, nan=0.0, posinf=0.0, neginf=0.0)
    scale = float(np.abs(known).max()) or 1.0
    coarse = np.round(known / scale * 127).astype(np.int8)
    data = base64.b64encode(coarse.tobytes()).decode()
    return {"lane": lane, "inputs": len(weights), "units": weights.shape[1], "scale": scale, "data": data}


if __name__ == "__main__":
    main()
