"""Runs of ``under_sparse``: one truncated step of good neurons, and what their rows say."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import jax
import numpy as np
import polars as pl

from glassware.foundation.draws import run_key
from glassware.models import Init, Paired
from glassware.studies.crossing import half_success
from glassware.tasks import Parity
from glassware.theory.boolean import Floats, chi, random_signs
from glassware.theory.pareto.sparse_gradients import under_sparse_signal
from glassware.theory.pareto.under_sparse import bias_levels, step, subnetwork
from glassware.training import SGD, Evaluation, Run

Size = tuple[int, int, int]  # n, k, s
NEURONS, PARENT, CHUNK = 20, 5_000_000, 4096  # good ones of a run; pairs they are drawn from; pairs drawn at once
SAMPLE_SIZES = {4: 7, 6: 12}  # by k: how many, up from the first by factors of sqrt 2
FRESH = 2000


def epsilon(n: int, s: int) -> float:
    """The small weights."""
    return 0.01 / (n - s)


def samples(size: Size) -> list[int]:
    """Sample sizes around the one at which half of the neurons find S."""
    first = 2 / under_sparse_signal(*size).relevant ** 2
    return [round(first * 2 ** (j / 2)) for j in range(SAMPLE_SIZES[size[1]])]


def stepped(size: Size, m: int, seed: int, printed: bool = False) -> Run:
    """The step on m examples; ``printed``: with the printed cut-off."""
    n, k, s = size
    eps, good = epsilon(n, s), good_pairs(size, seed)
    rule = step(n, k, s, eps)
    gamma = step(n, k, s, eps, printed).gamma
    return Run(
        task=Parity(n=n, k=k),
        m=m,
        model=_network(k, eps, NEURONS),
        init=Init(scheme="sparse", s=s, eps=eps, neurons=(*good, *good), parent_width=2 * PARENT),
        optimiser=SGD(lr=rule.eta, weight_decay=(1 - rule.keep) / rule.eta, layer_rates=(1, 0), truncation=gamma),
        batch="full",
        steps=1,
        evaluation=Evaluation(every=1, test=FRESH, stop=False),
        probes=("first_layer",),
        seed=seed,
        pairing=_pairing(size),
    )


def _network(k: int, eps: float, pairs: int) -> Paired:
    return Paired(width=2 * pairs, levels=tuple(bias_levels(k, eps)[::-1].tolist()), frozen_biases=True)


def _pairing(size: Size) -> str:
    return "under-sparse {} {} {}".format(*size)


@cache
def good_pairs(size: Size, seed: int) -> tuple[int, ...]:
    """The first good pairs of a run's wide network: ones inside S, the sign of xi_S, and the biases in turn."""
    n, k, s = size
    key, task, eps = run_key(seed, f"pairing {_pairing(size)}"), Parity(n=n, k=k), epsilon(n, s)
    network, inside = _network(k, eps, CHUNK), list(task.hidden_support(key))
    drawn = Init(scheme="sparse", s=s, eps=eps).values(key, 2 * CHUNK, network.layers)
    first_weights = jax.jit(lambda values: network.init(values, task))
    sign, levels = np.sign(under_sparse_signal(n, k, s).relevant), np.array(network.levels, np.float32)
    found: list[list[int]] = [[] for _ in levels]
    for chunk in range(PARENT // CHUNK):
        pairs = np.arange(CHUNK, dtype=np.uint32) + np.uint32(CHUNK * chunk)
        hidden, readout = first_weights({**drawn, "neurons": np.concatenate([pairs, pairs])})
        ones = np.asarray(hidden["w"])[inside, :CHUNK] == 1
        good = (ones.sum(axis=0) == s) & (np.asarray(readout["w"])[:CHUNK, 0] == sign)
        for level, places in zip(levels, found, strict=True):
            places += pairs[good & (np.asarray(hidden["b"])[:CHUNK] == level)].tolist()
        if all(len(places) >= -(-NEURONS // k) for places in found):
            break
    return tuple(found[i % k][i // k] for i in range(NEURONS))


# -- what the rows say ------------------------------------------------------------------------------------------------


def parts(frame: pl.DataFrame) -> pl.DataFrame:
    """The computed rows, m50 of every size and seed, and the accuracy of every step that both cut-offs have taken."""
    if "first_layer" not in frame.columns:
        return frame
    trained = [_read(row) for row in frame.filter(pl.col("first_layer").is_not_null()).iter_rows(named=True)]
    computed = frame.filter(pl.col("first_layer").is_null())
    if not trained:
        return computed
    steps = pl.DataFrame(trained).sort("m", maintain_order=True)
    both = steps.filter(pl.col("form").n_unique().over("n", "k", "s", "m") == 2).with_columns(part=pl.lit("accuracy"))
    rows = []
    for cell in steps.filter(form="corrected").partition_by("n", "k", "s", "seed", maintain_order=True):
        (size,) = cell.select("n", "k", "s").unique().rows()
        cell = cell.filter(pl.col("m").is_in(samples(size)))
        if len(cell) > 1:
            m50 = half_success(cell["m"].to_list(), cell["found"].to_list())
            signal = abs(under_sparse_signal(*size).relevant)
            rows.append({"part": "m50", **dict(zip("nks", size, strict=True)), "seed": cell["seed"][0],
                         "m50": m50 if math.isfinite(m50) else None, "signal": signal})  # fmt: skip
    needed = pl.DataFrame(rows, schema_overrides={"m50": pl.Float64})
    return pl.concat([computed.cast({"seed": pl.Int64}), both, needed], how="diagonal_relaxed")


def _read(row: dict[str, Any]) -> dict[str, object]:
    """One step: the share of neurons that have found S, and the accuracy of k of them behind the exact readout."""
    n, k, s = size = row["n"], row["k"], row["s"]
    eps, support = epsilon(n, s), row["support"]
    weights = np.asarray(row["first_layer"], np.float64).reshape(-1, n)[:NEURONS]  # the other copies move away from S
    right = np.all((weights > eps / (4 * k)) == np.isin(np.arange(n), support), axis=1)
    corrected = math.isclose(row["truncation"], step(*size, eps).gamma)
    return {"n": n, "k": k, "s": s, "m": row["m"], "seed": row["seed"],
            "form": "corrected" if corrected else "printed", "found": float(right.mean()),
            "accuracy": _accuracy(weights[:k], eps, support, row)}  # fmt: skip


def _accuracy(weights: Floats, eps: float, support: list[int], row: dict[str, Any]) -> float:
    x = random_signs(np.random.default_rng([row["seed"], row["n"], row["m"]]), (FRESH, row["n"]))
    return float(np.mean(chi(x, support) * subnetwork(weights, len(support), eps, x) > 0))
