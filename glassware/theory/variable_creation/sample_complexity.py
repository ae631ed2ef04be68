"""From constructions to samples: how many examples the bounds ask for, and how that grows with T.

The norms of a construction go into the bound of Corollary 4.9, that into Lemma A.5, and this is solved for m. The
numbers themselves are vacuous, for constants 36 and 12 enter squared. Their growth says two things. With norms held
fixed, m grows like log T, up to log log. But the query of a construction has norm R = log(8T/gamma), which enters the
bound squared: what is proved for sparse functions is a power of log T up to 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from glassware.theory.variable_creation.covers import HeadNorms, cover_heads
from glassware.theory.variable_creation.generalisation import samples_needed
from glassware.theory.variable_creation.sharpness import Kind, sharpness


@dataclass(frozen=True)
class SampleReport:
    """What the bounds ask for.

    Attributes:
        kind: the construction.
        heads: norms of its heads.
        B_X: longest token.
        d: dimension of the tokens.
        log_m: logarithm of the examples needed for an error of ``eps``.
        eps: the error.
    """

    kind: Kind
    heads: tuple[HeadNorms, ...]
    B_X: float
    d: float
    log_m: float
    eps: float


def head_norms(kind: Kind, s: int, R: float) -> tuple[HeadNorms, ...]:
    """Norms of the constructions at Delta = 0: ||W_V W_C||_{2,1}, ||W_V W_C||_2 and ||W_QK^T||_{2,1}.

    W_QK^T is R times key times v_CLS^T and has one column that is not 0.
    """
    root = math.sqrt(2)
    if kind in ("one head", "trained"):
        key = math.sqrt(s) if kind == "one head" else 1.0
        return (HeadNorms(root, root, R * key),)
    if kind in ("s heads", "trained heads"):
        return (HeadNorms(root, root, R),) * s
    if kind == "bag":  # the value is v_I - s v_CLS
        size = math.sqrt(s + s**2)
        return (HeadNorms(size, size, R * math.sqrt(s + 1)),)
    # Values v_i - v_CLS: each of length sqrt(2), together of spectral norm sqrt(1 + s).
    return (HeadNorms(s * root, math.sqrt(1 + s), R * math.sqrt(s + 1)),)


def sample_report(kind: Kind, s: int, log2_T: float, eps: float = 0.1, R: float | None = None) -> SampleReport:
    """Examples needed for a construction at T = 2^log2_T, which may be larger than any float of T could count.

    Args:
        kind: the construction.
        s: relevant tokens.
        log2_T: logarithm of T to base 2.
        eps: error.
        R: sharpness; that of the construction unless given, in which case norms do not grow with T.
    """
    T = 2.0**log2_T
    heads = head_norms(kind, s, sharpness(kind, int(T), s) if R is None else R)
    longest = math.sqrt(2) if not kind.startswith("bag") else 1.0
    A = float(s) if kind == "bag" else 1.0  # largest output
    d = {"trained": 4.0, "trained heads": s + 3.0}.get(kind, T + 3)

    def capacity(m: float) -> float:
        # cover_heads counts tokens of all m sequences and needs their logarithm only.
        return cover_heads(heads, d=int(d), m=int(m), T=int(T), eps=1.0, B_X=longest)

    return SampleReport(kind, heads, longest, d, math.log(samples_needed(capacity, A, eps)), eps)


def local_exponents(logs: Sequence[float], log2_T: Sequence[float]) -> list[float]:
    """d log m / d log log T between neighbouring T."""
    return [
        (later - earlier) / math.log(b / a)
        for earlier, later, a, b in zip(logs, logs[1:], log2_T, log2_T[1:], strict=False)
    ]
