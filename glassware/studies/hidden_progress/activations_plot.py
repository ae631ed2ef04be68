"""The activations through which one neuron computes a parity (Figure 18).

Zigzag, interpolating polynomial, triangle wave (the endless zigzag) and sinusoid agree at z = k, k - 2, .., -k, where
they are +1, -1, +1, ..: a sum of k signs takes these values, and its parity is that sign. So a neuron with weight 1 on
the relevant coordinates, 0 elsewhere and no bias is the parity, for every k, without any second layer. ReLU and z^k are
drawn beside them. Everything is evaluated in double precision through the functions that the networks use.

Grids
    all scales   parities of k = 1 .. 8, the same numbers; drawn are k = 2, 3, 4.

Decisions where the paper is silent
    Beyond [-k, k] the zigzag's end segments go on. The triangle wave has its corners at distance 2 (at distance 1, as
    printed, it is no parity). Frequency of the sinusoid: pi/2, so that one period is 4, as for the triangle wave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import polars as pl

from glassware.charts.lines import lines
from glassware.foundation.statistics import Estimate
from glassware.models.activations import ACTIVATIONS
from glassware.studies.claim import Claim, Scale
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.theory.boolean import Floats, cube

PARITY = ("zigzag", "polynomial", "triangle", "sinusoid")
DRAWN = ("relu", "power", *PARITY)
SIZES = range(1, 9)
EXACT = 1e-9
LENGTH = 256  # most numbers at once: the cube of the largest k
STEP = 1e-6  # of the difference quotient
# Coefficients of z^0, z^1, .. worked out by hand.
CLOSED = {2: (-1.0, 0.0, 1 / 2), 3: (0.0, -7 / 6, 0.0, 1 / 6), 4: (1.0, 0.0, -2 / 3, 0.0, 1 / 24)}
SCALES: tuple[Scale, ...] = ("smoke", "laptop", "paper")
NAMES = {"relu": "ReLU", "power": "z^k", "triangle": "triangle (∞-zigzag)"}


def activation(name: str, z: Floats, k: int) -> Floats:
    """The activation of z for parities of size k, in double precision."""
    function, degree = ACTIVATIONS[name].function, k if ACTIVATIONS[name].degree else None
    return _in_double(lambda x: function(x, degree), z)


def slope(name: str, z: Floats, k: int) -> Floats:
    """Its derivative, as training sees it."""
    function, degree = ACTIVATIONS[name].function, k if ACTIVATIONS[name].degree else None
    return _in_double(jax.grad(lambda x: jnp.sum(function(x, degree))), z)


def _in_double(function: Callable[[Any], Any], z: Floats) -> Floats:
    """A function of many numbers, always of as many: JAX compiles every length anew."""
    with jax.enable_x64(True):
        padded = jnp.asarray(np.pad(z, (0, LENGTH - len(z))), jnp.float64)
        return np.asarray(function(padded), np.float64)[: len(z)]


def compute(_scale: Scale, _seeds: int | None) -> pl.DataFrame:
    """Curves to draw, and what each activation is off by: at the parity points, on the cube, in its slope."""
    rows: list[dict[str, Any]] = []
    for k in SIZES:
        at = np.linspace(k, -k, k + 1)
        signs = (-1.0) ** np.arange(k + 1)
        z = np.linspace(-k - 2, k + 2, 241)
        inside = np.linspace(-k - 0.9, k + 0.9, 97) + 0.01  # beside the corners, which lie at whole numbers
        x = cube(k)
        for name in DRAWN:
            rows += [
                {"what": "curve", "activation": name, "k": k, "z": float(a), "value": float(b)}
                for a, b in zip(z, activation(name, z, k), strict=True)
            ]
        for name in PARITY:
            quotient = (activation(name, inside + STEP, k) - activation(name, inside - STEP, k)) / (2 * STEP)
            neuron = activation(name, x.sum(axis=1), k)
            off = {
                "points": np.abs(activation(name, at, k) - signs).max(),
                "cube": np.abs(neuron - x.prod(axis=1)).max(),
                "slope": np.abs(slope(name, inside, k) - quotient).max() / max(1.0, np.abs(quotient).max()),
            }
            rows += [{"what": what, "activation": name, "k": k, "value": float(v)} for what, v in off.items()]
        if k in CLOSED:
            by_hand = np.polynomial.polynomial.polyval(z, CLOSED[k])
            worst = float(np.abs(activation("polynomial", z, k) - by_hand).max())
            rows.append({"what": "closed form", "activation": "polynomial", "k": k, "value": worst})
    return pl.DataFrame(rows)


# -- claims -----------------------------------------------------------------------------------------------------------


def off_by(what: str, most: float) -> Any:
    """A check that the largest deviation of this kind, over activations and sizes, is at most so much."""

    def check(frame: pl.DataFrame) -> Finding:
        found = frame.filter(pl.col("what") == what).sort("value", descending=True)
        if not len(found):
            return NOT_ENOUGH
        worst = found["value"][0]
        detail = f"worst of {len(found)}: {found['activation'][0]}, k = {found['k'][0]}"
        return Finding(Estimate.exact(worst), worst <= most, "", detail)

    return check


CLAIMS = (
    Claim(
        "points",
        "Zigzag, polynomial, triangle wave and sinusoid are (−1)^j at z = k − 2j",
        "Figure 18; Section 3",
        "to 1e-9, k = 1 .. 8",
        off_by("points", EXACT),
        SCALES,
    ),
    Claim(
        "parity",
        "A neuron with weight 1 on S and no bias is the parity",
        "Section 3",
        "to 1e-9 on all inputs, k = 1 .. 8",
        off_by("cube", EXACT),
        SCALES,
    ),
    Claim(
        "closed-form",
        "The polynomial is the one worked out by hand",
        "Section 3",
        "to 1e-9, k = 2, 3, 4",
        off_by("closed form", EXACT),
        SCALES,
    ),
    Claim(
        "slopes",
        "Training sees their derivatives",
        "our check",
        "equal to difference quotients to 1e-6 (relative to the steepest slope), k = 1 .. 8",
        off_by("slope", 1e-6),
        SCALES,
    ),
)


def _drawn(frame: pl.DataFrame) -> pl.DataFrame:
    curves = frame.filter(pl.col("what") == "curve", pl.col("k").is_in([2, 3, 4]), pl.col("value").abs() <= 3)
    kind = pl.col("activation").replace(NAMES)
    points = [
        # A small cross at every parity point: two strokes, each a line of its own.
        {"k": k, "z": z + dz * side, "value": sign + dy * side, "kind": "parity points", "line": f"{j}{dz}"}
        for k in (2, 3, 4)
        for j, (z, sign) in enumerate((k - 2.0 * j, (-1.0) ** j) for j in range(k + 1))
        for dz, dy in ((0.14, 0.14), (0.14, -0.14))
        for side in (-1, 1)
    ]
    table = curves.select(pl.col("k").cast(pl.Int64), "z", "value", kind=kind, line="activation")
    marks = pl.DataFrame([{**p, "line": f"{p['line']}{i // 2}"} for i, p in enumerate(points)])
    return pl.concat([table, marks.select(table.columns)]).with_columns(panel=pl.format("k = {}", "k"))


STUDY = Study(
    name="hidden-progress/activations",
    title="Activations through which one neuron computes a parity",
    about=__doc__ or "",
    stages=(),
    claims=CLAIMS,
    figures={
        "activations": lambda frame: lines(
            _drawn(frame),
            x="z",
            y="value",
            line="line",
            kind="kind",
            panel="panel",
            title="Activations for parities of k coordinates",
            subtitle="crosses: the values that a sum of k signs takes, and its parity there",
            x_title="z",
            y_title="activation",
            columns=3,
            y_domain=(-3, 3),
            colours={"parity points": "#1f2328"},
        ),
    },
    compute=compute,
)
