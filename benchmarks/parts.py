"""Parts of studies side by side on one GPU, each in a process and a store of its own, for some minutes.

    python -m benchmarks.parts --out /tmp/j --rows benchmarks/rows/juntas-long-contexts.parquet --limit 500 \\
        "juntas/long-contexts --scale paper --lanes 16 --only task.length=6400" \\
        "juntas/sample-complexity --scale paper --lanes 32 --only task.length=300"

For studies of many shapes that XLA trains: one compiles while others train. A part is the rest of a ``glassware
reproduce`` command; parts begin in the order given, as many at a time as there are ``--workers``. Each
store first takes the rows of ``--rows``, so what they have is not trained again. When all are done, or when the time is
over, all stores are merged into OUT/store, and the rows written to OUT/rows.parquet without what no claim reads: the
curves of losses and training errors. The same call goes on; another machine does from OUT/rows.parquet.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from glassware.sweeps import Store
from glassware.sweeps.joining import add_rows, merge

UNREAD = ("curve_loss", "curve_train_error")
QUIET = 20  # seconds that parts have to keep what they have when they are stopped


@dataclass
class Part:
    """A part that trains."""

    words: str
    process: subprocess.Popen[bytes]
    log: IO[bytes]
    began: float

    @classmethod
    def begin(cls, words: str, store: Path) -> Part:
        """Its process: what it says goes to a file beside the store."""
        log = store.with_suffix(".log").open("ab")
        figures = str(store.with_name("figures"))
        command = [sys.executable, "-m", "glassware", "reproduce", *shlex.split(words)]
        process = subprocess.Popen(
            [*command, "--store", str(store), "--figures", figures],
            env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false", **os.environ},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        return cls(words, process, log, time.perf_counter())

    def end(self, seconds: float | None = None) -> int:
        """Wait, but no longer than that."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
        return self.process.wait()


def train(parts: list[str], out: Path, rows: Path | None, workers: int, limit: float) -> list[Path]:
    """Train them; the stores."""
    stores = [out / f"part-{i}" for i in range(len(parts))]
    waiting, running, began = list(zip(parts, stores, strict=True)), list[Part](), time.perf_counter()
    while (waiting or running) and time.perf_counter() - began < limit:
        while waiting and len(running) < workers:
            words, store = waiting.pop(0)
            if rows is not None and not store.exists():
                add_rows(Store(store), rows)
            running.append(Part.begin(words, store))
        time.sleep(0.5)
        for part in [part for part in running if part.process.poll() is not None]:
            running.remove(part)
            print(f"{time.perf_counter() - part.began:5.0f} s, exit {part.end()}: {part.words}", flush=True)
    for part in running:
        part.process.send_signal(signal.SIGINT)  # all at once: each takes a while
    until = time.perf_counter() + QUIET
    for part in running:
        part.end(max(0.0, until - time.perf_counter()))
        print(f"stopped after {time.perf_counter() - part.began:.0f} s: {part.words}", flush=True)
    for words, _ in waiting:
        print(f"not begun: {words}", flush=True)
    return stores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", metavar="PART")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=Path, help="a file of rows to begin from")
    parser.add_argument("--workers", type=int, default=9)
    parser.add_argument("--limit", type=float, default=500, help="seconds")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    whole = Store(given.out / "store")
    for store in train(given.parts, given.out, given.rows, given.workers, given.limit):
        if store.exists():
            merge(whole, Store(store))
    rows = whole.read()
    rows.drop(name for name in UNREAD if name in rows.columns).write_parquet(
        given.out / "rows.parquet", compression="zstd", compression_level=19
    )
    print(f"{len(rows)} rows in {given.out / 'rows.parquet'}")


if __name__ == "__main__":
    main()
