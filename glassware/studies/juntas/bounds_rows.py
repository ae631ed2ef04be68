"""Rows of ``bounds`` about covers, samples and shattering. ``part`` says what a row is about:

tool        the largest left over right side of an inequality; normaliser: C_Norm; lipschitz: the same of a lemma
slope       how much attention stretches inputs at the steepest place we know, by the length of tokens (``x``)
increment   the step of a bound of a logarithm from T to 2T
exponent    the power with which a bound grows in 1/eps or in the number of heads, and what is stated
match       how far a formula is from the same quantity found numerically
brute       the logarithm of a packing, found by brute force, beside a bound of every cover (``wanted``)
built       the cover of Lemma 4.10 for 2 x 1 matrices: what it leaves uncovered, its size, the smallest and the bound
composed    smallest cover of a finite class of heads beside those of its scores and values (``wanted``)
rademacher  sup over selectors of the mean of signs times outputs, one row per set of inputs
shatter     the attention that selects, and the least margin, over all labelings
margin      the lowest digit's margin at a query norm (``x``, over T^2) beside its closed form
sine        labelings of one real parameter that come out right, of all
samples     the logarithm of the examples that the bounds ask for
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize_scalar

from glassware.studies.claim import Scale
from glassware.theory.variable_creation import shattering
from glassware.theory.variable_creation.allocation import allocate, allocate_numerically
from glassware.theory.variable_creation.covers import (
    HeadNorms,
    cover_heads,
    cover_matrix,
    explicit_tf_head,
    matrix_sizes,
    matrix_split,
)
from glassware.theory.variable_creation.deep import LayerNorms, cover_deep, explicit_deep, parts
from glassware.theory.variable_creation.generalisation import dudley, rademacher_bound
from glassware.theory.variable_creation.maurey import drawn_error, mean_square_error
from glassware.theory.variable_creation.sample_complexity import sample_report
from glassware.theory.variable_creation.sharpness import KINDS

Row = dict[str, object]

HEAD = HeadNorms(V21=1.3, V=0.9, QK21=1.7)
# Two layers that are far from equal: equal ones hide in which order errors grow.
LAYERS = (LayerNorms(0.5, 0.7, 0.3, 0.9, 1.1, 0.6), LayerNorms(2.0, 3.0, 1.5, 2.5, 3.3, 2.0))
D, M = 5, 8  # dimensions and sequences
DOUBLINGS = range(4, 22)
EXAMPLES, RADEMACHER = 32, (8, 128, 2048)
SHARES = (0.0201, 0.0225, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05)  # of T^2
EXPONENTS = (8, 12, 16, 24, 32, 40, 500, 1000)  # log2 T of the reports on samples
FIXED = 5.0  # the query norm that does not grow


def cover_rows() -> Iterator[Row]:
    """How bounds grow with T, 1/eps and the number of heads."""
    head = lambda T, eps, count=1: cover_heads([HEAD] * count, d=D, m=M, T=T, eps=eps)
    layers = lambda T, eps: cover_deep(LAYERS, 1.7, d=D, k=4, m=M, T=T, eps=eps)
    forms = {
        "scaling": lambda T: head(T, 0.1),
        "explicit head": lambda T: explicit_tf_head(HEAD, d=D, k=D, m=M, T=T, eps=0.1),
        "explicit matrix": lambda T: cover_matrix(1.3, 1.0, D, M * T, 0.1),
        "explicit layers": lambda T: explicit_deep(LAYERS, 1.7, d=D, k=4, m=M, T=T, eps=0.1),
    }
    step = head(1, 0.1) * math.log(2) / math.log(D * M)
    for form, bound in forms.items():
        for power, (one, double) in enumerate(pairwise(bound(2**power) for power in DOUBLINGS), DOUBLINGS[0]):
            yield {"part": "increment", "form": form, "x": float(power), "value": double - one,
                   "wanted": step if form == "scaling" else None}  # fmt: skip
    tenth = math.log(10)
    powers = {
        "1/eps, head": (head(64, 0.01) / head(64, 0.1), 2.0),
        "1/eps, layers": (layers(64, 0.01) / layers(64, 0.1), 2.0),
        "heads": (head(64, 0.1, 10) / head(64, 0.1), 3.0),
    }
    for name, (ratio, wanted) in powers.items():
        yield {"part": "exponent", "name": name, "value": math.log(ratio) / tenth, "wanted": wanted}


def match_rows() -> Iterator[Row]:
    """Formulas against searches, quadratures and draws."""
    gap = lambda name, value: {"part": "match", "name": name, "gap": abs(float(value))}
    rng = np.random.default_rng(0)
    for n in (2, 5, 9):
        sizes, costs = rng.uniform(0.1, 5, (2, n))
        yield gap("A.8", allocate(sizes, costs, 0.7).value / allocate_numerically(sizes, costs, 0.7, np.zeros(n)) - 1)
    for B_X, N in ((1.0, 10), (3.0, 1000)):
        yield gap("split of 4.10", _split_gap(1.3, B_X, 4, N, 0.2))
    yield gap("A.17", deep_gap(printed=False))
    for v in (np.array([0.2, 0.5, 0.1]), np.array([0.9, 0.0, 0.05, 0.02])):
        yield gap("Maurey", drawn_error(v, 1.0, 7, 500_000, rng) / mean_square_error(v, 1.0, 7) - 1)
    for C in (0.001, 0.1, 3.0, 50.0, 99.0, 150.0):
        yield gap("A.3", dudley(C, 100, 1.0) / rademacher_bound(C, 100, 1.0) - 1)


def rademacher_rows(scale: Scale) -> Iterator[Row]:
    """Selectors at query norm T^2 on sequences of random bits, one row per set of inputs."""
    rng, inputs = np.random.default_rng(1), 20 if scale != "paper" else 100
    for T in RADEMACHER[: 2 if scale == "smoke" else None]:
        for value in shattering.rademacher_draws(T, EXAMPLES, rng, inputs, 20).mean(axis=1):
            yield {"part": "rademacher", "T": T, "value": float(value), "wanted": shattering.massart(T, EXAMPLES)}


def shatter_rows(scale: Scale) -> Iterator[Row]:
    """Proposition 4.8: all labelings at norm T^2; margins at smaller norms; and the sine."""
    contexts = {"smoke": (2, 4, 16, 77, 256), "laptop": (2, 4, 16, 77, 100, 256, 1000, 1024)}
    for T in contexts.get(scale, (2, 4, 16, 77, 100, 256, 1000, 1024, 2**14)):
        for form, sigma in (("identity", lambda x: x), ("tanh", np.tanh)):
            yield {"part": "shatter", "name": "margin", "form": form, "T": T,
                   "value": float(shattering.margins(T, T**2, sigma).min())}  # fmt: skip
        yield {"part": "shatter", "name": "attention", "T": T, "value": float(shattering.attention(T, T**2)[0])}
    for T in (256, 1024):
        for share in SHARES:
            value, closed = float(shattering.margins(T, share * T**2)[0]), shattering.lowest_margin(T, share * T**2)
            yield {"part": "margin", "T": T, "x": share, "value": value, "wanted": closed}
    wanted, sines = shattering.sine_labels(10)
    right = ((sines < 0) == wanted) & (sines != 0)
    yield {"part": "sine", "value": float(right.all(axis=1).mean())}


def sample_rows(s: int = 3) -> Iterator[Row]:
    """Examples that the bounds ask for, with the norms of each construction and with norms held fixed."""
    for kind in KINDS:
        for power in EXPONENTS:
            for form, R in (("norms of the construction", None), ("norms held fixed", FIXED)):
                yield {"part": "samples", "kind": kind, "form": form, "x": float(power),
                       "value": sample_report(kind, s, power, R=R).log_m}  # fmt: skip


def deep_gap(printed: bool) -> float:
    """A.17 over the least size that a search finds for the budget of its proof, on unequal layers, minus 1."""
    found = parts(LAYERS, 1.7, d=D, k=4, B_X=2.0, lipschitz=1.3)
    sizes, costs = np.array([(one.norm * one.longest) ** 2 for one in found]), np.array([one.cost for one in found])
    searched = allocate_numerically(sizes, costs, 0.3, np.zeros(len(found))) * math.log(D * M * 64)
    bound = cover_deep(LAYERS, 1.7, d=D, k=4, m=M, T=64, eps=0.3, B_X=2.0, lipschitz=1.3, printed=printed)
    return abs(bound / searched - 1)


def _split_gap(B_W: float, B_X: float, d1: int, N: int, eps: float) -> float:
    """Lemma A.8 against a search over eps_1, both with the logarithm at the eps_2 where the refreshing ends."""
    eps_1, eps_2 = matrix_split(B_W, B_X, d1, N, eps)
    lengths, rows = matrix_sizes(B_W, B_X, d1, N, eps_2)
    cost = lambda share: lengths / (share * eps / B_X) ** 2 + rows / ((1 - share) * eps) ** 2
    searched = minimize_scalar(cost, bounds=(1e-6, 1 - 1e-6), method="bounded", options={"xatol": 1e-12}).fun
    return float((lengths / eps_1**2 + rows / eps_2**2) / searched - 1)
