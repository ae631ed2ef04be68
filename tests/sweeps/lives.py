"""Processes to be killed. Run as a script: it imports once, then forks a life for each line it is told.

    start KIND STORE NUMBER       fork a life; answer "PID working" at its first report, or "PID ended" without one
    end SIGNAL REPORTS SECONDS    once it has made so many reports, and then some seconds, send the signal (0: none);
                                  answer its exit status and the number of its reports

Forking before JAX or Polars have started threads is safe, and a life costs a second instead of four.
"""

import functools
import io
import itertools
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from glassware.engine import lanes
from glassware.sweeps import Store, grid, store, sweep
from glassware.sweeps.joining import compact
from glassware.sweeps.kept import keep
from glassware.sweeps.sweep import Silent
from tests.helpers import TINY

MANY = grid({**TINY, "evaluation": {"every": 20, "test": 100, "stop": False}, "steps": 80}, {"m": [30, 300]}, seeds=300)
ENDLESS = grid({**TINY, "evaluation": {"every": 20, "test": 100, "stop": False}, "steps": 400_000_000})
BATCHES, BATCH = 5, 4
KEEPING = 2  # the first batches of rows keep weights


def made_rows(batch: int) -> list[dict[str, object]]:
    """Rows that nobody trained."""
    return [
        {"id": f"{batch:010d}{i:010d}", "n": 20, "seed": i, "spec": "{}", "success": False, "semantics": 2}
        for i in range(BATCH)
    ]


def made_weights(batch: int) -> dict[str, np.ndarray]:
    """What the first row of a batch keeps."""
    return {"final/0.w": np.full(1000, batch, np.float32)}


class Telling(Silent):
    """Reports every chunk."""

    def __init__(self, told: int) -> None:
        self.told = told

    def on_chunk(self, chunk: object) -> None:
        os.write(self.told, b".")


def training(kind: str, path: str, told: int) -> None:
    """A sweep that comes up for air after every round, and then writes what has finished."""
    lanes.CHUNK_SECONDS = 0.0
    store.Writer = functools.partial(store.Writer, seconds=0.0)  # type: ignore[misc]
    runs = MANY if kind == "many" else [*MANY[:20], *ENDLESS]
    sweep(runs, path, reporter=Telling(told), lanes=16)


def mortal(fatal: int) -> None:
    """Die at the ``fatal``-th call that touches the disk, half-way in a write."""
    calls = itertools.count(1)

    def deadly(whole: Callable[..., Any], half: Callable[..., Any] = lambda *args: None) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if next(calls) == fatal:
                half(*args)
                os.kill(os.getpid(), signal.SIGKILL)
            return whole(*args, **kwargs)

        return call

    class HalfWritten(io.FileIO):
        write = deadly(io.FileIO.write, lambda file, data: io.FileIO.write(file, data[: len(data) // 2]))  # type: ignore

    Path.open = deadly(lambda path, mode: HalfWritten(path, mode.replace("b", "")))  # type: ignore[method-assign]
    for owner, names in ((os, ["fsync", "open"]), (Path, ["replace", "unlink", "mkdir"])):
        for name in names:
            setattr(owner, name, deadly(getattr(owner, name)))


def writing(path: str, told: int, fatal: int) -> None:
    """Made rows and weights, then a merge."""
    store.MERGE_PARTS = 3
    mortal(fatal)
    with Store(path).writing() as writer:
        for batch in range(BATCHES):
            writer._rows = made_rows(batch)
            if batch < KEEPING:
                keep(Path(path), writer._rows[0]["id"], made_weights(batch))
            writer.flush()
            os.write(told, b".")  # these rows are promised to be there


def life(kind: str, path: str, number: int, told: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if kind == "writing":
        writing(path, told, number)
    elif kind == "compacting":
        made = Store(path)
        mortal(number)
        compact(made)
    else:
        training(kind, path, told)


def main() -> None:
    pid = 0
    for line in sys.stdin:
        command, *words = line.split()
        if command == "start":
            hears, told = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(hears)
                status = 1
                try:
                    life(words[0], words[1], int(words[2]), told)
                    status = 0
                except KeyboardInterrupt:
                    status = 130
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(status)
            os.close(told)
            print(pid, "working" if os.read(hears, 1) else "ended", flush=True)
        else:
            number, reports, seconds = int(words[0]), int(words[1]), float(words[2])
            heard = 1
            while heard < reports and os.read(hears, 1):
                heard += 1
            time.sleep(seconds)
            if number:
                os.kill(pid, number)
            while piece := os.read(hears, 4096):
                heard += len(piece)
            os.close(hears)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), heard, flush=True)


if __name__ == "__main__":
    main()
