"""A thousand workers at ten messages per minute, and what breaks first on the way to 10^8 runs.

    python -m benchmarks.many_workers messages --count 60000   # one writer, as the driver of a cluster is
    python -m benchmarks.many_workers shares --count 20        # of 1,000: each writes 600 parts in an hour
    python -m benchmarks.many_workers listing --count 16000    # small parts that nobody has merged
    python -m benchmarks.many_workers plan --count 200000      # runs that a driver holds

An hour has 600,000 messages, 167 per second, of 10 runs each. Rows have curves as long as those of real runs; time is
compressed: everything is fed as fast as it goes.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import glassware as gw
from benchmarks.large_store import AXES, BASE, Maker
from glassware.sweeps import Share, Store
from glassware.sweeps.plan import make_plan
from glassware.sweeps.status import status

RUNS = 10  # per message


def messages(count: int, first: int = 0) -> list[list[dict[str, Any]]]:
    """Some messages, as workers send them, from one on."""
    maker, found = Maker(), list[list[dict[str, Any]]]()
    for start in range(first * RUNS, (first + count) * RUNS, 1000 * RUNS):
        table = maker.rows(start, min(1000, first + count - start // RUNS) * RUNS)
        lists = {name: table[name].to_list() for name in table.columns if name.startswith("curve_")}
        rows = table.drop(list(lists)).to_dicts()
        for i, row in enumerate(rows):
            row.update({name: values[i] for name, values in lists.items()})
        found += [rows[i : i + RUNS] for i in range(0, len(rows), RUNS)]
    return found


class Watch:
    """Seconds by the clock and of processor time since it was made."""

    def __init__(self) -> None:
        self.clock, self.busy = time.monotonic(), time.process_time()

    def __str__(self) -> str:
        return f"{time.monotonic() - self.clock:.2f} s ({time.process_time() - self.busy:.2f} s of processor time)"


def memory() -> str:
    """The most that this process has held."""
    return (
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == 'darwin' else 2**20):.2f} GB"
    )


def feed(store: Store, count: int) -> None:
    """One writer takes all messages, and merges its parts as it goes."""
    clock = busy = 0.0
    with store.writing() as writer:
        for start in range(0, count, 5000):
            taken = messages(5000, start)  # made outside of what is timed
            began, used = time.monotonic(), time.process_time()
            for message in taken:
                for row in message:
                    writer.add(row)
            clock, busy = clock + time.monotonic() - began, busy + time.process_time() - used
            watch, parts = Watch(), len(store.parts())
            done = start + 5000
            print(f"{done:,} messages: {done / clock:.0f} per second, {done / busy:.0f} per second of processor time; "
                  f"{parts} parts, listed in {watch}; {memory()}", flush=True)  # fmt: skip


def share(store: Store, count: int) -> None:
    """So many of a thousand shares, one after the other: 600 parts each, of one message."""
    taken = messages(600)  # the same rows for all, which nobody reads here
    for index in range(1, count + 1):
        watch = Watch()
        with store.writing(Share(index, 1000)) as writer:
            for message in taken:
                for row in message:
                    writer.add(row)
                writer.flush()
            most = len(writer.parts)
        there = f"{most} before it ended, {len(store.parts())} of all after"
        print(f"share {index}: 600 parts in {watch}, {there}; {memory()}", flush=True)


def listing(store: Store, count: int) -> None:
    """Small parts that nobody merges: what each look at the store then costs."""
    from glassware.sweeps.joining import compact
    from glassware.sweeps.rows import frame

    with store.writing(Share(1, 1000)):
        made, at = 0, 1000
        while made < count:
            for message in messages(1000, made):
                store.append(frame(message))
            made += 1000
            if made == at or made >= count:
                at *= 4
                look(store, made)
    watch = Watch()
    before, after = compact(store)
    print(f"{before:,} parts made {after:,} in {watch}; {memory()}", flush=True)
    look(store, made)


def look(store: Store, made: int) -> None:
    for what, act in {
        "listed": store.parts,
        "status": lambda: status(store),
        "heat map's columns": lambda: store.read(["m", "width", "init", "success", "cell"]),
    }.items():
        watch = Watch()
        act()
        print(f"{made:,} parts written, {len(store.parts()):,} there: {what} in {watch}; {memory()}", flush=True)


def plan(store: Store, count: int) -> None:
    """Runs that a driver holds while it sweeps."""
    watch = Watch()
    runs = gw.grid(BASE, AXES, seeds=-(-count // 408))
    print(f"{len(runs):,} runs made in {watch}; {memory()}", flush=True)
    watch = Watch()
    made = make_plan(runs, store)
    print(f"{len(made.todo):,} runs planned in {watch}; {memory()}", flush=True)
    from glassware.cluster.lots import Kind, Lots

    watch, lots, kind = Watch(), Lots(made.todo), Kind("CPU", 16)
    dealt = 0
    while lot := lots.take(kind, 1000, set()):
        lots.done(lot, kind, len(lot.runs) / 100, True)
        dealt += 1
    print(f"{dealt:,} lots dealt in {watch}; {memory()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["messages", "shares", "listing", "plan"])
    parser.add_argument("--count", type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        {"messages": feed, "shares": share, "listing": listing, "plan": plan}[given.what](store, given.count)


if __name__ == "__main__":
    main()
