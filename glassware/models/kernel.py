"""Kernel ridge regression: what a network that never leaves its first features could do."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Float
from glassware.foundation.bounds import Positive
from glassware.models.solved import Blocks, Predictor, Solved
from glassware.tasks.task import Task

LARGEST_SAMPLE = 30_000  # the Gram matrix of this many examples takes 7 GB in float64


class KernelRidge(Solved):
    """f(x) = sum_i a_i k(x, x_i) with a = (K + ridge I)^-1 y. It is solved, not trained: no steps, no initial weights.

    Attributes:
        kernel: ``rbf``: exp(-gamma |x - x'|^2). ``ntk``: the tangent kernel of an infinitely wide two-layer ReLU
            network with Gaussian weights. ``poly``: (1 + <x, x'> / n)^degree, all monomials up to the degree.
        gamma: inverse squared length of the ``rbf`` kernel; 1/n unless given.
        degree: of the ``poly`` kernel.
        bias: whether a constant input 1 is appended (``ntk`` only: it changes no distance). Without it the ReLU tangent
            kernel holds no odd function but the linear ones, so it cannot express a parity of odd k >= 3 at all.
        unit: whether inputs are divided by sqrt(n) before (``ntk`` with ``bias`` only): of signs, the constant then
            weighs as much as all of them together.
        ridge: added to the diagonal of the Gram matrix. Small: the sample is interpolated.

    >>> import glassware as gw
    >>> row = gw.train(gw.Run(task=gw.Parity(n=10, k=2), m=200, model=gw.KernelRidge(kernel="rbf")))
    >>> row["test_error"] < 0.1
    True
    """

    name: Literal["kernel-ridge"] = "kernel-ridge"
    kernel: Literal["rbf", "ntk", "poly"]
    gamma: Positive | None = None
    degree: Annotated[int, Field(ge=1, le=64)] | None = None
    bias: bool = False
    unit: bool = False
    ridge: Positive = 1e-6

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.kernel != "rbf" and self.gamma is not None:
            raise ValueError(f"gamma belongs to the kernel 'rbf', not '{self.kernel}'")
        if self.kernel != "ntk" and self.bias:
            raise ValueError(f"bias belongs to the kernel 'ntk': a constant input changes nothing for '{self.kernel}'")
        if self.unit and not self.bias:
            raise ValueError("unit belongs to a kernel with bias: without one the scale of the inputs does not matter")
        if (self.kernel == "poly") != (self.degree is not None):
            raise ValueError("the kernel 'poly' needs a degree, and no other has one")
        return self

    def columns(self, role: str) -> dict[str, object]:
        return {**super().columns(role), "kernel": self.label}

    @property
    def label(self) -> str:
        """Short name for tables and charts."""
        if self.degree is not None:
            return f"{self.kernel} of degree {self.degree}"
        return f"{self.kernel} with bias" if self.bias else self.kernel

    def gram(
        self, a: Float[np.ndarray, "rows n"], b: Float[np.ndarray, "columns n"]
    ) -> Float[np.ndarray, "rows columns"]:
        """k(a_i, b_j)."""
        if self.kernel == "rbf":
            return rbf(a, b, 1.0 / a.shape[1] if self.gamma is None else self.gamma)
        if self.degree is not None:
            return (1.0 + a @ b.T / a.shape[1]) ** self.degree
        if self.unit:
            a, b = a / math.sqrt(a.shape[1]), b / math.sqrt(b.shape[1])
        return relu_ntk(_with_constant(a), _with_constant(b)) if self.bias else relu_ntk(a, b)

    def fit(self, x: Float[np.ndarray, "m n"], y: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        """Coefficients a for a sample x, y."""
        gram = self.gram(x, x)
        gram[np.diag_indices_from(gram)] += self.ridge
        return np.linalg.solve(gram, y)

    def predict(
        self, coefficients: Float[np.ndarray, " m"], sample: Float[np.ndarray, "m n"], x: Float[np.ndarray, "batch n"]
    ) -> Float[np.ndarray, " batch"]:
        """Outputs for these inputs."""
        return self.gram(x, sample) @ coefficients

    def solve(self, blocks: Blocks) -> Predictor:
        x, y = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        coefficients = self.fit(x, y)
        return lambda fresh: self.predict(coefficients, x, fresh)

    def held_bytes(self, task: Task, m: int) -> int:
        """The Gram matrix and its factors, and the sample."""
        return 8 * m * (2 * m + task.input_size)

    def solve_flops(self, task: Task, m: int, test: int) -> float:
        """A symmetric factorisation and the products."""
        return m**3 / 3 + 2.0 * m * (m + test) * (task.input_size + 1)

    def check(self, task: Task, m: int, scheme: str) -> None:
        if m > LARGEST_SAMPLE:
            raise ValueError(f"m must be at most {LARGEST_SAMPLE} for the model '{self.name}', not {m}")


def rbf(
    a: Float[np.ndarray, "rows n"], b: Float[np.ndarray, "columns n"], gamma: float
) -> Float[np.ndarray, "rows columns"]:
    """exp(-gamma |a_i - b_j|^2)."""
    square = np.sum(a * a, axis=1)[:, None] + np.sum(b * b, axis=1)[None, :] - 2.0 * (a @ b.T)
    return np.exp(-gamma * np.maximum(square, 0.0))


def relu_ntk(a: Float[np.ndarray, "rows n"], b: Float[np.ndarray, "columns n"]) -> Float[np.ndarray, "rows columns"]:
    """Tangent kernel of x -> sqrt(2/r) sum_i v_i relu(w_i . x), v and w standard Gaussian, as r grows.

    Training w contributes 2 <a, b> P(w.a > 0, w.b > 0), training v contributes 2 E[relu(w.a) relu(w.b)]: the arc-cosine
    kernels of order 0 and 1 of the angle between a and b.
    """
    norms = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)[None, :]
    product = a @ b.T
    cosine = np.clip(product / norms, -1.0, 1.0)
    obtuse = np.pi - np.arccos(cosine)
    sine = np.sqrt(1.0 - cosine * cosine)
    return (product * obtuse + norms * (cosine * obtuse + sine)) / np.pi


def _with_constant(x: Float[np.ndarray, "rows n"]) -> Float[np.ndarray, "rows n+1"]:
    return np.hstack([x, np.ones((len(x), 1))])
