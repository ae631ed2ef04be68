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

import jax
import jax.numpy as jnp
import numpy as np
import polars as pl

from glassware.charts.lines import lines
from glassware.models.activations import ACTIVATIONS
from glassware.studies.claim import SCALES, Claim, Scale
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding, all_within
from glassware.theory.boolean import Floats, cube

PARITY = ("zigzag", "polynomial", "triangle", "sinusoid")
DRAWN = ("relu", "power", *PARITY)
SIZES = range(1, 9)
EXACT = 1e-9
LENGTH = 256  # most numbers at once: the cube of the largest k
NAMES = {"relu": "ReLU", "power": "z^k", "triangle": "triangle (∞-zigzag)"}


def activation(name: str, z: Floats, k: int) -> Floats:
    """The activation of z for parities of size k, in double precision."""
    function, degree = ACTIVATIONS[name].function, k if ACTIVATIONS[name].degree else None
    with jax.enable_x64(True):
        # Always the same number of values: JAX compiles every length anew.
        padded = jnp.asarray(np.pad(z, (0, LENGTH - len(z))), jnp.float64)
        return np.asarray(function(padded, degree), np.float64)[: len(z)]


def compute(_scale: Scale, _seeds: int | None) -> pl.DataFrame:
    """Curves to draw, and how far each activation is from the parity on the cube."""
    rows: list[dict[str, str | int | float]] = []
    for k in SIZES:
        z = np.linspace(-k - 2, k + 2, 241)
        x = cube(k)
        for name in DRAWN:
            rows += [
                {"what": "curve", "activation": name, "k": k, "z": float(a), "value": float(b)}
                for a, b in zip(z, activation(name, z, k), strict=True)
            ]
        for name in PARITY:
            off = np.abs(activation(name, x.sum(axis=1), k) - x.prod(axis=1)).max()
            rows.append({"what": "cube", "activation": name, "k": k, "value": float(off)})
    return pl.DataFrame(rows)


# -- claims -----------------------------------------------------------------------------------------------------------


def is_parity(frame: pl.DataFrame) -> Finding:
    """The largest difference between a neuron and the parity, over activations, sizes and all inputs."""
    found = frame.filter(pl.col("what") == "cube").sort("value", descending=True)
    if not len(found):
        return NOT_ENOUGH
    detail = f"worst of {len(found)}: {found['activation'][0]}, k = {found['k'][0]}"
    return all_within(found["value"].to_list(), EXACT, detail)


CLAIMS = (
    Claim(
        "parity",
        "One neuron with weight 1 on S and no bias is the parity: zigzag, polynomial, triangle wave and sinusoid",
        "Figure 18; Section 3",
        "to 1e-9 on all inputs, k = 1 .. 8",
        is_parity,
        SCALES,
        note="by enumeration; triangle wave with corners at distance 2 (as printed, at distance 1, it is no parity)",
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
    version=2,
)
