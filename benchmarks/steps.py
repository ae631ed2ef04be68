"""Model-steps a second of the engine beside PyTorch and plain JAX: ``python -m benchmarks.steps``."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.cell import BATCH, LAPTOP, SAMPLE, Cell, Reading, Setting
from benchmarks.peers import ENGINE, EVALUATED, ONE, PEERS, THREADS, VMAPPED, Peer, Workers, has_torch, workers

CELLS = (Cell(50, 30), Cell(50, 100), Cell(50, 1000), Cell(200, 1000))
WANTED = 15  # times the PyTorch loop
QUIET = 0.05  # share of the machine that others may take before ratios of wall-clock rates mean little


@dataclass(frozen=True)
class Effort:
    """How long to look: turns all peers take, seconds a reading, seconds a try of a setting."""

    turns: int
    seconds: float
    trial: float


FULL, QUICK = Effort(turns=5, seconds=0.5, trial=0.2), Effort(turns=3, seconds=0.1, trial=0.05)


@dataclass(frozen=True)
class Result:
    """All readings of one cell, turn by turn."""

    cell: Cell
    settings: dict[Peer, Setting]
    readings: dict[Peer, list[Reading]]
    ceiling: list[Reading]

    def ratio(self, ours: Peer, peer: Peer, what: Callable[[Reading], float] = lambda r: r.rate) -> float:
        """Ours over the peer's: the median over turns, as neighbours in time had the same machine."""
        pairs = zip(self.readings[ours], self.readings[peer], strict=True)
        return statistics.median(what(a) / what(b) for a, b in pairs)

    def gflops(self, peer: Peer) -> float:
        """Useful work a second."""
        flops = self.cell.evaluated_flops if peer == EVALUATED else self.cell.flops
        return median_rate(self.readings[peer]) * flops / 1e9

    def rows(self) -> list[dict[str, object]]:
        """One row a peer, numbers unrounded."""
        ceiling = median_rate(self.ceiling) / 1e9
        return [
            {
                "n": self.cell.n,
                "r": self.cell.r,
                "batch": BATCH,
                "peer": peer.title,
                "lanes": self.settings[peer].lanes,
                "threads": self.settings[peer].threads or None,
                "steps_per_second": median_rate(readings),
                "spread": spread(readings),
                "ratio": self.ratio(ENGINE, peer),
                "ratio_evaluated": self.ratio(EVALUATED, peer),
                "ratio_per_core": self.ratio(ENGINE, peer, lambda r: r.core_rate),
                "gflops": self.gflops(peer),
                "ceiling_share": self.gflops(peer) / ceiling,
                "ceiling_gflops": ceiling,
                "cores": statistics.median(r.cores for r in readings),
                "readings": [r.rate for r in readings],
            }
            for peer, readings in self.readings.items()
        ]


def median_rate(readings: Sequence[Reading]) -> float:
    return statistics.median(r.rate for r in readings)


def spread(readings: Sequence[Reading]) -> float:
    """Half the range of the readings, as a share of their median."""
    rates = [r.rate for r in readings]
    return (max(rates) - min(rates)) / 2 / statistics.median(rates)


def finalists(workers: Workers, peer: Peer, cell: Cell, seconds: float) -> list[Setting]:
    """For each number of threads the setting with the best of two trials.

    Every number of threads takes part in all turns, as threads that wait for one another collapse when a neighbour
    comes and a trial cannot foresee it.
    """
    best: dict[int, tuple[float, Setting]] = {}
    for setting in peer.settings * 2:
        rate = 0.0 if len(peer.settings) == 1 else workers.measure(peer, cell, setting, seconds).rate
        if setting.threads not in best or rate > best[setting.threads][0]:
            best[setting.threads] = rate, setting
    return [setting for _, setting in best.values()]


def bench(workers: Workers, peers: Sequence[Peer], cell: Cell, effort: Effort) -> Result:
    """Tune every peer, let all take turns, and keep each peer's best setting."""
    workers.prepare(cell, peers)
    entries = [(peer, setting) for peer in peers for setting in finalists(workers, peer, cell, effort.trial)]
    readings: dict[tuple[Peer, Setting], list[Reading]] = {entry: [] for entry in entries}
    product: list[Reading] = []
    workers.ceiling(0.0)
    for _ in range(effort.turns):
        product.append(workers.ceiling(effort.seconds / 2))
        for peer, setting in entries:
            readings[peer, setting].append(workers.measure(peer, cell, setting, effort.seconds))
    ranked = sorted(entries, key=lambda entry: median_rate(readings[entry]))
    settings = dict(ranked)  # the best comes last and stays
    return Result(cell, settings, {peer: readings[peer, settings[peer]] for peer in peers}, product)


def table(results: Sequence[Result]) -> Table:
    """All cells, one section each."""
    grid = Table(title=f"Model-steps/s on {THREADS[-1]} CPU cores, batch {BATCH}", caption=caption(results))
    for heading in ("n, r", "peer"):
        grid.add_column(heading, no_wrap=True)
    numbers = "lanes", "threads", "steps/s", "spread", "ours/\npeer", "evaluated/\npeer", "per\ncore"
    for heading in (*numbers, "useful\nGFLOP/s", "of\nceiling", "cores\nbusy"):
        grid.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        for i, row in enumerate(result.rows()):
            grid.add_row(
                f"{row['n']}, {row['r']}" if i == 0 else "",
                str(row["peer"]),
                str(row["lanes"]),
                str(row["threads"] or ""),
                f"{row['steps_per_second']:,.0f}",
                f"±{row['spread']:.0%}",
                *(f"{row[key]:.2f}" for key in ("ratio", "ratio_evaluated", "ratio_per_core")),
                f"{row['gflops']:.1f}",
                f"{row['ceiling_share']:.0%}",
                f"{row['cores']:.2f}",
            )
        product = result.ceiling
        grid.add_row(
            *("", "matrix product (the ceiling)", "", "", "", f"±{spread(product):.0%}", "", "", ""),
            *(f"{median_rate(product) / 1e9:.1f}", "100%", f"{statistics.median(r.cores for r in product):.2f}"),
            end_section=True,
        )
    return grid


def caption(results: Sequence[Result]) -> str:
    """What the numbers mean."""
    return (
        f"Medians over {len(results[0].ceiling)} turns; spread: half the range; ratios: medians over turns of readings "
        f"taken in the same turn. Peers never evaluate. Training only: one test example every 100 to 1000 steps. "
        f"With evaluation: {LAPTOP.test} test examples every {LAPTOP.every} steps. Peers read a stored sample of "
        f"{SAMPLE:,}; glassware draws its own again at every step. Per core: ours/peer in steps a processor-second."
    )


def neighbours(results: Sequence[Result]) -> str:
    """How quiet the machine was."""
    readings = [r for result in results for group in (*result.readings.values(), result.ceiling) for r in group]
    others = sum(r.others for r in readings) / sum(r.wall for r in readings)
    said = f"other processes took {others:.2f} of {THREADS[-1]} cores meanwhile"
    return said if others < QUIET * THREADS[-1] else f"{said}: not a quiet machine, trust 'per core' only"


def verdicts(results: Sequence[Result]) -> list[str]:
    """One line for each acceptance."""
    loop = [result.ratio(ENGINE, ONE) for result in results if ONE in result.readings]
    plain = [result.ratio(ENGINE, VMAPPED) for result in results]
    return [
        judged(f"engine >= {WANTED} x PyTorch one-model loop", loop, WANTED),
        judged("engine >= jit(vmap(scan))", plain, 1),
    ]


def judged(what: str, ratios: Sequence[float], wanted: float) -> str:
    if not ratios:
        return f"{what}: not measured"
    verdict = "yes" if min(ratios) >= wanted else "no"
    return f"{what}: {verdict} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steps", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few seconds a cell; rough numbers")
    parser.add_argument("--out", type=Path, metavar="FILE.parquet", help="save the results, one row a cell and peer")
    options = parser.parse_args(arguments)
    if options.out is not None and not options.out.absolute().parent.is_dir():
        parser.error(f"--out: there is no folder {options.out.parent}")
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    if not has_torch():
        console.print("PyTorch is not installed, so its rows are left out: make bench installs it.")
    peers = [peer for peer in PEERS if peer.worker != "torch" or has_torch()]
    results = []
    with workers() as pool, console.status("starting") as status:
        for cell in CELLS:
            status.update(f"n = {cell.n}, r = {cell.r}")
            results.append(bench(pool, peers, cell, QUICK if options.quick else FULL))
    console.print(table(results))
    for line in (neighbours(results), *verdicts(results)):
        console.print(line, highlight=False)
    if options.out is not None:
        pl.DataFrame([row for result in results for row in result.rows()]).write_parquet(options.out)


if __name__ == "__main__":
    main()
