"""Covering numbers of attention heads (section 4.4, A.1.4 to A.1.6): logarithms of sizes of covers.

A *scaling form* is what the text states up to constants, and is returned with the constant 1. An *explicit* bound has
the constants of the proofs, 36 included, and is one that a brute-force cover can be held against (``brute``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from glassware.theory.variable_creation.allocation import allocate

LogCover: TypeAlias = Callable[[float], float]  # from an error to the logarithm of the size of a cover
Form: TypeAlias = Literal["corrected", "main text", "appendix"]


@dataclass(frozen=True)
class HeadNorms:
    """Bounds on the weights of a head: ||W_V||_{2,1}, ||W_V||_2 and ||W_QK^T||_{2,1}."""

    V21: float
    V: float
    QK21: float


def cover_linear(B1: float, B2: float, eps: float, N: int, printed: bool = False) -> float:
    """COV1 (A.10, after Zhang 2002): x -> v.x for ||v|| ≤ B1 on N points with ||x|| ≤ B2.

    Args:
        B1, B2, eps, N: as above.
        printed: section 4.2, which prints the bound of the logarithm as one of the number itself; here its logarithm,
            with the constant 36 of A.10 in the place of O.
    """
    ratio = B1 * B2 / eps
    bound = 36 * ratio**2 * _zhang(ratio, N)
    return math.log(bound) if printed else bound


def cover_matrix(B_W: float, B_X: float, d1: int, N: int, eps: float, printed: bool = False) -> float:
    """COV2 (Lemma 4.10): x -> Wx for ||W^T||_{2,1} ≤ B_W, W with d1 rows, on N points with ||x|| ≤ B_X.

    A cover of the lengths of the rows to eps_1, times one of matrices with rows of these lengths to eps_2, where
    eps = eps_2 + B_X eps_1 is split by Lemma A.8.

    Args:
        B_W, B_X, d1, N, eps: as above.
        printed: the last line of the proof, (B_X B_W / eps)^2 log(d1 N), which is 0 for a single point and row.
    """
    if printed:
        return (B_X * B_W / eps) ** 2 * math.log(d1 * N)
    eps_1, eps_2 = matrix_split(B_W, B_X, d1, N, eps)
    return (B_W / eps_1) ** 2 * math.log(2 * d1 + 1) + 36 * (B_W * B_X / eps_2) ** 2 * _zhang(B_W * B_X / eps_2, N)


def matrix_split(B_W: float, B_X: float, d1: int, N: int, eps: float) -> tuple[float, float]:
    """eps_1 and eps_2 of Lemma 4.10; the logarithm that depends on eps_2 is refreshed until it stays."""
    eps_2 = eps / 2
    for _ in range(8):
        sizes = matrix_sizes(B_W, B_X, d1, N, eps_2)
        eps_1, eps_2 = allocate(np.array(sizes), np.array([B_X, 1.0]), eps).shares
    return float(eps_1), float(eps_2)


def matrix_sizes(B_W: float, B_X: float, d1: int, N: int, eps_2: float) -> tuple[float, float]:
    """What stands above eps_1^2 and eps_2^2, the logarithm of the second at this eps_2."""
    return B_W**2 * math.log(2 * d1 + 1), 36 * (B_W * B_X) ** 2 * _zhang(B_W * B_X / eps_2, N)


def cover_head(
    score: LogCover, values: LogCover, eps: float, *, norm: float, out: float, inside: float, B_X: float
) -> float:
    """COV3 (Theorem 4.6): any attention head, from covers of its scores and of its values on all m T tokens.

    Args:
        score, values: logarithms of their covers at a given error.
        eps: error of the head.
        norm: C_Norm of the normaliser, 2 for softmax.
        out: Lipschitz constant of what follows the mixture.
        inside: longest value over longest token.
        B_X: longest token.
    """
    cost = lambda share: score(share * eps / (norm * out * inside * B_X)) + values((1 - share) * eps / out)
    return float(minimize_scalar(cost, bounds=(1e-4, 1 - 1e-4), method="bounded").fun)


def cover_tf_head(
    head: HeadNorms, *, d: int, m: int, T: int, eps: float, B_X: float = 1.0, lipschitz: float = 1.0,
    form: Form = "corrected",
) -> float:  # fmt: skip
    """COV4 (Corollary 4.9), the scaling form: a Transformer head on m sequences of T tokens.

    (L B_X)^2 (V21^(2/3) + (c QK21 V)^(2/3))^3 / eps^2 log(d m T). The main text has c = 1, its appendix c = B_X. A
    score has x_tau on its other side, as long as B_X, and softmax doubles: c = 2 B_X^2.
    """
    return cover_heads([head], d=d, m=m, T=T, eps=eps, B_X=B_X, lipschitz=lipschitz, form=form)


def cover_heads(
    heads: Sequence[HeadNorms], *, d: int, m: int, T: int, eps: float, B_X: float = 1.0, lipschitz: float = 1.0,
    form: Form | Literal["printed"] = "corrected",
) -> float:  # fmt: skip
    """COV6 (A.12), the scaling form: the sum of heads; equal ones cost the cube of their number.

    ``printed`` is A.12 as it stands, c = 2. A positional embedding that is fixed (COV5, A.11) makes tokens longer and
    nothing else: give B_X + B_P for B_X.
    """
    c = {"corrected": 2 * B_X**2, "main text": 1.0, "appendix": B_X, "printed": 2.0}[form]
    total = sum(head.V21 ** (2 / 3) + (c * head.QK21 * head.V) ** (2 / 3) for head in heads)
    return (lipschitz * B_X) ** 2 * total**3 / eps**2 * math.log(d * m * T)


def explicit_tf_head(
    head: HeadNorms, *, d: int, k: int, m: int, T: int, eps: float, B_X: float = 1.0, lipschitz: float = 1.0
) -> float:
    """COV4 with constants: Theorem 4.6 with the explicit Lemma 4.10 for z -> W_QK z and z -> W_V^T z."""
    return cover_head(
        lambda error: cover_matrix(head.QK21, B_X, d, m * T, error / B_X),
        lambda error: cover_matrix(head.V21, B_X, k, m * T, error),
        eps, norm=2.0, out=lipschitz, inside=head.V, B_X=B_X,
    )  # fmt: skip


def _zhang(ratio: float, N: int) -> float:
    return math.log(2 * math.ceil(4 * ratio + 2) * N + 1)
