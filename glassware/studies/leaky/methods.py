"""The methods of ``network_against_linear`` on features fixed in advance, as runs, and how rows tell them apart."""

from __future__ import annotations

import math

import polars as pl

from glassware.models import KernelRidge, Mirrored, Monomials, RandomFeatures, Readout
from glassware.studies.leaky.runs import EXAMINED, FEWER, TANGENT_KERNEL, fit, fits
from glassware.tasks import LeakyParity
from glassware.training import Run

Case = tuple[int, int, int, int]  # n, k, half-width q, examples m
NETWORK = "network, one step"
FIXED = ("linear", "frozen network", "Gaussian ReLU", "random Fourier", "tangent gates")
GAMMA = 1 / 32  # of the Gaussian kernel and its random features
KERNELS = {
    "Gaussian kernel": KernelRidge(kernel="rbf", gamma=GAMMA, ridge=1e-5),
    "cubic kernel": KernelRidge(kernel="poly", degree=3, ridge=8e-5),
    "tangent kernel": TANGENT_KERNEL,
}
KERNEL_SAMPLE = 2000
CONTROL = (15, 3, 5000)  # n, k, m of the monomials
CONTROL_PAIRING = "monomials"


def pairing(case: Case) -> str:
    """What all runs of a setting share; it names the q that the features of a baseline are counted by."""
    n, k, q, m = case
    return f"linear methods, n = {n}, k = {k}, m = {m}, q = {q}"


def fixed_runs(case: Case, seed: int) -> list[Run]:
    """Readouts of features that are drawn without the data, and kernel machines, on the network's examples."""
    n, k, q, m = case
    count, gates = 2 * q, math.ceil(2 * q / (n + 1))
    features = {
        "linear": Readout(network=Monomials(degree=1)),
        "frozen network": Readout(network=Mirrored(half=count), units=count),
        "Gaussian ReLU": Readout(network=RandomFeatures(function="relu", count=count)),
        "random Fourier": Readout(network=RandomFeatures(function="fourier", count=count, gamma=GAMMA)),
        "tangent gates": Readout(network=RandomFeatures(function="gate", count=gates)),
    }
    task, few = LeakyParity(n=n, k=k), min(KERNEL_SAMPLE, m // 10)
    found = [fit(task, features[name], m, seed, EXAMINED, pairing=pairing(case)) for name in FIXED]
    return found + [fit(task, kernel, few, seed, FEWER, pairing=pairing(case)) for kernel in KERNELS.values()]


def control_runs(seed: int) -> list[Run]:
    """The positive control: products of up to d bits are fixed features too, and d = k is enough."""
    n, k, m = CONTROL
    task, degrees = LeakyParity(n=n, k=k), range(1, k + 1)
    return [fit(task, Readout(network=Monomials(degree=d)), m, seed, FEWER, pairing=CONTROL_PAIRING) for d in degrees]


def by_method(frame: pl.DataFrame) -> pl.DataFrame:
    """The fits with the name of their method, and the q of their setting (null for the control)."""
    if "curve_uniform" not in frame.columns:
        columns = {"method": pl.String, "n": pl.Int64, "k": pl.Int64, "q": pl.Int64, "uniform": pl.Float64}
        return pl.DataFrame(schema=columns)
    text = lambda name: pl.col(name).cast(pl.String)  # a column in which no row has an entry has no type
    network, kernels = pl.col("network"), {kernel.label: name for name, kernel in KERNELS.items()}
    drawn = {"relu": "Gaussian ReLU", "fourier": "random Fourier", "gate": "tangent gates"}
    method = (
        pl.when(pl.col("model") == "kernel-ridge").then(text("kernel").replace_strict(kernels, default=None))
        .when(network == "random-features").then(text("function").replace_strict(drawn, default=None))
        .when(pl.col("pairing") == CONTROL_PAIRING).then(pl.format("monomials to degree {}", "degree"))
        .when(network == "monomials").then(pl.lit("linear"))
        .otherwise(pl.when(pl.col("units").is_null()).then(pl.lit(NETWORK)).otherwise(pl.lit("frozen network")))
    )  # fmt: skip
    return fits(frame).with_columns(method=method, q=pl.col("pairing").str.extract(r"q = (\d+)").cast(pl.Int64))
