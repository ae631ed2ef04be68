"""The CPU kernel's operations on rows of sixteen neurons, in vector instructions (``engine.vectors``).

An operation takes flat arrays and the element at which its rows begin. Nothing is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.core.base import BaseContext
from numba.extending import intrinsic

from glassware.engine.vectors import FLOATS, INDEX, INTS, ROW, Vectors

GROUP = 4  # inputs that share a table
TABLE = ROW << GROUP  # floats of one table
UNROLL = 4

# What an operation gives Numba: its signature, and the function that writes its instructions.
Typed: TypeAlias = tuple[typing.Signature, Callable[..., ir.Value]]


class _Code(Vectors):
    """What an operation's body is written with, and its arguments (arrays as pointers)."""

    def __init__(
        self, context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> None:
        super().__init__(builder)
        self.arguments = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]

    def rectified(self, vector: ir.Value) -> ir.Value:
        """max(vector, 0); NaN stays."""
        zero = self.constant(0.0)
        return self.builder.select(self.builder.fcmp_ordered("<", vector, zero), zero, vector)

    def count(self, words: ir.Value) -> ir.Value:
        """Ones in each of sixteen words."""
        kind = ir.FunctionType(INTS, [INTS])
        function = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.ctpop.v{ROW}i32")
        return self.builder.call(function, [words])

    def row(self, at: ir.Value, number: ir.Value, size: int = ROW) -> ir.Value:
        """The element where row ``number`` begins, counted from ``at``."""
        return self.builder.add(at, self.builder.mul(number, ir.Constant(INDEX, size)))

    def byte(self, base: ir.Value, at: ir.Value) -> ir.Value:
        return self.builder.zext(self.element(base, at), INDEX)


@intrinsic  # type: ignore[untyped-decorator]
def tabulate(
    typingctx: typing.Context, tables: types.Type, rows: types.Type, at: types.Type, groups: types.Type
) -> Typed:
    """For every four rows a, b, c, d the sixteen sums +-a +-b +-c +-d: entry p has a minus where p has a bit."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        code = _Code(context, builder, signature, arguments)
        tables, rows, at, groups = code.arguments
        with code.loop(groups) as loop:
            first = code.row(at, loop.index, GROUP * ROW)
            sums = None
            for i in range(GROUP):
                w = code.load(rows, builder.add(first, ir.Constant(INDEX, i * ROW)))
                if sums is None:
                    sums = [w, builder.fneg(w)]
                else:
                    sums = [builder.fadd(s, w) for s in sums] + [builder.fsub(s, w) for s in sums]
            table = code.row(ir.Constant(INDEX, 0), loop.index, TABLE)
            for p, total in enumerate(sums or []):
                code.store(total, tables, builder.add(table, ir.Constant(INDEX, p * ROW)))
        return context.get_dummy_value()

    return types.void(tables, rows, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def look_up(
    typingctx: typing.Context,
    out: types.Type,
    at: types.Type,
    rows: types.Type,
    more: types.Type,
    tables: types.Type,
    groups: types.Type,
    places: types.Type,
    first: types.Type,
    stride: types.Type,
) -> Typed:
    """Each of ``rows`` rows of ``out`` becomes the sum of one entry of every table, added to what it was if ``more``.

    The entries of row i are named by the bytes of ``places`` from ``first + i * stride`` on, one per table.
    """

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        code = _Code(context, builder, signature, arguments)
        out, at, rows, more, tables, groups, places, first, stride = code.arguments
        zero, unroll = ir.Constant(INDEX, 0), ir.Constant(INDEX, UNROLL)
        turns = builder.udiv(groups, unroll)
        rest = builder.urem(groups, unroll)

        def add(total: ir.Value, start: ir.Value, group: ir.Value) -> ir.Value:
            entry = code.row(code.row(zero, group, TABLE), code.byte(places, builder.add(start, group)))
            return builder.fadd(total, code.load(tables, entry))

        with code.loop(rows) as row:
            here = code.row(at, row.index)
            start = builder.add(first, builder.mul(row.index, stride))
            total = cgutils.alloca_once_value(builder, ir.Constant(FLOATS, [0.0] * ROW))
            with builder.if_then(builder.icmp_signed("!=", more, zero)):
                builder.store(code.load(out, here), total)
            with code.loop(turns) as turn:
                group = builder.mul(turn.index, unroll)
                found = builder.load(total)
                for i in range(UNROLL):
                    found = add(found, start, builder.add(group, ir.Constant(INDEX, i)))
                builder.store(found, total)
            with code.loop(rest) as turn:
                group = builder.add(builder.mul(turns, unroll), turn.index)
                builder.store(add(builder.load(total), start, group), total)
            code.store(builder.load(total), out, here)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(out, integer, integer, integer, tables, integer, places, integer, integer), generate


@intrinsic  # type: ignore[untyped-decorator]
def read_out(
    typingctx: typing.Context,
    out: types.Type,
    rows: types.Type,
    h: types.Type,
    at: types.Type,
    v: types.Type,
    v_at: types.Type,
) -> Typed:
    """out_i += max(h_i, 0) * v, element by element: a tile's share of the outputs before it is summed."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        code = _Code(context, builder, signature, arguments)
        out, rows, h, at, v, v_at = code.arguments
        weight, zero = code.load(v, v_at), ir.Constant(INDEX, 0)
        with code.loop(rows) as loop:
            here = code.row(zero, loop.index)
            a = code.rectified(code.load(h, code.row(at, loop.index)))
            code.store(code.fma(a, weight, code.load(out, here)), out, here)
        return context.get_dummy_value()

    return types.void(out, types.int64, h, types.int64, v, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def look_back(
    typingctx: typing.Context,
    marks: types.Type,
    word: types.Type,
    total: types.Type,
    h: types.Type,
    at: types.Type,
    rows: types.Type,
    slopes: types.Type,
    first: types.Type,
) -> Typed:
    """Up to 32 examples as a tile sees them: bit i of a neuron's ``marks`` says that h_i > 0 and slope_i != 0.

    Also adds sum_i slope_i * max(h_i, 0), the gradient of the outgoing weights, to ``total``.
    """

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        code = _Code(context, builder, signature, arguments)
        marks, word, total, h, at, rows, slopes, first = code.arguments
        zero, none = ir.Constant(INDEX, 0), ir.Constant(INTS, [0] * ROW)
        seen = cgutils.alloca_once_value(builder, none)
        gradient = cgutils.alloca_once_value(builder, code.load(total, zero))
        with code.loop(rows) as loop:
            value = code.load(h, code.row(at, loop.index))
            slope = code.element(slopes, builder.add(first, loop.index))
            builder.store(code.fma(code.rectified(value), code.spread(slope), builder.load(gradient)), gradient)
            counts = builder.fcmp_unordered("!=", slope, ir.Constant(ir.FloatType(), 0.0))
            bit = builder.shl(builder.zext(counts, ir.IntType(32)), builder.trunc(loop.index, ir.IntType(32)))
            active = builder.fcmp_ordered(">", value, ir.Constant(FLOATS, [0.0] * ROW))
            builder.store(builder.or_(builder.load(seen), builder.select(active, code.spread(bit), none)), seen)
        code.store(builder.load(seen), marks, code.row(zero, word))
        code.store(builder.load(gradient), total, zero)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(marks, integer, total, h, integer, integer, slopes, integer), generate


@intrinsic  # type: ignore[untyped-decorator]
def descend(
    typingctx: typing.Context,
    w: types.Type,
    at: types.Type,
    rows: types.Type,
    keep: types.Type,
    factor: types.Type,
    marks: types.Type,
    words: types.Type,
    columns: types.Type,
) -> Typed:
    """w_i = keep * w_i + factor * sum_b (+-1): over the marked examples b, minus where column i has a bit.

    The sum is the number of marks less twice that of marks under the column's bits: two population counts a word of 32
    examples. ``columns`` holds ``words`` words an input.
    """

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        code = _Code(context, builder, signature, arguments)
        w, at, rows, keep, factor, marks, words, columns = code.arguments
        zero, none = ir.Constant(INDEX, 0), ir.Constant(INTS, [0] * ROW)
        weight, kept = code.load(factor, zero), code.spread(keep)
        marked = cgutils.alloca_once_value(builder, none)
        with code.loop(words) as word:
            count = code.count(code.load(marks, code.row(zero, word.index), INTS))
            builder.store(builder.add(builder.load(marked), count), marked)
        with code.loop(rows) as loop:
            here = code.row(at, loop.index)
            first = builder.mul(loop.index, words)
            sums = cgutils.alloca_once_value(builder, none)
            builder.store(builder.load(marked), sums)
            with code.loop(words) as word:
                column = code.spread(code.element(columns, builder.add(first, word.index)))
                minus = code.count(builder.and_(code.load(marks, code.row(zero, word.index), INTS), column))
                builder.store(builder.sub(builder.load(sums), builder.add(minus, minus)), sums)
            change = builder.fmul(weight, builder.sitofp(builder.load(sums), FLOATS))
            code.store(code.fma(kept, code.load(w, here), change), w, here)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(w, integer, integer, types.float32, factor, marks, integer, columns), generate
