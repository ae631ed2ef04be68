"""A race: peers that do the same training, each in a process of its own, taking turns on one machine.

What the three benchmarks of training share. Each of them has NAME_speed.py with its problem, our engine and plain JAX,
and NAME_torch.py; ``race_peer`` and ``race_torch`` are what happens in the processes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from filelock import FileLock

from benchmarks.race_peer import Problem

ENGINE, JAX, PRODUCT = "glassware", "JAX `jit(vmap(scan))`", "matrix product"
AGREE = 1e-3  # relative: between losses of peers that did the same steps
ROOT = Path(__file__).parents[1]
LONG = ("x", "table", "tokens", "leaves")  # of a problem: not worth keeping

Row = dict[str, Any]


@dataclass(frozen=True)
class Race:
    """What is raced.

    Attributes:
        name: of the benchmark: ``benchmarks.NAME_speed`` and ``benchmarks.NAME_torch``.
        title: the setting, in words.
        problem: what every peer gets, as JSON. ``lanes`` models start from ``leaves`` (see ``race_peer``), and take
            ``checked`` steps whose last loss is compared; 0 where nothing is.
        formula: floating-point operations of a step, as one writes it down.
        ours: of a step as the engine computes it, where that is something else.
    """

    name: str
    title: str
    problem: Problem
    formula: float
    ours: float | None = None

    def flops(self, title: str) -> float:
        """Of a step of this peer."""
        return self.ours if self.ours is not None and title == ENGINE else self.formula


class PeerError(Exception):
    """A peer that cannot take part (any longer), and why."""


@dataclass
class Peer:
    """A process that trains when it is asked to."""

    title: str
    process: subprocess.Popen[str]
    patience: float
    about: dict[str, Any] = field(default_factory=dict)
    readings: list[tuple[float, float]] = field(default_factory=list)

    def greet(self, problem: Problem) -> None:
        """Hand the problem over and wait until it is compiled."""
        self.about = self._ask(json.dumps(problem))

    def clock(self, seconds: float) -> None:
        """Read its model-steps per second, and per second of one core."""
        answer = self._ask(str(seconds))
        self.readings.append((answer["steps"] / answer["wall"], answer["steps"] / max(answer["cores"], 1e-9)))

    def end(self) -> None:
        """Let the process end."""
        with contextlib.suppress(OSError):
            cast(IO[str], self.process.stdin).close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def _ask(self, line: str) -> dict[str, Any]:
        to, of, started = cast(IO[str], self.process.stdin), cast(IO[str], self.process.stdout), time.monotonic()
        timer = threading.Timer(self.patience, self.process.kill)
        timer.start()
        try:
            to.write(line + "\n")
            to.flush()
            answer = of.readline()
        except OSError:  # it has ended
            answer = ""
        finally:
            timer.cancel()
        if not answer and time.monotonic() - started >= self.patience:
            raise PeerError(f"no answer within {self.patience:g} s")
        if not answer:
            raise PeerError(f"its process ended with status {self.process.wait()}")
        said = cast(dict[str, Any], json.loads(answer))
        if "failed" in said:
            raise PeerError(said["failed"], said["traceback"])
        return said


class Formatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """The text as it stands, and options' defaults where they say something."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return super()._get_help_string(action) if action.default else action.help


def parser(text: str | None, seeds: int) -> argparse.ArgumentParser:
    """The options that all races have."""
    made = argparse.ArgumentParser(description=text, formatter_class=Formatter)
    made.add_argument("--seeds", type=int, default=seeds, help="models trained together")
    made.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="what all peers train on")
    made.add_argument(
        "--tf32",
        action="store_true",
        help="on a GPU, let PyTorch, plain JAX and the large matrix product round factors to 11 bits; ours never does",
    )
    made.add_argument("--torch-python", default=sys.executable, help="a Python that has PyTorch and NumPy")
    made.add_argument("--turns", type=int, default=5, help="readings of every peer")
    made.add_argument("--seconds", type=float, default=1.0, help="of one reading, at least")
    made.add_argument("--patience", type=float, default=600.0, help="seconds after which a silent peer is left out")
    made.add_argument("--lock", type=Path, help="a file to lock while clocking: other races compile meanwhile")
    made.add_argument("--out", type=Path, help="a JSON file for the rows and every reading")
    made.add_argument("--serve", choices=("engine", "jax", "product"), help=argparse.SUPPRESS)
    return made


def run(race: Race, given: argparse.Namespace) -> None:
    """Start the peers, compare their losses, let them take turns, and print a table."""
    if given.tf32 and given.device == "cpu":
        raise SystemExit("--tf32 is for --device gpu: a CPU has no tf32")
    peers: list[Peer] = []
    left_out: dict[str, list[str]] = {}

    @contextlib.contextmanager
    def leaving_out(title: str) -> Iterator[None]:
        try:
            yield
        except PeerError as error:
            left_out[title] = list(error.args)
            print(f"left out: {title}: {error.args[0]}", flush=True)

    try:
        with ThreadPoolExecutor() as pool:  # they compile side by side
            asked = []
            for title, command, more in contestants(race, given):
                with leaving_out(title):
                    peers.append(start(title, command, given))
                    problem = {**race.problem, "device": given.device, "tf32": given.tf32, **more}
                    asked.append((peers[-1], pool.submit(peers[-1].greet, problem)))
            for peer, answer in asked:
                with leaving_out(peer.title):
                    answer.result()
                    about = peer.about
                    loss = "" if about["loss"] is None else f", loss {about['loss']:.6f}"
                    print(f"ready: {peer.title} ({about['library']} on {about['device']}){loss}", flush=True)
        check_agreement([peer for peer in peers if peer.title not in left_out], race.problem["checked"])
        with FileLock(given.lock) if given.lock else contextlib.nullcontext():
            for _ in range(given.turns):
                for peer in peers:
                    if peer.title not in left_out:
                        with leaving_out(peer.title):
                            peer.clock(given.seconds)
    finally:
        for peer in peers:
            peer.end()
    found = [peer for peer in peers if peer.title not in left_out]
    if not found:
        raise SystemExit("no peer is left")
    readings = {peer.title: peer.readings for peer in found}
    ceiling = [statistics.median(rates) for rates in zip(*readings.pop(PRODUCT, []), strict=True)]
    rows = [_row(title, rates, readings.get(ENGINE), race.flops(title), ceiling) for title, rates in readings.items()]
    heading = _heading(race, given, found[0].about["device"], ceiling)
    print(f"\n{heading}\n")
    print("\n".join(_table(rows, given.device)))
    if given.out:
        libraries = {peer.title: f"{peer.about['library']} on {peer.about['device']}" for peer in found}
        problem = {name: value for name, value in race.problem.items() if name not in LONG}
        kept = {**problem, "device": given.device, "tf32": given.tf32, "heading": heading, "libraries": libraries}
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps({**kept, "left_out": left_out, "rows": rows}, indent=1))


def contestants(race: Race, given: argparse.Namespace) -> list[tuple[str, list[str], Problem]]:
    """Everybody who could take part: a title, a command, and what is added to the problem."""
    here = [sys.executable, "-m", f"benchmarks.{race.name}_speed", "--serve"]
    wanted: list[tuple[str, list[str], Problem]] = [
        (title, [*here, what], {}) for title, what in ((ENGINE, "engine"), (JAX, "jax"), (PRODUCT, "product"))
    ]
    python = with_torch(given.torch_python)
    if python is None:
        print(f"no PyTorch with NumPy under {given.torch_python}: its peers are left out", flush=True)
        return wanted
    script = [python, "-m", f"benchmarks.{race.name}_torch"]
    one, stacked = "PyTorch eager, one model", f"PyTorch, {given.seeds} stacked models"
    if given.device == "gpu":
        kinds = {one: "one", stacked: "stacked", f"{stacked}, CUDA graph": "graphed"}
        return wanted + [(title, script, {"peer": kind, "threads": 0}) for title, kind in kinds.items()]
    for title, kind in ((one, "one"), (stacked, "stacked")):
        for threads in sorted({1, _cores()}):
            wanted.append((f"{title}, {_count(threads, 'thread')}", script, {"peer": kind, "threads": threads}))
    return wanted


def with_torch(python: str) -> str | None:
    """The path of this Python, if there is one and PyTorch in it."""
    found = shutil.which(python)
    if found is None or subprocess.run([found, "-c", "import numpy, torch"], capture_output=True).returncode:
        return None
    return os.path.abspath(found)  # not resolved: a link is what makes it a virtual environment's


def start(title: str, command: list[str], given: argparse.Namespace) -> Peer:
    """The process. Peers share a GPU's memory; where there is one and it is not wanted, JAX does not see it."""
    more = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"} | ({"JAX_PLATFORMS": "cpu"} if given.device == "cpu" else {})
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, **more}
        )
    except OSError as error:
        raise PeerError(str(error)) from None
    return Peer(title, process, given.patience)


def check_agreement(peers: Sequence[Peer], steps: int) -> None:
    """Peers that took the same steps from the same weights must have the same loss."""
    losses = {peer.title: float(peer.about["loss"]) for peer in peers if peer.about["loss"] is not None}
    known = list(losses.values())
    if len(known) < 2:
        return
    if not all(map(math.isfinite, known)) or max(known) - min(known) > AGREE * max(known):
        raise SystemExit(f"the peers do not train the same network: losses after {steps} steps are {losses}")
    print(f"{len(known)} peers have the loss {known[0]:.6f} after {steps} steps from the same weights", flush=True)


def _row(
    title: str, rates: list[tuple[float, float]], ours: list[tuple[float, float]] | None, flops: float, ceiling: Any
) -> Row:
    """Medians over turns, by the wall clock and by the time of the cores; ratios are of readings of one turn."""
    row: Row = {"peer": title, "flops_per_step": flops}
    for i, (prefix, name) in enumerate((("", "model_steps_per_second"), ("core_", "model_steps_per_core_second"))):
        read = [rate[i] for rate in rates]
        row[name] = middle = statistics.median(read)
        row[f"{prefix}spread"] = (max(read) - min(read)) / 2 / middle
        ratios = None if ours is None else [a[i] / b for a, b in zip(ours, read, strict=True)]
        row[f"{prefix}ours_over_it"] = None if ratios is None else statistics.median(ratios)
        row[f"{prefix}gflops"] = middle * flops / 1e9
        row[f"{prefix}ceiling_gflops"] = ceiling[i] / 1e9 if ceiling else None
        row[f"{prefix}ceiling_share"] = middle * flops / ceiling[i] if ceiling else None
        row[f"{prefix}readings"] = read
    return row


def _heading(race: Race, given: argparse.Namespace, device: str, ceiling: list[float]) -> str:
    """What the table is of."""
    where = _count(_cores(), "CPU core") if given.device == "cpu" else device
    products = "float32"
    if given.device == "gpu":
        ours = "tf32 matrix products, in ours full float32"
        products = ours if given.tf32 else "full float32 matrix products"
    work = f"A step takes {race.formula / 1e6:,.4g} MFLOP by the formula"
    work += f", {race.ours / 1e6:,.4g} as the engine computes it." if race.ours is not None else "."
    reached = ""
    if ceiling:
        per_core = f", {ceiling[1] / 1e9:,.0f} per core" if given.device == "cpu" else ""
        reached = f" A large matrix product reaches {ceiling[0] / 1e9:,.0f} GFLOP/s{per_core}."
    return f"{race.title}, {given.seeds} seeds; {where}; {products}. {work}{reached}"


def _table(rows: list[Row], device: str) -> Iterator[str]:
    """In Markdown; what cores did only where they are what trains."""
    heads = ["", "model-steps/s", "±", "ours over it", "GFLOP/s", "of a matrix product"]
    heads += ["per core-second", "±", "ours over it", "of a matrix product"] if device == "cpu" else []
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        own, said = row["peer"] == ENGINE, lambda value, form: "" if value is None else format(value, form)
        over = lambda name, row=row, own=own: "" if own or row[name] is None else f"{row[name]:.2f} ×"
        cells = [row["peer"], f"{row['model_steps_per_second']:,.0f}", f"{row['spread']:.0%}", over("ours_over_it")]
        cells += [f"{row['gflops']:,.1f}", said(row["ceiling_share"], ".0%")]
        if device == "cpu":
            cells += [f"{row['model_steps_per_core_second']:,.0f}", f"{row['core_spread']:.0%}"]
            cells += [over("core_ours_over_it"), said(row["core_ceiling_share"], ".0%")]
        yield f"| {' | '.join(cells)} |"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
