"""How large the query must be: R, and what an attention of that sharpness does, in closed form for Delta = 0.

Scores are R at the chosen tokens and 0 at the others, of T tokens and [CLS]; Z is the sum of their exponentials.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["one head", "s heads", "trained", "trained heads", "bag", "bag vector"]
KINDS: tuple[Kind, ...] = ("one head", "s heads", "trained", "trained heads", "bag", "bag vector")


def step(kind: Kind, s: int) -> float:
    """How far values of g at different relevant bits are apart at least, in the sup norm."""
    return {"one head": 2 / s, "trained": 2 / s, "s heads": 2.0, "trained heads": 2.0}.get(kind, 1 / s)


def accuracy(kind: Kind, s: int) -> float:
    """gamma: the head must come within gamma / 4 of g; at most 1, as the lemmas ask."""
    return min(1.0, step(kind, s))


def sharpness(kind: Kind, T: int, s: int, delta: float = 0.0, printed: bool = False, dual: bool = False) -> float:
    """R of the lemmas.

    Args:
        kind: which construction.
        T: tokens.
        s: relevant ones.
        delta: Delta, the largest product of a relevant v_i and another one.
        printed: scores of other tokens are off by R s Delta on both sides, and the text counts one: 1 - s Delta in the
            place of 1 - 2 s Delta. For bags of vectors it also takes s Delta from gamma.
        dual: the smaller R that suffices for the sum of dual vectors as a key; for one head.
    """
    gamma, bag = accuracy(kind, s), kind.startswith("bag")
    chosen = s if kind in ("one head", "bag", "bag vector") else 1
    if printed:
        top = 8 * T * s * (1 + delta) / (gamma - s * delta) if bag else 8 * T / gamma
        return math.log(top) / (1 - s * delta)
    if dual:
        return math.log(8 * T / gamma) * (1 - (s - 1) * delta) / (1 - (2 * s - 1) * delta)
    return math.log(8 * T * (s if bag else 1) / gamma) / (1 - 2 * chosen * delta)


def total(T: int, chosen: int, R: float) -> float:
    """Z: ``chosen`` of T + 1 scores are R."""
    return chosen * math.exp(R) + T + 1 - chosen


def truncation(T: int, chosen: int, R: float, printed: bool = False) -> float:
    """A.24: how far softmax is from uniform on the chosen tokens, in the 1-norm: 2 (T + 1 - chosen) / Z, [CLS] counted.

    ``printed`` is the text's bound 2 (T - s) / (s e^R), for T tokens without [CLS].
    """
    return 2 * (T - chosen) / (chosen * math.exp(R)) if printed else 2 * (T + 1 - chosen) / total(T, chosen, R)


def worst_error(kind: Kind, T: int, s: int, R: float) -> float:
    """How far the head is from g at the worst string of bits, in the sup norm."""
    e = math.exp(R)
    if kind in ("one head", "trained"):
        return (2 * (T - s) + 1) / total(T, s, R)
    if kind in ("s heads", "trained heads"):
        return (2 * T - 1) / (e + T)
    return (s if kind == "bag" else 1) * T / (e + T)


def flip_effect(T: int, s: int, R: float) -> float:
    """How much one relevant bit moves the output of one head, 2 e^R / Z: for fixed R like 1 / T (Hahn 2020)."""
    return 2 * math.exp(R) / total(T, s, R)


def stated_norms(kind: Kind, T: int, s: int, delta: float = 0.0) -> dict[str, float]:
    """Bounds of the lemmas on Frobenius norms of each head's weights, and on ||P^T||_{2,1} where P is trained."""
    found = {"W_Q": sharpness(kind, T, s, delta, printed=True), "W_K": 1.0, "W_V": 2.0, "W_C": 1.0}
    if kind == "one head":
        found |= {"W_K": float(s)}
    if kind.startswith("bag"):
        found |= {"W_K": s + 1.0, "W_V": 2.0 * s, "W_C": float(s)}
    return found | ({"P": float(s)} if kind.startswith("trained") else {})


def exact_norms(kind: Kind, T: int, s: int) -> dict[str, float]:
    """What these norms are at Delta = 0."""
    found = {"W_Q": sharpness(kind, T, s), "W_K": 1.0, "W_V": math.sqrt(2), "W_C": 1.0}
    if kind == "one head":
        found |= {"W_K": math.sqrt(s)}
    if kind.startswith("bag"):
        found |= {"W_K": math.sqrt(s + 1), "W_V": math.sqrt(2 * s), "W_C": math.sqrt(s)}
    return found | ({"P": float(s)} if kind.startswith("trained") else {})
