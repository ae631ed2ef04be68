"""Feed glassware what nobody would write, by the hundred thousand: ``make faults``.

    python -m tests.fuzz --specs 100000 --texts 20000 --lines 5000 --seed 0
    python -m tests.fuzz --only lines 1234     # one case again, by its number

A case fails if it ends in a traceback or in more than one sentence, or lasts for over 20 s of processor time or 60 s by
the clock; a process fails if it takes over 4 GB. A case depends on its number and the seed alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter

SECONDS, MEMORY = 20, 4 * 2**30
WAIT = 60  # seconds by the clock, on a machine that others use, too
BATCH = {"specs": 5000, "texts": 2000, "lines": 500}  # cases of a process


def batch(kind: str, start: int, end: int, seed: int, note: int | None = None) -> int:
    """Judge some cases in this process; says how many failed, and notes in a file how far it is."""
    from tests.fuzz import lines, specs, texts

    warnings.simplefilter("error")
    judge = {"specs": specs.judge, "texts": texts.judge, "lines": lines.judge}[kind]
    if kind == "lines":
        lines.pattern()  # trained before the clock runs
    ended, failed, slowest = Counter[str](), 0, (0.0, start)
    for number in range(start, end):
        faulthandler.dump_traceback_later(WAIT, exit=True, file=sys.__stderr__)
        begun = time.process_time()
        try:
            ended[judge(number, seed)] += 1
        except BaseException as error:
            failed += 1
            print(f"{kind} {number} failed: {type(error).__name__}: {str(error)[:1500]!r}", flush=True)
            if isinstance(error, KeyboardInterrupt):
                raise
        slowest = max(slowest, (time.process_time() - begun, number))
        if time.process_time() - begun > SECONDS:
            failed += 1
            print(f"{kind} {number} failed: it took {time.process_time() - begun:.0f} s", flush=True)
        if note is not None:
            os.pwrite(note, f"{number + 1:12d} {failed:12d}".encode(), 0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if peak > MEMORY:
            print(f"{kind} {number} failed: the process has taken {peak / 2**30:.1f} GB", flush=True)
            return failed + 1  # the batch is gone on with in another process
    faulthandler.cancel_dump_traceback_later()
    worst, gigabytes = f"the slowest took {slowest[0]:.1f} s ({slowest[1]})", f"{peak / 2**30:.2f} GB"
    print(f"{kind} {start} to {end}: {dict(ended)}, {failed} failed; {worst}; {gigabytes}", flush=True)
    return failed


def watched(kind: str, count: int, seed: int) -> int:
    """Judge all cases of a kind, each batch in a process; one that dies is gone on with after the case it died of."""
    failed, start = 0, 0
    while start < count:
        end = min(count, start + BATCH[kind] - start % BATCH[kind])
        with tempfile.TemporaryFile() as reached:
            note = reached.fileno()
            words = [sys.executable, "-m", "tests.fuzz", "--batch", kind, str(start), str(end), "--note", str(note)]
            code = subprocess.run([*words, "--seed", str(seed)], pass_fds=[note]).returncode
            said = os.pread(note, 25, 0).split()
        at, theirs = (int(said[0]), int(said[1])) if said else (start, 0)
        failed += theirs
        if at < end and code:
            print(f"{kind} {at} failed: it ended its process (code {code}) or took over {WAIT} s", flush=True)
            failed, at = failed + 1, at + 1
        start = at
    print(f"{count:,} {kind}: {failed} failed", flush=True)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind in BATCH:
        parser.add_argument(f"--{kind}", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", nargs=3)
    parser.add_argument("--note", type=int)
    parser.add_argument("--only", nargs=2)
    given = parser.parse_args()
    if given.batch or given.only:
        kind, start, *rest = given.batch or given.only
        sys.exit(min(1, batch(kind, int(start), int(rest[0]) if rest else int(start) + 1, given.seed, given.note)))
    sys.exit(min(1, sum(watched(kind, getattr(given, kind), given.seed) for kind in BATCH)))


if __name__ == "__main__":
    main()
