"""All peers on the same cells in the same run, taking turns."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from glassware.bench.cell import BATCH, Cell, Device, Reading, Setting
from glassware.bench.peers import Peer, Workers, lacking, peers, workers

CELLS = (Cell(50, 30), Cell(50, 100), Cell(50, 1000), Cell(200, 1000))
GPU_CELLS = (*CELLS, Cell(50, 10_000))

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "device": pl.String,
    "n": pl.Int64,
    "r": pl.Int64,
    "batch": pl.Int64,
    "peer": pl.String,
    "note": pl.String,  # why there are no numbers; null: there are
    "ours": pl.Boolean,
    "lanes": pl.Int64,
    "threads": pl.Int64,
    "steps_per_second": pl.Float64,
    "spread": pl.Float64,  # half the range of the readings, as a share of their median
    "ratio": pl.Float64,  # the engine's best path over this one
    "flops_per_second": pl.Float64,
    "ceiling_share": pl.Float64,
    "memory_share": pl.Float64,
    "cores": pl.Float64,  # kept busy
    "product_flops_per_second": pl.Float64,
    "copy_bytes_per_second": pl.Float64,
    "readings": pl.List(pl.Float64),
}


@dataclass(frozen=True)
class Effort:
    """How long to look: turns all peers take, seconds a reading, seconds a try of a setting."""

    turns: int
    seconds: float
    trial: float


FULL, QUICK = Effort(turns=5, seconds=0.5, trial=0.2), Effort(turns=3, seconds=0.1, trial=0.05)


@dataclass(frozen=True)
class Result:
    """All readings of one cell on one device, turn by turn.

    Attributes:
        device: its name, for people.
        cell: the network.
        settings: the best setting of every peer.
        readings: of every peer, with that setting.
        absent: peers that could not be measured, and why.
        product, copy: what the device can do, in floating-point operations and in bytes.
    """

    device: str
    cell: Cell
    settings: dict[Peer, Setting]
    readings: dict[Peer, list[Reading]]
    absent: dict[Peer, str]
    product: list[Reading]
    copy: list[Reading]

    def best(self) -> Peer | None:
        """The fastest path of the engine, training only."""
        ours = [peer for peer in self.readings if peer.ours and not peer.evaluates]
        return max(ours, key=lambda peer: median_rate(self.readings[peer]), default=None)

    def ratio(self, ours: Peer, peer: Peer) -> float:
        """Ours over the peer's: the median over turns, as neighbours in time had the same machine."""
        pairs = zip(self.readings[ours], self.readings[peer], strict=True)
        return statistics.median(a.rate / b.rate for a, b in pairs)

    def rows(self) -> list[dict[str, object]]:
        """One row a peer, numbers unrounded."""
        product, copied, best = median_rate(self.product), median_rate(self.copy), self.best()
        base = {"device": self.device, "n": self.cell.n, "r": self.cell.r, "batch": BATCH}
        machine = {"product_flops_per_second": product, "copy_bytes_per_second": copied}
        found: list[dict[str, object]] = []
        for peer, readings in self.readings.items():
            rate = median_rate(readings)
            flops = rate * (self.cell.evaluated_flops if peer.evaluates else self.cell.flops)
            found.append(
                {
                    **base,
                    **machine,
                    "peer": peer.title,
                    "ours": peer.ours,
                    "lanes": self.settings[peer].lanes,
                    "threads": self.settings[peer].threads or None,
                    "steps_per_second": rate,
                    "spread": spread(readings),
                    "ratio": None if best is None else self.ratio(best, peer),
                    "flops_per_second": flops,
                    "ceiling_share": flops / product,
                    "memory_share": rate * self.cell.weight_bytes / copied,
                    "cores": statistics.median(r.cores for r in readings),
                    "readings": [r.rate for r in readings],
                }
            )
        for peer, why in self.absent.items():
            found.append({**base, **machine, "peer": peer.title, "ours": peer.ours, "note": why})
        return found


def frame(results: Sequence[Result]) -> pl.DataFrame:
    """All rows as a table."""
    return pl.DataFrame([row for result in results for row in result.rows()], schema=SCHEMA, orient="row")


def bench(
    cells: Sequence[Cell] | None, effort: Effort = FULL, tell: Callable[[str], None] = lambda _: None
) -> list[Result]:
    """Measure all cells on the processor and, where there is one, on the GPU.

    Args:
        cells: networks; a few usual ones unless given.
        effort: how long to look.
        tell: told what is being measured.
    """
    results = []
    usual: dict[Device, tuple[Cell, ...]] = {"cpu": CELLS, "gpu": GPU_CELLS}
    for device in usual:
        with workers(device) as pool:
            name = pool.name()
            if device == "gpu" and not name:
                break
            for cell in cells or usual[device]:
                tell(f"{name or 'CPU'}: n = {cell.n}, r = {cell.r}")
                results.append(compare(pool, name or "CPU", cell, peers(pool.device, cell), effort))
    return results


def compare(pool: Workers, device: str, cell: Cell, contestants: Sequence[Peer], effort: Effort) -> Result:
    """Tune every peer, let all take turns, and keep each peer's best setting."""
    absent = {peer: why for peer in contestants if (why := lacking(peer))}
    entries: list[tuple[Peer, Setting]] = []
    for peer in contestants:
        if peer not in absent:
            failed = {setting: pool.prepare(peer, cell, setting) for setting in peer.settings}
            usable = [setting for setting, why in failed.items() if not why]
            if not usable:
                absent[peer] = failed[peer.settings[0]]
            entries += [(peer, setting) for setting in finalists(pool, peer, cell, usable, effort.trial)]
    readings: dict[tuple[Peer, Setting], list[Reading]] = {entry: [] for entry in entries}
    product: list[Reading] = []
    copy: list[Reading] = []
    for what in ("product", "copy"):
        pool.machine(what, 0.0)
    for _ in range(effort.turns):
        product.append(pool.machine("product", effort.seconds / 2))
        copy.append(pool.machine("copy", effort.seconds / 2))
        for peer, setting in entries:
            readings[peer, setting].append(pool.measure(peer, cell, setting, effort.seconds))
    settings = dict(sorted(entries, key=lambda entry: median_rate(readings[entry])))  # the best comes last and stays
    kept = {peer: readings[peer, settings[peer]] for peer in contestants if peer in settings}
    return Result(device, cell, settings, kept, absent, product, copy)


def finalists(pool: Workers, peer: Peer, cell: Cell, settings: Sequence[Setting], seconds: float) -> list[Setting]:
    """For each number of threads the setting with the best of two trials.

    Every number of threads takes part in all turns, as threads that wait for one another collapse when a neighbour
    comes and a trial cannot foresee it.
    """
    best: dict[int, tuple[float, Setting]] = {}
    for setting in (*settings, *settings):
        rate = 0.0 if len(settings) == 1 else pool.measure(peer, cell, setting, seconds).rate
        if setting.threads not in best or rate > best[setting.threads][0]:
            best[setting.threads] = rate, setting
    return [setting for _, setting in best.values()]


def median_rate(readings: Sequence[Reading]) -> float:
    """Steps a second in the middle reading."""
    return statistics.median(r.rate for r in readings)


def spread(readings: Sequence[Reading]) -> float:
    """Half the range of the readings, as a share of their median."""
    rates = [r.rate for r in readings]
    return (max(rates) - min(rates)) / 2 / statistics.median(rates)
