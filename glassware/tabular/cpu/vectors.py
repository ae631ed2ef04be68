"""How operations on vectors (``engine.vectors``) are written for tables, and called from compiled code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

import llvmlite.binding
from llvmlite import ir
from numba import config, types
from numba.core import cgutils, typing
from numba.core.base import BaseContext
from numba.extending import intrinsic

from glassware.engine.vectors import FLOATS, INDEX, INTS, ROW, Vectors

ZERO = ir.Constant(INDEX, 0)
Nested: TypeAlias = int | list["Nested"]  # places of an argument's values, nested as it is

BFLOAT_SINCE = 16  # the version of LLVM whose intrinsics take the type bfloat


class _BFloat(ir.Type):
    """The type of sixteen bits that llvmlite has no name for."""

    def _to_string(self) -> str:
        return "bfloat"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BFloat)

    def __hash__(self) -> int:
        return hash(_BFloat)


HALVES = ir.VectorType(_BFloat(), 2 * ROW)
SHORTS = ir.VectorType(ir.IntType(16), 2 * ROW)


@cache
def _has(feature: str) -> bool:
    """Whether the processor has these instructions and Numba uses them; none if it compiles for another processor."""
    ours = config.CPU_NAME is None and config.CPU_FEATURES is None and bool(config.ENABLE_AVX)
    return ours and bool(llvmlite.binding.get_host_cpu_features().get(feature))


def _estimates() -> bool:
    """Whether the processor estimates reciprocal roots of sixteen numbers at once."""
    return _has("avx512f")


def multiplies_halves() -> bool:
    """Whether the processor multiplies pairs of bfloat16 and sums them in float32, sixteen pairs at once."""
    return _has("avx512bf16") and llvmlite.binding.llvm_version_info[0] >= BFLOAT_SINCE


class Code(Vectors):
    """The building blocks of an operation's body."""

    def at(self, start: ir.Value, *steps: tuple[ir.Value | int, ir.Value | int]) -> ir.Value:
        """The element ``start`` plus each number times its size."""
        value = lambda number: ir.Constant(INDEX, number) if isinstance(number, int) else number
        for number, size in steps:
            if isinstance(number, int) and isinstance(size, int):
                number, size = number * size, 1
            if number != 0:
                far = value(number) if size == 1 else self.builder.mul(value(number), value(size))
                start = self.builder.add(value(start), far)
        return start

    def copies(self, base: ir.Value, at: ir.Value) -> ir.Value:
        return self.spread(self.element(base, at))

    def over(self, count: ir.Value, size: int) -> ir.Value:
        """``count`` divided by ``size``, rounded up."""
        return self.builder.udiv(self.at(count, (size - 1, 1)), ir.Constant(INDEX, size))

    def least(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.select(self.builder.icmp_signed("<", a, b), a, b)

    def sums(self, count: int) -> list[ir.Value]:
        found = [cgutils.alloca_once(self.builder, FLOATS) for _ in range(count)]
        for place in found:
            self.builder.store(self.constant(0.0), place)
        return found

    def add(self, sums: list[ir.Value], a: list[ir.Value], b: list[ir.Value]) -> None:
        """sums (rows, vectors) += a (rows) b (vectors)."""
        for r, row in enumerate(a):
            for v, vector in enumerate(b):
                place = sums[r * len(b) + v]
                self.builder.store(self.fma(row, vector, self.builder.load(place)), place)

    def add_pairs(self, sums: list[ir.Value], a: list[ir.Value], b: list[ir.Value]) -> None:
        """sums (rows, vectors) += a (rows) b (vectors), where a and b are pairs of halves whose products are added."""
        kind = ir.FunctionType(FLOATS, [FLOATS, HALVES, HALVES])
        product = cgutils.get_or_insert_function(self.builder.module, kind, "llvm.x86.avx512bf16.dpbf16ps.512")
        a, b = ([self.builder.bitcast(vector, HALVES) for vector in vectors] for vectors in (a, b))
        for r, row in enumerate(a):
            for v, vector in enumerate(b):
                place = sums[r * len(b) + v]
                self.builder.store(self.builder.call(product, [self.builder.load(place), row, vector]), place)

    def halves(self, first: ir.Value, second: ir.Value) -> ir.Value:
        """Two vectors rounded to bfloat16, one after the other."""
        kind = ir.FunctionType(HALVES, [FLOATS, FLOATS])
        name = "llvm.x86.avx512bf16.cvtne2ps2bf16.512"
        convert = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.bitcast(self.builder.call(convert, [second, first]), SHORTS)

    def pick(self, one: ir.Value, other: ir.Value, places: Sequence[int]) -> ir.Value:
        """Elements of two vectors."""
        kind = ir.VectorType(ir.IntType(32), len(places))
        return self.builder.shuffle_vector(one, other, ir.Constant(kind, list(places)))

    def split(self, count: ir.Value, sizes: Sequence[int], body: Callable[[ir.Value, int], None]) -> None:
        """Call body(first, size) for blocks of ``count`` vectors: as many as fit of each size in turn."""
        first = ir.Constant(INDEX, 0)
        for size in sizes:
            turns = self.builder.udiv(self.builder.sub(count, first), ir.Constant(INDEX, size))
            with self.loop(turns) as loop:
                body(self.at(first, (loop.index, size)), size)
            first = self.at(first, (turns, size))

    def compress(self, vector: ir.Value, number: ir.Value, values: ir.Value, places: ir.Value, count: ir.Value) -> None:
        """Append the nonzero entries of panel ``number`` to lists of values and places that have ``count`` entries.

        Up to sixteen entries behind them may be overwritten.
        """
        builder = self.builder
        active = builder.fcmp_unordered("!=", vector, self.constant(0.0))
        first = builder.trunc(self.at(ir.Constant(INDEX, 0), (number, ROW * ROW)), ir.IntType(32))
        taken = builder.load(count)
        if _estimates():
            empty = ir.Constant(INTS, ir.Undefined)
            start = builder.insert_element(empty, first, ir.Constant(ir.IntType(32), 0))
            start = builder.shuffle_vector(start, empty, ir.Constant(INTS, [0] * ROW))
            rows = builder.add(start, ir.Constant(INTS, [ROW * i for i in range(ROW)]))
            for kind, name, what, to in ((FLOATS, "f32", vector, values), (INTS, "i32", rows, places)):
                form = ir.FunctionType(kind, [kind, kind, ir.VectorType(ir.IntType(1), ROW)])
                pack = cgutils.get_or_insert_function(
                    builder.module, form, f"llvm.x86.avx512.mask.compress.v{ROW}{name}"
                )
                packed = builder.call(pack, [what, ir.Constant(kind, None), active])
                builder.store(packed, builder.bitcast(builder.gep(to, [taken]), kind.as_pointer()), align=4)
            word = builder.zext(builder.bitcast(active, ir.IntType(ROW)), INDEX)
            builder.store(builder.add(taken, builder.ctpop(word)), count)
            return
        for i in range(ROW):
            lane = ir.Constant(ir.IntType(32), i)
            builder.store(builder.extract_element(vector, lane), builder.gep(values, [taken]))
            builder.store(builder.add(first, ir.Constant(ir.IntType(32), ROW * i)), builder.gep(places, [taken]))
            taken = builder.add(taken, builder.zext(builder.extract_element(active, lane), INDEX))
        builder.store(taken, count)

    def reciprocal_root(self, x: ir.Value) -> ir.Value:
        """1 / sqrt(x) to the last bit or two."""
        if not _estimates():
            kind = ir.FunctionType(FLOATS, [FLOATS])
            root = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.sqrt.v{ROW}f32")
            return self.builder.fdiv(self.constant(1.0), self.builder.call(root, [x]))
        short = ir.IntType(16)
        kind = ir.FunctionType(FLOATS, [FLOATS, FLOATS, short])
        estimate = cgutils.get_or_insert_function(self.builder.module, kind, "llvm.x86.avx512.rsqrt14.ps.512")
        guess = self.builder.call(estimate, [x, self.constant(0.0), ir.Constant(short, -1)])
        # One step of Newton's method doubles the estimate's 14 bits.
        half = self.times(self.times(x, self.constant(-0.5)), guess)
        return self.times(guess, self.fma(half, guess, self.constant(1.5)))


def operation(*kinds: types.Type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Turn a body into a function for compiled code, with arguments of these kinds. Arrays come as pointers.

    It is compiled once per program, however often it is called.
    """

    def decorate(body: Callable[..., None]) -> Callable[..., None]:
        def generate(
            context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
        ) -> ir.Value:
            values: list[ir.Value] = []

            def take(kind: types.Type, value: ir.Value) -> Nested:
                """Append the argument's numbers and pointers; return their places, nested as the argument is."""
                if isinstance(kind, types.BaseTuple):
                    return [take(inner, builder.extract_value(value, i)) for i, inner in enumerate(kind.types)]
                array = isinstance(kind, types.Array)
                values.append(context.make_array(kind)(context, builder, value).data if array else value)
                return len(values) - 1

            def given(form: Nested, passed: Sequence[ir.Value]) -> ir.Value | list[ir.Value]:
                return [given(inner, passed) for inner in form] if isinstance(form, list) else passed[form]

            forms = [take(kind, value) for kind, value in zip(signature.args, arguments, strict=True)]
            name = f"{body.__module__}.{body.__name__}"
            function = builder.module.globals.get(name)
            if function is None:
                kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
                function = ir.Function(builder.module, kind, name)
                function.linkage = "internal"
                function.attributes.add("noinline")
                inner = ir.IRBuilder(function.append_basic_block())
                body(Code(inner), *(given(form, function.args) for form in forms))
                inner.ret_void()
            builder.call(function, values)
            return context.get_dummy_value()

        typed = lambda typingctx, *arguments: (types.void(*kinds), generate)
        typed.__name__, typed.__doc__ = body.__name__, body.__doc__
        typed.__signature__ = inspect.signature(body)  # type: ignore[attr-defined]  # Numba reads the arguments there
        return intrinsic(typed)

    return decorate
