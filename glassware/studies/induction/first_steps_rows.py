"""Rows of ``first_steps``. ``part`` says what a row is about:

first        W and v after one step, exact and from draws of chains
diagonal     G_j, the second step's gradient of v that the diagonal of W causes, exact and from draws
second       v after two steps
leader       the largest coordinate of v after one step and after two
curriculum   W and v after the two steps of Proposition 8.5
network      how far the network of Proposition 8.2 is from counting
readout      its loss with a fitted readout, over the level of the unigram strategy
bayes        how far the bigram strategy is from Bayes' rule
formula      how far a formula is from what it states, corrected and as printed
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.studies.claim import Scale
from glassware.theory.markov.chains import equal, flat, sample, stationary
from glassware.theory.markov.construction import fit_readout, frequencies, induction_transformer
from glassware.theory.markov.curriculum import curriculum, limit_w
from glassware.theory.markov.first_steps import (
    diagonal_growth,
    grad_v_diag,
    grad_v_init,
    grad_w_init,
    two_step,
)
from glassware.theory.markov.levels import level
from glassware.theory.markov.signal import expected_signal
from glassware.theory.markov.special import equal_growth_v, equal_signal
from glassware.theory.markov.strategies import bayes_exact, kl, ngram

Row = dict[str, object]

T, C, ETA = 100, 0.02, 0.03  # of Figures E.1 and E.2
DRAWS = 10_000
# (t, eta) and the coordinate of v that is largest after two steps.
LEADERS = {
    (10, 0.03): 1, (20, 0.03): 1, (49, 0.03): 1, (50, 0.03): 2, (100, 0.03): 2, (200, 0.03): 2,
    (100, 0.003): 1, (150, 0.003): 2, (20, 0.3): 1, (30, 0.3): 2,
}  # fmt: skip
SPREADS = (0.1, 0.2, 0.3)
SHARPNESS = (1, 10, 20, 30, 50, 100, 200)
CONTEXTS = (2, 5, 10, 20, 50, 100)


def step_rows() -> Iterator[Row]:
    """Both steps at the constants of the figures, and the same from draws of chains, with standard errors."""
    exact, chains = two_step(T, C, ETA), sample(DRAWS, np.random.default_rng(0))
    yield from _vector("first", "v", exact.first.v)
    yield from _vector("first", "W", exact.first.W.ravel())
    yield from _vector("diagonal", "G", exact.diagonal)
    yield from _vector("second", "v", exact.v)
    yield from _drawn("first", "v", C + ETA * grad_v_init(chains, T, C))
    yield from _drawn("first", "W", C + ETA * grad_w_init(chains, T, C).reshape(DRAWS, 4))
    yield from _drawn("diagonal", "G", grad_v_diag(chains, T))


def leader_rows(scale: Scale) -> Iterator[Row]:
    """The largest coordinate of v after one step and after two."""
    more = ((5, ETA), (300, ETA), (400, ETA)) if scale == "paper" else ((5, ETA), (300, ETA))
    for t, eta in (*LEADERS, *more):
        if scale == "smoke" and t > T:
            continue
        found = two_step(t, C, eta)
        yield {"part": "leader", "name": "two steps", "t": t, "eta": eta, "value": float(found.leader)}
        # The largest step from one coordinate to the next: below 0 where v falls throughout.
        rise = float(np.diff(found.first.v).max())
        yield {"part": "leader", "name": "one step", "t": t, "eta": eta, "value": rise}


def curriculum_rows(scale: Scale) -> Iterator[Row]:
    """W and v after the two steps of the curriculum."""
    t = 40 if scale == "smoke" else 400
    for spread in SPREADS:
        found = curriculum(t, spread)
        W, v = found.second.W, found.second.v
        off = float(np.abs(W - np.diag(np.diag(W))).max())
        values = {"diagonal": W[0, 0], "off": off, "leader": found.leader, **{f"v_{j}": v[j - 1] for j in range(1, 7)}}
        for name, value in values.items():
            yield {"part": "curriculum", "name": name, "t": t, "spread": spread, "value": float(value)}


def network_rows(scale: Scale) -> Iterator[Row]:
    """The network of Proposition 8.2 beside counting, and its loss with a fitted readout."""
    rng = np.random.default_rng(1)
    for k, t in ((2, 100), (3, 100)) if scale == "smoke" else ((2, 100), (3, 100), (8, 200)):
        tokens, truth = drawn_chains(k, t, 2000, rng)
        share = frequencies(tokens, k)
        few = slice(0, 100)
        for c in SHARPNESS if k == 2 else SHARPNESS[-1:]:
            out = induction_transformer(k, t, c).logits(tokens[few])[:, -1]
            yield {"part": "network", "k": k, "t": t, "c": c, "value": float(np.abs(out - share[few]).max())}
        unigram = level(truth, ngram(tokens, k, 1)).mean
        yield {"part": "readout", "k": k, "t": t, "value": fit_readout(share, truth)[1] / unigram}


def bayes_rows() -> Iterator[Row]:
    """KL(Bayes || bigram) by context, and the largest difference of the two where x_1 says nothing about the chain."""
    tokens, _ = drawn_chains(2, CONTEXTS[-1], 1000, np.random.default_rng(2))
    for t in CONTEXTS:
        seen = tokens[:, :t]
        value = float(np.mean(kl(bayes_exact(seen), ngram(seen, 2))))
        yield {"part": "bayes", "name": "stationary", "t": t, "value": value}
        few = seen[:100]
        value = float(np.abs(bayes_exact(few, start="uniform") - ngram(few, 2)).max())
        yield {"part": "bayes", "name": "uniform", "t": t, "value": value}


def formula_rows() -> Iterator[Row]:
    """Largest distance of a formula, corrected and as printed, from the same quantity found in another way."""
    chains, spread = flat(120), 0.2
    diagonal = np.trace(expected_signal(chains, T), axis1=1, axis2=2)
    even = equal_signal(T).sum(axis=(1, 2))
    law = equal(spread=spread)
    growth = float(law.mean((0.5 - law.leave[:, 0]) / (8 * law.leave[:, 0])))
    second = (7 - 10 * math.log(2)) / 2 + (8 * math.log(2) - 5) / 6
    for form in ("corrected", "printed"):
        printed = form == "printed"
        gaps = {
            "E.37, E.38": chains.mean(grad_v_diag(chains, T, printed=printed)) - diagonal,
            "E.43": diagonal_growth(2, printed=printed) - second,
            "E.45": equal_growth_v(T, printed=printed) - even,
            "E.53": limit_w(spread, printed=printed) - growth,
        }
        for name, gap in gaps.items():
            yield {"part": "formula", "name": name, "form": form, "gap": float(np.abs(gap).max())}


def drawn_chains(
    k: int, t: int, count: int, rng: np.random.Generator
) -> tuple[Integer[np.ndarray, "count t"], Float[np.ndarray, "count k"]]:
    """Sequences of chains with flat Dirichlet rows and stationary starts, and the law of what follows each."""
    matrix = rng.dirichlet(np.ones(k), size=(count, k))
    u, every = rng.random((count, t)), np.arange(count)
    pick = lambda law, at: np.minimum((at[:, None] >= np.cumsum(law, axis=1)).sum(axis=1), k - 1)
    tokens = np.empty((count, t), int)
    tokens[:, 0] = pick(stationary(matrix), u[:, 0])
    for p in range(1, t):
        tokens[:, p] = pick(matrix[every, tokens[:, p - 1]], u[:, p])
    return tokens, matrix[every, tokens[:, -1]]


def _vector(part: str, name: str, values: Float[np.ndarray, " n"]) -> Iterator[Row]:
    for j, value in enumerate(values, 1):
        yield {"part": part, "name": name, "form": "exact", "j": j, "t": T, "eta": ETA, "value": float(value)}


def _drawn(part: str, name: str, values: Float[np.ndarray, "draws n"]) -> Iterator[Row]:
    errors = values.std(axis=0, ddof=1) / math.sqrt(len(values))
    for j, (value, error) in enumerate(zip(values.mean(axis=0), errors, strict=True), 1):
        yield {"part": part, "name": name, "form": "drawn", "j": j, "t": T, "eta": ETA, "value": float(value),
               "error": float(error)}  # fmt: skip
