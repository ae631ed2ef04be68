"""The network: affine layers with ReLU between, the first one sparse at the start."""

from __future__ import annotations

from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np

from glassware.foundation.arrays import Array, EitherArray, Float, Float32, Float64, Int, Params, UInt32
from glassware.foundation.draws import fold
from glassware.tabular.recipe import Precision

ROWS_AT_ONCE = 4096  # the activations of a wide network for a long table would not fit in memory


class View(Protocol):
    """What a network reads of a table's rows."""

    @property
    def columns(self) -> Int[np.ndarray, " inputs"]:
        """The column of each input."""
        ...

    @property
    def size(self) -> Float[np.ndarray, " inputs"]:
        """The typical size of each input."""
        ...

    def transform(self, X: Float64[np.ndarray, "rows columns"]) -> Float64[np.ndarray, "rows inputs"]:
        """Its inputs."""
        ...


def inputs(view: View, X: Float64[np.ndarray, "rows columns"]) -> Float32[np.ndarray, "rows inputs"]:
    """The inputs of all rows in float32, made a part at a time: a long table in float64 would not fit in memory."""
    found = np.empty((len(X), len(view.columns)), np.float32)
    for start in range(0, len(X), ROWS_AT_ONCE):
        found[start : start + ROWS_AT_ONCE] = view.transform(X[start : start + ROWS_AT_ONCE])
    return found


def layer_keys(key: UInt32[np.ndarray, " 2"], layers: int) -> UInt32[np.ndarray, "2*layers 2"]:
    """Keys of the weights and biases of each layer; made on the host."""
    return np.stack([fold(key, i) for i in range(2 * layers)])


def apply(
    params: Params, x: Float32[Array, "rows inputs"], precision: Precision = "exact"
) -> Float32[Array, "rows outputs"]:
    """Outputs of one network."""
    affine = _in_halves if precision == "fast" else lambda x, w, b: x @ w + b
    *hidden, last = params
    for layer in hidden:
        x = jax.nn.relu(affine(x, layer["w"], layer["b"]))
    return affine(x, last["w"], last["b"])


def _halves(
    a: Float[EitherArray, "rows both"], b: Float[EitherArray, "both columns"]
) -> Float32[Array, "rows columns"]:
    """The product of two matrices rounded to bfloat16, summed in float32."""
    return jnp.matmul(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=jnp.float32)


@jax.custom_vjp
def _in_halves(
    x: Float32[Array, "rows inputs"], w: Float32[Array, "inputs outputs"], b: Float32[Array, " outputs"]
) -> Float32[Array, "rows outputs"]:
    """x w + b with bfloat16 factors, in the gradient too: autodiff would round the sums instead of the factors."""
    return _halves(x, w) + b


def _forward(
    x: Float32[Array, "rows inputs"], w: Float32[Array, "inputs outputs"], b: Float32[Array, " outputs"]
) -> tuple[Float32[Array, "rows outputs"], tuple[Float32[Array, "rows inputs"], Float32[Array, "inputs outputs"]]]:
    return _in_halves(x, w, b), (x, w)


def _back(
    kept: tuple[Float32[Array, "rows inputs"], Float32[Array, "inputs outputs"]], d: Float32[Array, "rows outputs"]
) -> tuple[Float32[Array, "rows inputs"], Float32[Array, "inputs outputs"], Float32[Array, " outputs"]]:
    x, w = kept
    rounded = d.astype(jnp.bfloat16).astype(jnp.float32)
    return _halves(d, w.T), _halves(x.T, d), rounded.sum(axis=0)


_in_halves.defvjp(_forward, _back)
