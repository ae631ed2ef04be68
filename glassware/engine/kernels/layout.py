"""How a two-layer network lies in a kernel: neurons down, inputs across, bias as one more input, padded to tiles.

The first layer is kept transposed, (neurons, inputs): in that orientation both products of a training step take a matrix
that already sits in registers as their left operand (weights going forward, hidden gradients going back), and only the
small matrix of examples passes through shared memory. The bias is the weight of an input that is always 1. Padding is
exact: padded neurons have zero outgoing weight and zero incoming weights and stay so, padded inputs are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

CHUNK = 32  # inputs a word holds, and columns of a weight tile
NEURONS = 16  # the least rows a matrix unit takes


@dataclass(frozen=True)
class Layout:
    """Tiles of a network with ``n`` inputs and ``width`` hidden units."""

    n: int
    width: int

    @property
    def words(self) -> int:
        """32-bit words of an example."""
        return -(-self.n // CHUNK)

    @property
    def chunks(self) -> int:
        """Column tiles, the constant input included."""
        return self.n // CHUNK + 1

    @property
    def tiles(self) -> tuple[tuple[int, int], ...]:
        """Row tiles (start, size), sizes powers of two: one tile, or two where that wastes less."""
        whole = max(NEURONS, 1 << (self.width - 1).bit_length())
        rest = self.width - whole // 2
        if whole == NEURONS or rest <= 0:
            return ((0, whole),)
        second = max(NEURONS, 1 << (rest - 1).bit_length())
        return ((0, whole),) if second >= whole // 2 else ((0, whole // 2), (whole // 2, second))

    @property
    def rows(self) -> int:
        """Neurons with padding."""
        return sum(size for _, size in self.tiles)

    def pack(self, params: Any) -> dict[str, Any]:
        """Parameters of one MLP in kernel form: ``w`` (rows, 32 chunks), ``v`` (rows,), ``c`` ()."""
        hidden, output = params
        w = jnp.concatenate([hidden["w"], hidden["b"][None, :]]).T
        extra = self.rows - self.width
        return {
            "w": jnp.pad(w, ((0, extra), (0, CHUNK * self.chunks - self.n - 1))),
            "v": jnp.pad(output["w"][:, 0], (0, extra)),
            "c": output["b"][0],
        }

    def unpack(self, packed: dict[str, Any]) -> Any:
        """Back to the parameters of an MLP."""
        w = packed["w"][: self.width].T
        hidden = {"w": w[: self.n], "b": w[self.n]}
        return hidden, {"w": packed["v"][: self.width, None], "b": packed["c"][None]}
