"""Attention heads that select s of T tokens (Lemmas A.19 to A.21), as weights.

    one head       X_t = E_{b_t} + v_t          mean of chi_i over the relevant i (chi = +1 for a 0, -1 for a 1)
    s heads        the same                     all chi_i, one per head
    trained        positions are v_1 or 0       as one head
    trained heads  positions are e_1 .. e_s, 0  as s heads
    bag            X_t = b_t v_t                (r - s) / (r + 1), r the number of relevant ones
    bag vector     the same                     (b_i - 1) / (r + 1) for each relevant i

[CLS] is one more row and asks the question. In the proofs keys are sums of v_i. If these are not quite orthogonal,
scores on the relevant tokens differ by up to 2 R s Delta and attention is not uniform; sums of dual vectors make them
equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassware.foundation.arrays import Float, Integer
from glassware.theory.variable_creation.bases import Basis, one_hot_basis
from glassware.theory.variable_creation.norms import pq_norm, softmax
from glassware.theory.variable_creation.sharpness import Kind, accuracy, sharpness, step


@dataclass(frozen=True, eq=False)
class Head:
    """Weights: softmax(x_CLS^T W_Q W_K^T X^T) X W_V W_C."""

    W_Q: Float[np.ndarray, "d k"]
    W_K: Float[np.ndarray, "d k"]
    W_V: Float[np.ndarray, "d k"]
    W_C: Float[np.ndarray, "k d"]


@dataclass(frozen=True, eq=False)
class Inputs:
    """From a string of bits to the rows that heads see: token + position, or bit times position (``bag``)."""

    positions: Float[np.ndarray, "T d"]
    tokens: Float[np.ndarray, "M d"]
    cls: Float[np.ndarray, " d"]
    bag: bool = False

    def rows(self, bits: Integer[np.ndarray, "n T"]) -> Float[np.ndarray, "n rows d"]:
        """All rows, [CLS] last."""
        each = bits[..., None] * self.positions if self.bag else self.tokens[bits] + self.positions
        last = np.broadcast_to(self.cls, (*bits.shape[:-1], 1, len(self.cls)))
        return np.concatenate([each, last], axis=-2)

    def products(
        self, bits: Float[np.ndarray, "n T"], matrix: Float[np.ndarray, "d j"]
    ) -> Float[np.ndarray, "n rows j"]:
        """The rows times a matrix without making the rows, which for 500 tokens have 500 dimensions each."""
        by_position = self.positions @ matrix
        each = bits[..., None] * by_position if self.bag else (self.tokens @ matrix)[bits.astype(int)] + by_position
        last = np.broadcast_to(self.cls @ matrix, (*bits.shape[:-1], 1, matrix.shape[1]))
        return np.concatenate([each, last], axis=-2)


@dataclass(frozen=True, eq=False)
class Selection:
    """Heads with their inputs, and what they approximate: the function g of the relevant bits."""

    kind: Kind
    inputs: Inputs
    heads: tuple[Head, ...]
    relevant: tuple[int, ...]
    R: float

    @property
    def outputs(self) -> int:
        """Dimension of g."""
        return 1 if self.kind in ("one head", "trained", "bag") else len(self.relevant)

    def attention(self, bits: Float[np.ndarray, "n T"], head: int = 0) -> Float[np.ndarray, "n rows"]:
        """Weights of one head, [CLS] last."""
        one = self.heads[head]
        return softmax(self.inputs.products(bits, one.W_K @ (one.W_Q.T @ self.inputs.cls)[:, None])[..., 0])

    def __call__(self, bits: Float[np.ndarray, "n T"]) -> Float[np.ndarray, "n outputs"]:
        """The first coordinates of the sum of the heads; a bag takes any numbers for bits."""
        total = np.zeros((len(bits), self.outputs))
        for i, head in enumerate(self.heads):
            values = self.inputs.products(bits, head.W_V @ head.W_C[:, : self.outputs])
            total += np.einsum("nt,nto->no", self.attention(bits, i), values)
        return total

    def target(self, bits: Integer[np.ndarray, "n T"]) -> Float[np.ndarray, "n outputs"]:
        """g at these bits."""
        return target(self.kind, bits[:, list(self.relevant)])

    def norms(self) -> dict[str, float]:
        """The largest Frobenius norm of each weight over the heads, and ||P^T||_{2,1} if positions are trained."""
        found = {name: max(float(np.linalg.norm(getattr(head, name))) for head in self.heads)
                 for name in ("W_Q", "W_K", "W_V", "W_C")}  # fmt: skip
        trained = self.kind.startswith("trained")
        return found | ({"P": pq_norm(self.inputs.positions.T, 2, 1)} if trained else {})


def target(kind: Kind, bits: Integer[np.ndarray, "n s"]) -> Float[np.ndarray, "n outputs"]:
    """g as a function of the relevant bits."""
    chi, count = 1.0 - 2.0 * bits, bits.sum(axis=1, keepdims=True)
    if kind in ("one head", "trained"):
        return chi.mean(axis=1, keepdims=True)
    if kind in ("s heads", "trained heads"):
        return chi
    return ((bits - 1.0) if kind == "bag vector" else count - float(bits.shape[1])) / (count + 1)


def select(
    kind: Kind,
    T: int,
    relevant: Sequence[int],
    basis: Basis | None = None,
    *,
    R: float | None = None,
    dual: bool = True,
    printed: bool = False,
) -> Selection:
    """The construction of this kind.

    Args:
        kind: see above.
        T: tokens.
        relevant: places of the relevant ones, from 0.
        basis: of the positions; unit vectors unless given. Trained positions need none.
        R: sharpness; that of the lemma unless given.
        dual: keys and values from dual vectors; the text has the v_i themselves.
        printed: for s heads, values at index 2 and outputs from index 1, as the proof of A.19 has it.

    >>> heads = select("s heads", 50, (3, 30, 40))
    >>> bits = np.zeros((1, 50), int)
    >>> bits[0, 30] = 1
    >>> heads(bits).round(1)  # within 1/4 of 1, -1, 1
    array([[ 1. , -0.8,  1. ]])
    """
    s, chosen = len(relevant), tuple(relevant)
    if not s or len(set(chosen)) < s or not all(0 <= i < T for i in chosen):
        raise ValueError(f"relevant tokens must be different places from 0 to {T - 1}")
    if kind.startswith("trained"):
        return _trained(kind, T, chosen, sharpness(kind, T, s) if R is None else R)
    basis = basis or one_hot_basis(T)
    R = sharpness(kind, T, s, basis.coherence(chosen)) if R is None else R
    keys = basis.duals(chosen) if dual else basis.v[list(chosen)]
    if kind.startswith("bag"):
        inputs = Inputs(basis.v, basis.tokens, basis.cls, bag=True)
        value = keys.T - basis.cls[:, None]
        mixed = _out(s, basis, range(s)) if kind == "bag vector" else _out(s, basis, [0] * s)
        head = Head(*_query_key(R, basis, keys.sum(axis=0) + basis.cls, s), value, mixed)
        return Selection(kind, inputs, (head,), chosen, R)
    inputs, value = Inputs(basis.v, basis.tokens, basis.cls), basis.tokens[0] - basis.tokens[1]
    if kind == "one head":
        heads = [Head(*_query_key(R, basis, keys.sum(axis=0), s), *_value_out(value, s, 0, 0, 0))]
    else:
        # One token per head: its own vector will do, and needs Delta < 1/2 only.
        heads = [Head(*_query_key(R, basis, basis.v[i], s), *_value_out(value, s, int(printed), 0, h))
                 for h, i in enumerate(chosen)]  # fmt: skip
    return Selection(kind, inputs, tuple(heads), chosen, R)


def separation(kind: Kind, s: int) -> float:
    """delta of the lookup that follows: within it of a value of g the output is that of the value (see ``lookup``)."""
    return step(kind, s) / 4


def head_limit(kind: Kind, s: int) -> float:
    """gamma / 4: how far the head may be from g."""
    return accuracy(kind, s) / 4


def _trained(kind: Kind, T: int, relevant: tuple[int, ...], R: float) -> Selection:
    """Positions choose: v_1, or a vector per relevant token; tokens and [CLS] on the last coordinates."""
    s = len(relevant)
    several = kind == "trained heads"
    eye = np.eye((s if several else 1) + 3)
    positions = np.zeros((T, len(eye)))
    positions[list(relevant)] = eye[:s] if several else eye[0]
    inputs = Inputs(positions, eye[-3:-1], eye[-1])
    basis = Basis(positions, eye[-3:-1], eye[-1])
    value = eye[-3] - eye[-2]
    heads = [Head(*_query_key(R, basis, eye[h], s), *_value_out(value, s, 0, 0, h)) for h in range(s if several else 1)]
    return Selection(kind, inputs, tuple(heads), relevant, R)


def _query_key(
    R: float, basis: Basis, key: Float[np.ndarray, " d"], k: int
) -> tuple[Float[np.ndarray, "d k"], Float[np.ndarray, "d k"]]:
    first = np.eye(k)[0]
    return np.outer(R * basis.cls, first), np.outer(key, first)


def _value_out(
    value: Float[np.ndarray, " d"], k: int, write: int, read: int, out: int
) -> tuple[Float[np.ndarray, "d k"], Float[np.ndarray, "k d"]]:
    """W_V writes the value at one index of k, W_C reads one and puts it out at one of d."""
    return np.outer(value, np.eye(k)[write]), np.outer(np.eye(k)[read], np.eye(len(value))[out])


def _out(s: int, basis: Basis, places: Sequence[int] | range) -> Float[np.ndarray, "k d"]:
    found = np.zeros((s, len(basis.cls)))
    found[np.arange(s), list(places)] = 1.0
    return found
