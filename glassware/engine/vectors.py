"""Vectors of sixteen floats as LLVM instructions: what the hot loops of our CPU kernels are written with.

A compiler that is handed scalar loops has to guess (and mostly guesses wrong) that they are vector instructions; here
they are written as such. LLVM turns a vector of sixteen into one AVX-512 register, two of AVX2 or four of NEON.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from llvmlite import ir
from numba.core import cgutils

ROW = 16

FLOATS = ir.VectorType(ir.FloatType(), ROW)
INTS = ir.VectorType(ir.IntType(32), ROW)
INDEX = ir.IntType(64)


class Vectors:
    """Writes into a function under construction. Places are elements of flat arrays; nothing is checked."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder

    def load(self, base: ir.Value, at: ir.Value, kind: ir.Type = FLOATS) -> ir.Value:
        pointer = self.builder.bitcast(self.builder.gep(base, [at]), kind.as_pointer())
        return self.builder.load(pointer, align=4)

    def store(self, vector: ir.Value, base: ir.Value, at: ir.Value) -> None:
        pointer = self.builder.bitcast(self.builder.gep(base, [at]), vector.type.as_pointer())
        self.builder.store(vector, pointer, align=4)

    def element(self, base: ir.Value, at: ir.Value) -> ir.Value:
        return self.builder.load(self.builder.gep(base, [at]))

    def spread(self, scalar: ir.Value) -> ir.Value:
        """A vector of sixteen copies."""
        empty = ir.Constant(ir.VectorType(scalar.type, ROW), ir.Undefined)
        first = self.builder.insert_element(empty, scalar, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(INTS, [0] * ROW))

    def constant(self, value: float) -> ir.Constant:
        return ir.Constant(FLOATS, [value] * ROW)

    def times(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.fmul(a, b, flags=("contract",))

    def fma(self, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
        return self.builder.fadd(self.times(a, b), c, flags=("contract",))

    def loop(self, count: ir.Value) -> AbstractContextManager[cgutils.Loop]:
        return cgutils.for_range(self.builder, count, intp=INDEX)
