"""How often the intervals behind the claims contain the truth, for every kind of estimate that the studies use.

``python -m benchmarks.coverage`` prints a table (two minutes on one core); ``--markdown docs/statistics.md`` writes it
into that page. Proportions are counted exactly over all outcomes; everything else is simulated, 1,000 studies per case,
at the numbers of runs that the studies have. An interval passes with 93% or more on average and 90% or more in its
worst case; where the average is above 97% the table says "conservative".
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import stats

from glassware.foundation import statistics
from glassware.foundation.statistics import (
    NEVER,
    Estimate,
    bootstrap,
    cross_validated,
    difference,
    difference_of_means,
    mean,
    mean_share,
    median,
    median_ratio,
    power_law_exponent,
    ratio_of_means,
    weighted_means,
    wilson,
)

STUDIES = 1000
RESAMPLES = 400  # of each bootstrap; the claims use 2,000, which changes coverage by less than a point
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"
RATES = [0.005, 0.01, 0.02, 0.03, *(i / 20 for i in range(1, 20)), 0.97, 0.98, 0.99, 0.995]


class Case(NamedTuple):
    """One situation of a kind, and how often its intervals contain the truth."""

    label: str
    coverage: float


class Kind(NamedTuple):
    """A kind of estimate: what it is, which interval it has, and the situations in which it is tried."""

    name: str
    interval: str
    cases: Callable[[], Iterable[Case]]


Samples: TypeAlias = Iterable[Sequence[float] | np.ndarray]
Draw: TypeAlias = Callable[[np.random.Generator], Samples]


def simulate(label: str, estimate: Callable[..., Estimate], truth: float, draw: Draw) -> Case:
    """Estimates from fresh samples, and the share of their intervals that contain the truth."""
    rng, inside = np.random.default_rng(0), 0
    for _ in range(STUDIES):
        _, low, high = estimate(*draw(rng))
        inside += low <= truth <= high
    return Case(label, inside / STUDIES)


def proportions() -> Iterator[Case]:
    """All outcomes of n trials, over a fine grid of rates."""
    rates = np.arange(0.0005, 1, 0.0005)
    for n in (5, 9, 10, 15, 20, 25, 40, 100, 2000):
        ends = np.array([wilson(won, n)[1:] for won in range(n + 1)])
        chance = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
        covered = (chance * ((ends[:, :1] <= rates) & (rates <= ends[:, 1:]))).sum(axis=0)
        yield from (
            Case(f"n = {n}, p = {rate:.3g}", share) for rate, share in zip(rates, covered.tolist(), strict=True)
        )


def differences() -> Iterator[Case]:
    """All outcomes of two cells, over a grid of their rates."""
    for n, m in ((10, 10), (12, 24), (25, 25), (40, 40), (150, 150)):
        ends = np.array([[difference(a, n, b, m)[1:] for b in range(m + 1)] for a in range(n + 1)])
        for p in RATES:
            for q in RATES:
                chance = np.outer(stats.binom.pmf(range(n + 1), n, p), stats.binom.pmf(range(m + 1), m, q))
                inside = (ends[..., 0] <= p - q + 1e-12) & (p - q - 1e-12 <= ends[..., 1])
                yield Case(f"n = {n} and {m}, p = {p:.3g} and {q:.3g}", float((chance * inside).sum()))


def means() -> Iterator[Case]:
    """Normal, uniform and skewed values."""
    for n in (3, 5, 9, 10, 12, 25):
        normal = lambda rng, n=n: [rng.normal(size=n)]
        uniform = lambda rng, n=n: [rng.random(n)]
        skewed = lambda rng, n=n: [rng.gamma(4, size=n)]
        yield simulate(f"n = {n}, normal", mean, 0.0, normal)
        yield simulate(f"n = {n}, uniform", mean, 0.5, uniform)
        yield simulate(f"n = {n}, skewed (gamma, shape 4)", mean, 4.0, skewed)


def long_tails() -> Iterator[Case]:
    """Exponential values."""
    for n in (5, 10, 25):
        draw = lambda rng, n=n: [rng.exponential(size=n)]
        yield simulate(f"n = {n}", mean, 1.0, draw)


def shares() -> Iterator[Case]:
    """Accuracies: 1 in the share p of runs that learn, between 0.5 and 0.9 in the others; and errors near a half."""
    for n in (3, 5, 10, 12, 25):
        near = lambda rng, n=n: [rng.normal(0.45, 0.02, n).tolist()]
        yield simulate(f"n = {n}, near 0.45", mean_share, 0.45, near)
        for p in (0.5, 0.8, 0.9, 0.95, 0.99):
            lucky = lambda rng, n=n, p=p: [np.where(rng.random(n) < p, 1.0, 0.5 + 0.4 * rng.random(n)).tolist()]
            yield simulate(f"n = {n}, p = {p}", mean_share, p + 0.7 * (1 - p), lucky)


def mean_differences() -> Iterator[Case]:
    """Two samples, of equal and of unequal spread and size."""
    for n, m in ((3, 3), (5, 5), (10, 10), (5, 25)):
        for wide in (1.0, 4.0):
            draw = lambda rng, n=n, m=m, wide=wide: [rng.normal(size=n), wide * rng.normal(size=m)]
            yield simulate(f"n = {n} and {m}, spread 1 and {wide:g}", difference_of_means, 0.0, draw)


def weighted() -> Iterator[Case]:
    """Thirteen tasks of unequal spread, as the tables have."""
    for n in (3, 5, 10):
        draw = lambda rng, n=n: list(rng.normal(size=(13, n)) * np.linspace(0.2, 3, 13)[:, None])
        yield simulate(f"13 tasks, n = {n}", lambda *tasks: weighted_means(tasks, [1 / 13] * 13), 0.0, draw)


def mean_ratios() -> Iterator[Case]:
    """Errors of two cells, narrow and skewed."""
    for n in (5, 10):
        narrow = lambda rng, n=n: [rng.normal(0.1, 0.03, n), rng.normal(0.3, 0.05, n)]
        yield simulate(f"n = {n}, narrow", ratio_of_means, 1 / 3, narrow)
        skewed = lambda rng, n=n: list(rng.exponential(size=(2, n)))
        yield simulate(f"n = {n}, exponential", ratio_of_means, 1.0, skewed)


def times(rng: np.random.Generator, shape: tuple[int, ...], failing: float = 0.0) -> np.ndarray:
    """Log-normal times to success, of which a share never come."""
    found = np.exp(0.5 * rng.normal(size=shape))
    return np.where(rng.random(shape) < failing, NEVER, found)


def middle(failing: float) -> float:
    """The median of those times."""
    return float(np.exp(0.5 * stats.norm.ppf(0.5 / (1 - failing))))


def medians() -> Iterator[Case]:
    """Times to success of one cell."""
    for n in (5, 8, 9, 10, 15, 20, 25, 40):
        for failing in (0.0, 0.4):
            draw = lambda rng, n=n, failing=failing: times(rng, (1, n), failing)
            yield simulate(f"n = {n}, {failing:.0%} fail", lambda x: bootstrap(median, x), middle(failing), draw)


def median_ratios() -> Iterator[Case]:
    """Times to success of two cells."""
    for n in (5, 10, 25):
        for failing in (0.0, 0.4):
            draw = lambda rng, n=n, failing=failing: times(rng, (2, n), failing)
            yield simulate(f"n = {n}, {failing:.0%} fail", lambda x, y: bootstrap(median_ratio, x, y), 1.0, draw)


def exponents() -> Iterator[Case]:
    """The power law through the medians of several sizes."""
    for sizes, n in (((10, 20), 5), ((10, 20, 30, 40), 10), ((10, 15, 20, 25, 30), 15)):
        fit = lambda *cells, sizes=sizes: power_law_exponent(sizes, [median(cell) for cell in cells])
        draw = lambda rng, sizes=sizes, n=n: times(rng, (len(sizes), n)) * np.array(sizes)[:, None] ** 2
        yield simulate(f"{len(sizes)} sizes, n = {n}", lambda *cells, fit=fit: bootstrap(fit, *cells), 2.0, draw)


def pooled_gains() -> Iterator[Case]:
    """Rewound minus re-drawn success over full networks that differ in how learnable they are."""
    for nets in (5, 9, 12):
        for p, q in ((0.6, 0.4), (0.9, 0.35)):
            for alike in (5, 50):

                def draw(
                    rng: np.random.Generator, nets: int = nets, p: float = p, q: float = q, alike: int = alike
                ) -> Samples:
                    won = rng.binomial(12, rng.beta(p * alike, (1 - p) * alike, nets)) / 12
                    return [won - rng.binomial(24, rng.beta(q * alike, (1 - q) * alike, nets)) / 24]

                yield simulate(f"{nets} networks, p = {p} and {q}, Beta sum {alike}", mean, p - q, draw)


def pooled_times() -> Iterator[Case]:
    """Ratio of the median times of re-drawn and rewound runs, full networks resampled with all their runs."""
    for nets in (6, 9):

        def draw(rng: np.random.Generator, nets: int = nets) -> Samples:
            own = np.exp(0.5 * rng.normal(size=(2, nets, 1)))
            return (times(rng, (2, nets, 12)) * own).tolist()

        def estimate(slow: list[list[float]], quick: list[list[float]]) -> Estimate:
            together = lambda cells, chosen: median([t for i in chosen for t in cells[int(i)]])
            return bootstrap(lambda chosen: together(slow, chosen) / together(quick, chosen), range(len(slow)))

        yield simulate(f"{nets} networks of 12 runs", estimate, 1.0, draw)


def folds() -> Iterator[Case]:
    """Five-fold errors of a linear classifier on 60 and 200 rows, whose true error is known."""
    rng = np.random.default_rng(0)
    for rows in (60, 200):
        fold, truth, found = np.arange(rows) % 5, [], []
        for _ in range(STUDIES):
            y = rng.choice([-1.0, 1.0], rows)
            x = rng.normal(size=(rows, 5)) + 0.5 * y[:, None] * (np.arange(5) < 2)
            w = np.array([(x[fold != f] * y[fold != f, None]).mean(0) for f in range(5)])
            truth.append(stats.norm.cdf(-0.5 * (w[:, 0] + w[:, 1]) / np.linalg.norm(w, axis=1)).mean())
            found.append([float(np.mean(np.sign(x[fold == f] @ w[f]) != y[fold == f])) for f in range(5)])
        inside = [low <= np.mean(truth) <= high for _, low, high in (cross_validated(errors, 0.25) for errors in found)]
        yield Case(f"{rows} rows", float(np.mean(inside)))


KINDS = (
    Kind("proportion (`wilson`)", "Wilson, Poisson limit at 1 and 2", proportions),
    Kind("difference of proportions (`difference`)", "Newcombe, from the two above", differences),
    Kind("mean (`mean`)", "Student's t", means),
    Kind("mean of long-tailed values (not for claims: take medians)", "Student's t", long_tails),
    Kind("mean of accuracies or errors (`mean_share`)", "Student's t; Wilson where all are 0 or 1", shares),
    Kind("difference of means (`difference_of_means`)", "Welch's t", mean_differences),
    Kind("mean over tasks (`weighted_means`)", "Welch's t", weighted),
    Kind("ratio of means (`ratio_of_means`)", "Welch's t of the logarithm", mean_ratios),
    Kind("median (`bootstrap(median, …)`)", "percentile bootstrap, widened for n", medians),
    Kind("ratio of medians (`bootstrap(median_ratio, …)`)", "percentile bootstrap", median_ratios),
    Kind("exponent of medians", "percentile bootstrap", exponents),
    Kind("tickets: success over full networks (`mean`)", "Student's t over networks", pooled_gains),
    Kind("tickets: times over full networks", "bootstrap of networks, widened", pooled_times),
    Kind("cross-validated mean (`cross_validated`)", "Nadeau and Bengio's t", folds),
)


def passes(cases: Sequence[Case]) -> str:
    """What the coverage of a kind's cases amounts to."""
    average, worst = float(np.mean([c.coverage for c in cases])), min(c.coverage for c in cases)
    if average < 0.93 or worst < 0.9:
        return "too short"
    return "conservative" if average > 0.97 else "yes"


def measure(kinds: Sequence[Kind] = KINDS) -> str:
    """The table, in Markdown."""
    lines = ["| estimate | interval | contains the truth | worst case | 95%? |", "|---|---|---|---|---|"]
    for kind in kinds:
        cases = list(kind.cases())
        worst = min(cases, key=lambda case: case.coverage)
        average = float(np.mean([case.coverage for case in cases]))
        ends = f"{average:.1%} | {worst.coverage:.1%} ({worst.label})"
        lines.append(f"| {kind.name} | {kind.interval} | {ends} | {passes(cases)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", type=Path, metavar="PAGE", help="write the table into this page")
    page: Path | None = parser.parse_args().markdown
    statistics.RESAMPLES = RESAMPLES
    started = time.monotonic()
    table = measure()
    print(f"{table}\n\n{time.monotonic() - started:.0f} s")
    if page is not None:
        before, rest = page.read_text().split(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
