import io
import re
import signal
from concurrent.futures import Future

import jax
import numpy as np
import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

from glassware.bench import (
    Cell,
    Effort,
    Result,
    caption,
    compare,
    frame,
    jax_peer,
    parse_shapes,
    peers,
    speed_chart,
    speed_tables,
    summary_lines,
)
from glassware.bench.cell import BATCH, LAPTOP, Reading, Setting
from glassware.bench.compare import SCHEMA
from glassware.charts import specification
from glassware.cli import app
from glassware.foundation.errors import GlasswareError
from tests.calls import call, sentence

TINY = Cell(n=6, r=4)
BRIEF = Effort(turns=2, seconds=0.02, trial=0.0)
ONE, STACKED, VMAPPED, EVALUATED, XLA, KERNELS = peers.peers("cpu", TINY)


def printed(*things):
    said = io.StringIO()
    Console(width=120, file=said).print(*things)
    return said.getvalue()


def few_settings(device, cell):
    """The real peers, each with its first setting only: what takes time is compiling."""
    return [peers.Peer(p.name, p.title, p.worker, p.settings[:1]) for p in peers.peers(device, cell)]


@pytest.mark.parametrize("peer", [EVALUATED, XLA], ids=lambda peer: peer.title)
def test_a_reading_of_the_engine_counts_whole_rounds_of_all_lanes(peer):
    reading = peers.measure(peer, TINY, Setting(2, engine="xla"), 0.05)
    assert reading.steps > 0
    assert reading.steps % 100 == 0
    assert reading.wall >= 0.05
    assert reading.cpu > 0
    assert reading.rate == reading.steps / reading.wall


def test_plain_jax_learns_and_counts_its_steps():
    """The peer is real training: its own loop, run on, learns the task."""
    assert peers.measure(VMAPPED, TINY, Setting(2), 0.0).steps == 2 * 2000
    draw = np.random.default_rng(0)
    x = draw.choice(np.array([-1, 1], np.float32), (1000, 6))
    params = jax.tree.map(lambda a: a[0], jax_peer._init(Cell(6, 32), 1, draw))
    index = draw.integers(1000, size=(3000, BATCH))
    _, losses = jax.jit(jax_peer._train)(params, index, x, x[:, :3].prod(axis=1))
    assert losses[-100:].mean() < 0.5 * losses[:100].mean()


def test_pytorch_learns_and_counts_its_steps():
    pytest.importorskip("torch")
    from glassware.bench import torch_peer

    assert peers.measure(ONE, TINY, Setting(1, 1), 0.0).steps == torch_peer.STEPS
    assert peers.measure(STACKED, TINY, Setting(3, 1), 0.0).steps == 3
    step = torch_peer._stacked_step(Cell(6, 32), 2, "cpu")
    w = next(c.cell_contents for c in step.__closure__ if getattr(c.cell_contents, "shape", None) == (2, 6, 32))
    before = w.detach().clone()
    for _ in range(20):
        step()
    moved = (w.detach() - before).abs().amax(dim=(1, 2))
    assert (moved > 1e-3).all()  # both models train


def test_what_the_machine_can_do():
    assert peers.machine("product", "cpu", 0.0).steps % (2 * 2048**3) == 0
    copied = peers.machine("copy", "cpu", 0.0)
    assert copied.steps % 2**29 == 0
    assert 1e8 < copied.rate < 1e13


def test_on_a_gpu_settings_fit_its_memory_and_pytorch_replays_a_graph():
    small, large = peers.peers("gpu", Cell(50, 100)), peers.peers("gpu", Cell(200, 100_000))
    assert "PyTorch, stacked models, CUDA graph" in [peer.title for peer in small]
    assert "PyTorch, stacked models, CUDA graph" not in [peer.title for peer in peers.peers("cpu", TINY)]
    assert max(s.lanes for peer in small for s in peer.settings) >= 4096
    for peer in large:
        assert all(1 <= s.lanes * 200 * 100_000 <= 2**31 for s in peer.settings), peer.title
        assert all((s.device, s.threads) == ("gpu", 0) for s in peer.settings)


def made(**changes):
    """Readings nobody took: the engine does 400 and 800 steps per second, plain JAX 100 and 200, PyTorch is absent."""
    rates = {VMAPPED: 100, EVALUATED: 200, XLA: 150, KERNELS: 400}
    readings = {peer: [Reading(rate * f, 1.0, 2.0, 0.0) for f in (1, 2)] for peer, rate in rates.items()}
    settings = dict.fromkeys(readings, Setting(16))
    machine = {"product": [Reading(10**6, 1.0, 2.0, 0.0)] * 2, "copy": [Reading(10**5, 1.0, 2.0, 0.0)] * 2}
    absent = {ONE: "PyTorch is not installed"}
    return Result(**{"device": "CPU", "cell": TINY, "settings": settings, "readings": readings, "absent": absent,
                     **machine, **changes})  # fmt: skip


def test_rows_say_how_much_of_the_machine_everybody_uses():
    result = made()
    rows = {row["peer"]: row for row in result.rows()}
    assert result.best() == KERNELS
    assert rows[VMAPPED.title]["ratio"] == 4
    assert rows[KERNELS.title]["ratio"] == 1
    assert rows[VMAPPED.title]["steps_per_second"] == 150
    assert rows[VMAPPED.title]["spread"] == pytest.approx(1 / 3)
    assert rows[VMAPPED.title]["ceiling_share"] == pytest.approx(150 * TINY.flops / 1e6)
    assert rows[EVALUATED.title]["ceiling_share"] == pytest.approx(300 * TINY.evaluated_flops / 1e6)
    # 6 x 4 weights, 4 biases, 4 outgoing weights and a bias, four bytes each, read and written
    assert TINY.weight_bytes == 8 * 33
    assert rows[VMAPPED.title]["memory_share"] == pytest.approx(150 * 8 * 33 / 1e5)
    assert rows[ONE.title]["note"] == "PyTorch is not installed"
    table = frame([result])
    assert dict(table.schema) == {name: pl.Schema(SCHEMA)[name] for name in SCHEMA}
    assert table.filter(pl.col("note").is_null()).height == 4


def test_the_table_the_lines_and_the_chart_show_everybody():
    noisy = made(cell=Cell(50, 10), product=[Reading(10**6, 1.0, 2.0, 1.5)] * 2, absent={})
    results = [made(), noisy]
    said = printed(*speed_tables(results))
    assert "Model-steps per second, batch 32: CPU" in said
    assert re.search(r"6, 4 +JAX jit\(vmap\(scan\)\) +16 +150 +±33% +4 ", said)
    assert re.search(r"PyTorch, one model +– ", said)
    assert re.search(r"matrix product +±0% +0 +100%", said)
    assert f"{LAPTOP.test:,} every {LAPTOP.every}" in caption(results)
    first, last = summary_lines(results)
    assert first == "PyTorch, one model: PyTorch is not installed (CPU n = 6, r = 4)"
    assert last.startswith("other processes took 0.")
    assert "not a quiet machine" in last
    drawn = str(specification(speed_chart(frame(results))))
    assert "CPU, n = 6, r = 4" in drawn
    assert "glassware, kernels" in drawn
    assert "PyTorch, one model" not in drawn


@pytest.mark.parametrize(
    ("text", "cells"), [("50x100", [(50, 100)]), ("50x100, 200x1000,50x100", [(50, 100), (200, 1000)])]
)
def test_shapes(text, cells):
    assert [(cell.n, cell.r) for cell in parse_shapes(text)] == cells


@pytest.mark.parametrize("text", ["", "50", "50x", "0x3", "3x0", "50x100;3x4", "-3x4", "axb", "99999x1"])
def test_shapes_that_are_none(text):
    with pytest.raises(GlasswareError, match="shapes are written as inputs x neurons"):
        parse_shapes(text)


def test_a_peer_that_fails_says_why_and_the_others_are_measured(monkeypatch):
    """A shape that the engine refuses, and a library that is missing; no worker processes here."""

    class Here(peers.Workers):
        def measure(self, peer, cell, setting, seconds):
            if peer is KERNELS:
                raise RuntimeError("no such\nkernel")
            return peers.measure(peer, cell, setting, seconds)

        def machine(self, what, seconds):
            return Reading(10**9, 1.0, 1.0, 0.0)

    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    two = peers.Peer(VMAPPED.name, VMAPPED.title, VMAPPED.worker, (Setting(1), Setting(2)))
    result = compare.compare(Here("cpu", {}), "CPU", TINY, [ONE, two, XLA, KERNELS], BRIEF)
    assert set(result.readings) == {two, XLA}
    assert {peer.title: why for peer, why in result.absent.items()} == {
        ONE.title: "PyTorch is not installed (pip install 'glassware[bench]')", KERNELS.title: "no such kernel",
    }  # fmt: skip
    assert all(len(readings) == BRIEF.turns for readings in result.readings.values())
    assert result.settings[two] in two.settings


@pytest.mark.slow
def test_the_command_from_end_to_end(tmp_path, monkeypatch):
    """Real worker processes, everybody who is installed, one small shape."""
    monkeypatch.setattr(compare, "peers", few_settings)
    monkeypatch.setattr("glassware.bench.QUICK", BRIEF)
    result = call("bench", "--quick", "--shapes", "6x4", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    table = pl.read_parquet(tmp_path / "out/bench.parquet")
    on_cpu = table.filter(pl.col("device") == "CPU")
    assert on_cpu["peer"].to_list()[-1] in (KERNELS.title, ONE.title, STACKED.title)
    measured = on_cpu.filter(pl.col("note").is_null())
    assert {VMAPPED.title, XLA.title, EVALUATED.title} <= set(measured["peer"])
    assert (measured["steps_per_second"] > 0).all()
    assert (measured["ceiling_share"] > 0).all()
    for name in ("bench.png", "bench.html", "bench.parquet"):
        assert (tmp_path / "out" / name).stat().st_size
        assert str(tmp_path / "out" / name) in result.stdout


def test_numbers_are_whole_on_a_narrow_terminal(tmp_path, monkeypatch):
    monkeypatch.setattr("glassware.bench.bench", lambda *_: [made()])
    monkeypatch.setattr("glassware.charts.save", lambda *_: ())
    words = ["bench", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words, prog_name="glassware", env={"COLUMNS": "40"})
    assert result.exit_code == 0, result.output
    assert re.search(r"6, 4 +JAX jit\(vmap\(scan\)\) +16 +150 +±33% +4 ", result.stdout)


def test_ctrl_c_is_for_the_caller_alone():
    blocked = lambda: signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

    class Pool:
        """Starts its worker when it is first asked."""

        def submit(self, function):
            assert blocked()
            asked = Future()
            asked.set_result(function())
            return asked

    assert peers.Workers("cpu", {"jax": Pool()}).name() == peers.device_name()
    assert not blocked()


def test_bad_options_are_sentences_and_measure_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("glassware.bench.bench", lambda *_: pytest.fail("measured"))
    (tmp_path / "file").touch()
    for words, said in (
        (["--shapes", "fifty"], "shapes are written as inputs x neurons, like 50x100,200x1000, not 'fifty'"),
        (["--out", str(tmp_path / "file")], f"cannot write figures to {tmp_path}/file: "),
    ):
        assert sentence(call("bench", *words)).startswith(said)
