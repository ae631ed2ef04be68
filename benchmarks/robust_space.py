"""The robust space of Hidden Progress at paper scale on a GPU: 1,454,625 runs, or a fair part of them.

    python -m benchmarks.robust_space --share 0.1 --processes 6 --limit 400

Programs (cells of one setting, n and batch size) are dealt to processes, which compile side by side and share the GPU,
cheapest first. What has not ended after ``--limit`` seconds is dropped, and the same call again goes on. Rows (a cell,
a rate, how many runs converged) go to robust.parquet in the folder named by --out; the last lines judge the paper's
claim on the cells that were run.
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import polars as pl

from glassware.engine import step_flops, train
from glassware.foundation.statistics import wilson
from glassware.studies.hidden_progress.robust_space import ENOUGH
from glassware.studies.hidden_progress.shared.settings import ROBUST
from glassware.studies.hidden_progress.shared.space import Cell, every_rate, part
from glassware.tasks import Parity

TOTAL = 1_454_625


def work(programs: list[list[Cell]], taken: Any, limit: float, started: float, results: Any) -> None:
    """Take programs until none is left or time is up; put the rows of each."""
    while time.time() - started < limit:
        with taken.get_lock():
            turn = taken.value
            taken.value += 1
        if turn >= len(programs):
            break
        results.put(rows(programs[turn]))
    results.put(None)


def rows(cells: list[Cell]) -> list[dict[str, Any]]:
    """Train one program's cells at every rate and count."""
    before, steps = time.time(), 0
    won: Counter[tuple[Cell, float]] = Counter()
    trials: Counter[tuple[Cell, float]] = Counter()
    # A run knows its cell but for the setting, of which a program has one.
    names = {(cell.n, cell.k, cell.batch, cell.init, cell.loss): cell for cell in cells}
    engines = set()
    for outcome in train(every_rate(cells)):
        run = outcome.run
        task = cast(Parity, run.task)
        place = names[task.n, task.k, run.batch_size, run.init.scheme, run.loss], run.optimiser.lr
        won[place] += outcome.success_step is not None
        trials[place] += 1
        steps += outcome.steps_taken
        engines.add(outcome.engine)
    told = {"seconds": time.time() - before, "steps": steps, "engine": " ".join(sorted(engines))}
    return [
        {**cell._asdict(), "lr": lr, "won": won[cell, lr], "trials": trials[cell, lr], **told} for cell, lr in trials
    ]


def gather(programs: list[list[Cell]], processes: int, limit: float) -> Iterator[list[dict[str, Any]]]:
    """Rows of each program as it ends, until all have or time is up."""
    context = multiprocessing.get_context("spawn")
    taken, results, started = context.Value("i", 0), context.Queue(), time.time()
    workers = [context.Process(target=work, args=(programs, taken, limit, started, results)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    ended = 0
    while ended < processes and time.time() - started < limit:
        try:
            found = results.get(timeout=1)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers):
                break
            continue
        if found is None:
            ended += 1
        else:
            yield found
    for worker in workers:
        worker.terminate()


def verdict(table: pl.DataFrame) -> str:
    """How many complete cells reach a fifth at their best rate, and which do not."""
    best = (
        table.with_columns(share=pl.col("won") / pl.col("trials"))
        .group_by(Cell._fields, maintain_order=True)
        .agg(pl.col("share").max(), pl.col("lr").n_unique().alias("rates"))
    )
    lines = []
    for name, kind in (("(i) to (xv)", pl.col("setting").is_in(ROBUST)), ("starred", ~pl.col("setting").is_in(ROBUST))):
        some = best.filter(kind)
        if not len(some):
            continue
        failed = some.filter(pl.col("share") < ENOUGH)
        interval = wilson(len(some) - len(failed), len(some))
        lines.append(
            f"{name}: {len(some) - len(failed)} of {len(some)} cells pass"
            f" ({interval.value:.2%} [{interval.low:.2%}, {interval.high:.2%}])"
        )
        lines += [
            f"  {Cell(*(row[f] for f in Cell._fields)).text()}: {row['share']:.0%}" for row in failed.rows(named=True)
        ]
    return "\n".join(lines)


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.1, help="part of the grid")
    parser.add_argument("--index", type=int, default=0, help="which of the equal parts")
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--limit", type=float, default=400, help="seconds; the same call again goes on")
    parser.add_argument("--first", type=int, help="only so many programs, evenly spaced, to try")
    parser.add_argument("--out", type=Path, default=Path("results/gpu"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.time()
    programs = part(options.share, options.index)
    if options.first:
        programs = programs[:: max(1, len(programs) // options.first)][: options.first]
    wanted = sum(len(cell.rates) * 25 for cells in programs for cell in cells)
    file = options.out / "robust.parquet"
    found: list[dict[str, Any]] = pl.read_parquet(file).to_dicts() if file.exists() else []
    known = {tuple(row[name] for name in Cell._fields) for row in found}
    todo = [cells for cells in programs if cells[0] not in known]
    flops = {id(cells): step_flops(every_rate(cells[:1], 1)[0]) * len(cells) for cells in todo}
    todo.sort(key=lambda cells: flops[id(cells)])  # whenever it is cut, most is done
    print(f"{len(programs)} programs, {len(todo)} to do", flush=True)
    for done, some in enumerate(gather(todo, options.processes, options.limit), 1):
        found += some
        pl.DataFrame(found).write_parquet(file, compression="zstd")
        one = some[0]
        print(
            f"{done:>4} of {len(todo)} programs {time.time() - started:6.0f} s  ({one['setting']}) n={one['n']}"
            f" B={one['batch']}: {one['seconds']:.1f} s, {one['steps'] / one['seconds']:,.0f} steps/s {one['engine']}",
            flush=True,
        )
    if not found:
        return
    table = pl.DataFrame(found)
    runs, seconds = int(table["trials"].sum()), time.time() - started
    print(f"{runs:,} of {wanted:,} runs ({runs / TOTAL:.1%} of the grid); {seconds:.0f} s this time")
    print(verdict(table))


if __name__ == "__main__":
    main()
