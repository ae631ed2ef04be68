"""How a network lies in a kernel: neurons down, inputs across, bias as one more input, padded to tiles.

The first layer is kept transposed, (neurons, inputs): both products of a training step then take a matrix that already
sits in registers as their left operand (weights going forward, hidden gradients going back), and only the small matrix
of examples passes through shared memory. The bias is the weight of an input that is always 1. Padding is
exact: padded neurons have zero outgoing weight and zero incoming weights and stay so, padded inputs are zero.
"""

from __future__ import annotations

from dataclasses import dataclass

WORD = 32  # inputs a word holds
SCALE = 256.0  # first-layer weights are held times this: see ``arithmetic``
NEURONS = 16  # the least rows a matrix unit takes


@dataclass(frozen=True)
class Layout:
    """Tiles of a network with ``n`` inputs and ``width`` hidden units, its neurons dealt to ``slices`` instances.

    ``tile_rows`` is 0 where a slice stays in registers; otherwise it streams through them in tiles of so many rows.
    ``span`` is the number of words, one or two, that a tile of columns covers. ``undivided``: a resident slice is one
    tile, even where two smaller ones would waste less.
    """

    n: int
    width: int
    slices: int = 1
    tile_rows: int = 0
    span: int = 1
    undivided: bool = False

    @property
    def words(self) -> int:
        """32-bit words that cover the inputs and the constant one."""
        return self.n // WORD + 1

    @property
    def columns(self) -> tuple[tuple[int, int], ...]:
        """Column tiles as (first word, words)."""
        return tuple((q, min(self.span, self.words - q)) for q in range(0, self.words, self.span))

    @property
    def tiles(self) -> tuple[tuple[int, int], ...]:
        """Row tiles of a resident slice as (start, size), sizes powers of two."""
        return _powers_of_two(-(-self.width // self.slices), least=NEURONS, undivided=self.undivided)

    @property
    def slice_rows(self) -> int:
        """Neurons a slice holds, with padding."""
        if self.tile_rows:
            return self.tile_rows * -(-self.width // (self.slices * self.tile_rows))
        return sum(size for _, size in self.tiles)

    @property
    def rows(self) -> int:
        """Neurons of the network, with padding."""
        return self.slices * self.slice_rows

    @property
    def held(self) -> int:
        """First-layer weights an instance holds at once, with padding."""
        return (self.tile_rows or self.slice_rows) * self.words * WORD


def _powers_of_two(size: int, *, least: int, undivided: bool) -> tuple[tuple[int, int], ...]:
    """Cover ``size`` by one power of two, or by two where that wastes less: (start, size) each."""
    whole = max(least, 1 << (size - 1).bit_length())
    rest = size - whole // 2
    if undivided or whole == least or rest <= 0:
        return ((0, whole),)
    second = max(least, 1 << (rest - 1).bit_length())
    return ((0, whole),) if second >= whole // 2 else ((0, whole // 2), (whole // 2, second))
