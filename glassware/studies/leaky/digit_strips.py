"""Parity of a strip of digits: the separation on images (experiment of the published version).

k images of handwritten digits side by side; the label says whether their sum is even or odd. With one digit every
method reads it off the image. With three, a network whose features are trained still learns it; features fixed in
advance, or gates fixed in advance as in the tangent kernel, hardly beat chance.

Grids (each row: a number of digits, a method, a seed)
    paper   the same images (the published experiment uses larger ones), 60,000 strips, k = 1, 2, 3, 5 seeds.
    laptop  scikit-learn's 1,797 images of 8 x 8 pixels, 1,300 for training; 20,000 strips for training and 4,000 of
            unseen images for the test, k = 1 and 3, 2 seeds.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Width 512, 20 epochs, batches of 128; Adam at 0.001 on the logistic loss instead of AdaDelta. Fixed features: those
    of the untrained network, their linear parts, and Gaussian ReLU features. Tangent: eight gates fixed at the start,
    a linear function trained behind each. Pixels lie in [0, 1].
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.errors import GlasswareError
from glassware.statistics import Estimate
from glassware.studies.cells import where
from glassware.studies.claim import NOT_ENOUGH, Claim, Finding, Scale
from glassware.studies.leaky.fit import FIRST_SEED
from glassware.studies.study import Study

NETWORK = "trained network"
FIXED = ("frozen network", "frozen linear", "Gaussian ReLU", "tangent gates")
WIDTH, BATCH, RATE, GATES, TRAIN_IMAGES = 512, 128, 1e-3, 8, 1300
# Digits, training strips, test strips, epochs, seeds.
SIZES: dict[Scale, tuple[tuple[int, ...], int, int, int, int]] = {
    "smoke": ((1, 3), 512, 256, 1, 1),
    "laptop": ((1, 3), 20_000, 4000, 20, 2),
    "paper": ((1, 2, 3), 60_000, 10_000, 20, 5),
}


def compute(scale: Scale, seeds: int | None) -> pl.DataFrame:
    """One row a number of digits, a method and a seed."""
    digits, train, test, epochs, repeats = SIZES[scale]
    rows = []
    for k in digits:
        for seed in range(FIRST_SEED, FIRST_SEED + (seeds or repeats)):
            rng = np.random.default_rng([seed, k])
            (x, y), (x_test, y_test) = strips(k, train, test, rng)
            for method in (NETWORK, *FIXED):
                trained = fit(method, x, y, epochs, seed)
                right = np.asarray(trained(x_test)) * y_test > 0
                rows.append({"k": k, "method": method, "seed": seed, "accuracy": float(right.mean())})
    return pl.DataFrame(rows)


def strips(k: int, train: int, test: int, rng: np.random.Generator) -> Any:
    """Training and test strips (strips, 64 k) with labels +-1; no image is in both."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise GlasswareError("leaky/digit-strips needs scikit-learn: pip install 'glassware[tabular]'") from None
    images, values = load_digits(return_X_y=True)
    order = rng.permutation(len(images))
    found = []
    for chosen, count in ((order[:TRAIN_IMAGES], train), (order[TRAIN_IMAGES:], test)):
        picked = rng.choice(chosen, (count, k))
        x = (images[picked] / 16.0).reshape(count, -1).astype(np.float32)
        found.append((x, np.where(values[picked].sum(axis=1) % 2 == 0, 1.0, -1.0).astype(np.float32)))
    return found


def fit(method: str, x: Any, y: Any, epochs: int, seed: int) -> Any:
    """A function from inputs to outputs, trained by Adam on the logistic loss."""
    start, frozen = _start(method, x.shape[1], jax.random.key(seed))
    optimiser = optax.adam(RATE)
    batches = len(x) // BATCH

    def loss(params: Any, xs: Any, ys: Any) -> Any:
        return jnp.mean(jax.nn.softplus(-ys * _output(method, params, frozen, xs)))

    def step(carry: Any, rows: Any) -> Any:
        params, state = carry
        slopes = jax.grad(loss)(params, x_all[rows], y_all[rows])
        moves, state = optimiser.update(slopes, state)
        return (optax.apply_updates(params, moves), state), None

    @jax.jit
    def epoch(carry: Any, key: Any) -> Any:
        rows = jax.random.permutation(key, len(x))[: batches * BATCH].reshape(batches, BATCH)
        return jax.lax.scan(step, carry, rows)[0]

    x_all, y_all = jnp.asarray(x), jnp.asarray(y)
    carry = (start, optimiser.init(start))
    for key in jax.random.split(jax.random.key(seed + 1), epochs):
        carry = epoch(carry, key)
    return lambda inputs: _output(method, carry[0], frozen, jnp.asarray(inputs))


def _start(method: str, inputs: int, key: Any) -> tuple[Any, Any]:
    """What is trained and what stays."""
    bound, keys = 1 / math.sqrt(inputs), jax.random.split(key, 4)
    if method == "tangent gates":
        gates = jax.random.normal(keys[0], (inputs, GATES))
        # Pixels are never negative: without a mean of zero a gate would be open, or shut, for every image.
        frozen = {"w": gates - gates.mean(0), "b": jnp.zeros(GATES)}
        return {"w": jnp.zeros((inputs, GATES)), "b": jnp.zeros(GATES)}, frozen
    uniform = {
        "w": jax.random.uniform(keys[0], (inputs, WIDTH), minval=-bound, maxval=bound),
        "b": jax.random.uniform(keys[1], (WIDTH,), minval=-bound, maxval=bound),
    }
    gaussian = {"w": jax.random.normal(keys[0], (inputs, WIDTH)) * math.sqrt(2) * bound, "b": jnp.zeros(WIDTH)}
    hidden = gaussian if method == "Gaussian ReLU" else uniform
    small = 1 / math.sqrt(WIDTH)
    readout = {"u": jax.random.uniform(keys[2], (WIDTH,), minval=-small, maxval=small), "c": jnp.zeros(())}
    return ({**hidden, **readout}, {}) if method == NETWORK else (readout, hidden)


def _output(method: str, params: Any, frozen: Any, x: Any) -> Any:
    if method == "tangent gates":
        return jnp.sum(jnp.where(x @ frozen["w"] + frozen["b"] > 0, x @ params["w"] + params["b"], 0.0), axis=1)
    first = params if method == NETWORK else frozen
    h = x @ first["w"] + first["b"]
    return (h if method == "frozen linear" else jax.nn.relu(h)) @ params["u"] + params["c"]


# -- claims -----------------------------------------------------------------------------------------------------------


def one_digit(frame: pl.DataFrame) -> Finding:
    """Lead of the network over the best fixed method at k = 1."""
    levels = _levels(frame, 1)
    if levels is None:
        return NOT_ENOUGH
    lead = levels[NETWORK] - max(levels[method] for method in FIXED)
    return Finding(Estimate(lead), lead <= 0.03, "points", _listed(levels))


def network_learns(frame: pl.DataFrame) -> Finding:
    """Accuracy of the network at k = 3."""
    levels = _levels(frame, 3)
    if levels is None:
        return NOT_ENOUGH
    return Finding(Estimate(levels[NETWORK]), levels[NETWORK] >= 0.7, "points", _listed(levels))


def fixed_fail(frame: pl.DataFrame) -> Finding:
    """Best fixed method at k = 3."""
    levels = _levels(frame, 3)
    if levels is None:
        return NOT_ENOUGH
    best = max(levels[method] for method in FIXED)
    return Finding(Estimate(best), best <= 0.56, "points", _listed(levels))


def _levels(frame: pl.DataFrame, k: int) -> dict[str, float] | None:
    """Mean accuracy of every method, if all are there."""
    cells = where(frame, k=k).group_by("method").agg(pl.col("accuracy").mean())
    found = {str(method): float(level) for method, level in cells.rows()}
    return found if set(found) >= {NETWORK, *FIXED} else None


def _listed(levels: dict[str, float]) -> str:
    return ", ".join(f"{method} {levels[method]:.3f}" for method in (NETWORK, *FIXED))


CLAIMS = (
    Claim("one-digit", "With one digit fixed features are about as good", "published version, digit strips",
          "network at most 3 points ahead of the best fixed method, k = 1", one_digit, ("laptop",)),
    Claim("network", "With three digits the trained network learns the parity", "published version, digit strips",
          "accuracy ≥ 70% at k = 3", network_learns, ("laptop",)),
    Claim("fixed", "With three digits no fixed method does", "published version, digit strips",
          "every fixed method ≤ 56% at k = 3", fixed_fail, ("laptop",)),
)  # fmt: skip


def _tiles(frame: pl.DataFrame) -> pl.DataFrame:
    """Mean accuracy by method and number of digits."""
    cells = frame.group_by("method", "k", maintain_order=True).agg(pl.col("accuracy").mean())
    return cells.select(
        panel=pl.lit("strips of k digits"),
        row=pl.col("method"),
        column=pl.format("k = {}", "k"),
        value=pl.col("accuracy"),
        text=pl.col("accuracy").map_elements(lambda v: f"{v:.3f}", return_dtype=pl.String),
    )


STUDY = Study(
    name="leaky/digit-strips",
    title="Parity of a strip of digits: trained features against fixed ones",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={
        "accuracy": lambda frame: tiles(
            _tiles(frame),
            scale=alt.Scale(scheme="viridis", domain=[0.4, 1.0]),
            title="Parity of a strip of digits by trained and by fixed features",
            subtitle="test accuracy, mean over seeds; 0.5 is chance",
            x_title="digits in a strip",
            y_title="method",
            value_title="accuracy",
            tile_width=96,
            dark="datum.value < 0.7",
        ),
    },
    compute=compute,
)
