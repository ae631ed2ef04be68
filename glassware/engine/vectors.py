"""Vectors of sixteen floats as LLVM instructions: what the hot loops of our CPU kernels are written with.

A compiler that is handed scalar loops has to guess (and mostly guesses wrong) that they are vector instructions; here
they are written as such. LLVM turns a vector of sixteen into one AVX-512 register, two of AVX2 or four of NEON.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

ROW = 16

FLOATS = ir.VectorType(ir.FloatType(), ROW)
INTS = ir.VectorType(ir.IntType(32), ROW)
INDEX = ir.IntType(64)


class Vectors:
    """Writes into a function under construction. Places are elements of flat arrays; nothing is checked."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def load(self, base: Any, at: Any, kind: Any = FLOATS) -> Any:
        pointer = self.builder.bitcast(self.builder.gep(base, [at]), kind.as_pointer())
        return self.builder.load(pointer, align=4)

    def store(self, vector: Any, base: Any, at: Any) -> None:
        pointer = self.builder.bitcast(self.builder.gep(base, [at]), vector.type.as_pointer())
        self.builder.store(vector, pointer, align=4)

    def element(self, base: Any, at: Any) -> Any:
        return self.builder.load(self.builder.gep(base, [at]))

    def spread(self, scalar: Any) -> Any:
        """A vector of sixteen copies."""
        empty = ir.Constant(ir.VectorType(scalar.type, ROW), ir.Undefined)
        first = self.builder.insert_element(empty, scalar, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(INTS, [0] * ROW))

    def constant(self, value: float) -> Any:
        return ir.Constant(FLOATS, [value] * ROW)

    def times(self, a: Any, b: Any) -> Any:
        return self.builder.fmul(a, b, flags=("contract",))

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return self.builder.fadd(self.times(a, b), c, flags=("contract",))

    def loop(self, count: Any) -> Any:
        return cgutils.for_range(self.builder, count, intp=INDEX)
