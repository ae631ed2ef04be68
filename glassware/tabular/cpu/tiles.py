"""The matrix products of a layer, as LLVM instructions: blocks of eight rows by two or three vectors of sixteen.

A block's sums stay in registers while it runs over everything it sums, and what follows the product (a ReLU, the mask
of one, a step of Adam) is done to them before they are stored. LLVM turns a vector of sixteen into one AVX-512
register, two of AVX2 or four of NEON.

Weights lie in panels of sixteen columns: ``w`` (panels, inputs + 1, 16), the last row of a panel its biases. Inputs and
slopes are (features, examples), rows ``stride`` apart, and the inputs have one more row, of ones. For the gradient
slopes lie in panels, too, (panels, stride, 16). An operation takes flat arrays and the elements at which things begin.
Nothing is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

ROW = 16
ROWS = 8  # of a block; three vectors of them are 24 sums, with room in 32 registers for what they are made of

_FLOATS = ir.VectorType(ir.FloatType(), ROW)
_INTS = ir.VectorType(ir.IntType(32), ROW)
_INDEX = ir.IntType(64)
_FLAT, _WHOLE = types.Array(types.float32, 1, "C"), types.int64


@cache
def _estimates() -> bool:
    """Whether the processor estimates reciprocal roots of sixteen numbers at once. Who names another gets none."""
    ours = config.CPU_NAME is None and config.CPU_FEATURES is None
    return ours and bool(llvmlite.binding.get_host_cpu_features().get("avx512f"))


class _Code:
    """What an operation's body is written with: arguments (arrays as pointers), vector loads and stores, loops."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.builder = builder
        self.arguments = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]

    def at(self, start: Any, *steps: tuple[Any, Any]) -> Any:
        """The element ``start`` plus each number times its size."""
        whole = lambda number: ir.Constant(_INDEX, number) if isinstance(number, int) else number
        for number, size in steps:
            if isinstance(number, int) and isinstance(size, int):
                number, size = number * size, 1
            if number != 0:
                far = whole(number) if size == 1 else self.builder.mul(whole(number), whole(size))
                start = self.builder.add(whole(start), far)
        return start

    def load(self, base: Any, at: Any) -> Any:
        return self.builder.load(self.builder.bitcast(self.builder.gep(base, [at]), _FLOATS.as_pointer()), align=4)

    def store(self, vector: Any, base: Any, at: Any) -> None:
        self.builder.store(vector, self.builder.bitcast(self.builder.gep(base, [at]), _FLOATS.as_pointer()), align=4)

    def copies(self, base: Any, at: Any) -> Any:
        return self.spread(self.builder.load(self.builder.gep(base, [at])))

    def spread(self, scalar: Any) -> Any:
        """A vector of sixteen copies."""
        empty = ir.Constant(_FLOATS, ir.Undefined)
        first = self.builder.insert_element(empty, scalar, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(_INTS, [0] * ROW))

    def constant(self, value: float) -> Any:
        return ir.Constant(_FLOATS, [value] * ROW)

    def times(self, a: Any, b: Any) -> Any:
        return self.builder.fmul(a, b, flags=("contract",))

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return self.builder.fadd(self.times(a, b), c, flags=("contract",))

    def loop(self, count: Any) -> Any:
        return cgutils.for_range(self.builder, count, intp=_INDEX)

    def over(self, count: Any) -> Any:
        """How many sixteens, the last one begun."""
        return self.builder.udiv(self.at(count, (ROW - 1, 1)), ir.Constant(_INDEX, ROW))

    def sums(self, count: int) -> list[Any]:
        found = [cgutils.alloca_once(self.builder, _FLOATS) for _ in range(count)]
        for place in found:
            self.builder.store(self.constant(0.0), place)
        return found

    def add(self, sums: list[Any], a: list[Any], b: list[Any]) -> None:
        """sums (rows, vectors) += a (rows) b (vectors)."""
        for r, row in enumerate(a):
            for v, vector in enumerate(b):
                place = sums[r * len(b) + v]
                self.builder.store(self.fma(row, vector, self.builder.load(place)), place)

    def split(self, count: Any, sizes: Sequence[int], body: Callable[[Any, int], None]) -> None:
        """``count`` vectors as blocks of these sizes, large ones first, of which the last, s, must divide what the
        others leave: of each other only as many are taken as leave none or s at least. Calls body(first, size)."""
        first = ir.Constant(_INDEX, 0)
        for size, least in zip(sizes, (*sizes[1:], 0), strict=True):
            left, whole = self.builder.sub(count, first), ir.Constant(_INDEX, size)
            turns = self.builder.udiv(left, whole)
            if least:
                rest = self.builder.urem(left, whole)
                short = self.builder.and_(
                    self.builder.icmp_unsigned("<", rest, ir.Constant(_INDEX, least)),
                    self.builder.icmp_unsigned("!=", rest, ir.Constant(_INDEX, 0)),
                )
                turns = self.builder.sub(turns, self.builder.zext(short, _INDEX))
            with self.loop(turns) as loop:
                body(self.at(first, (loop.index, size)), size)
            first = self.at(first, (turns, size))

    def reciprocal_root(self, x: Any) -> Any:
        """1 / sqrt(x) to the last bit or two."""
        if not _estimates():
            kind = ir.FunctionType(_FLOATS, [_FLOATS])
            root = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.sqrt.v{ROW}f32")
            return self.builder.fdiv(self.constant(1.0), self.builder.call(root, [x]))
        short = ir.IntType(16)
        kind = ir.FunctionType(_FLOATS, [_FLOATS, _FLOATS, short])
        estimate = cgutils.get_or_insert_function(self.builder.module, kind, "llvm.x86.avx512.rsqrt14.ps.512")
        guess = self.builder.call(estimate, [x, self.constant(0.0), ir.Constant(short, -1)])
        # One step of Newton's method doubles the estimate's 14 bits.
        half = self.times(self.times(x, self.constant(-0.5)), guess)
        return self.times(guess, self.fma(half, guess, self.constant(1.5)))


@intrinsic  # type: ignore[untyped-decorator]
def forward(
    typingctx: Any,
    z: Any,
    z_at: Any,
    w: Any,
    w_at: Any,
    x: Any,
    x_at: Any,
    inputs: Any,
    outputs: Any,
    stride: Any,
    vectors: Any,
    least: Any,
) -> Any:
    """z = max(w x, least), for ``vectors`` times sixteen examples, two at least."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        z, z_at, w, w_at, x, x_at, inputs, outputs, stride, vectors, least = code.arguments
        count, floor = code.at(inputs, (1, 1)), code.spread(least)
        panel = code.at(ir.Constant(_INDEX, 0), (count, ROW))

        def block(column: Any, neuron: Any, first: Any, size: int) -> None:
            sums = code.sums(ROWS * size)
            source = code.at(x_at, (first, ROW))
            with code.loop(count) as loop:
                weight, example = code.at(column, (loop.index, ROW)), code.at(source, (loop.index, stride))
                code.add(
                    sums,
                    [code.copies(w, code.at(weight, (r, 1))) for r in range(ROWS)],
                    [code.load(x, code.at(example, (v, ROW))) for v in range(size)],
                )
            to = code.at(z_at, (neuron, stride), (first, ROW))
            for r in range(ROWS):
                for v in range(size):
                    total = builder.load(sums[r * size + v])
                    total = builder.select(builder.fcmp_ordered("<", total, floor), floor, total)  # NaN stays
                    code.store(total, z, code.at(to, (r, stride), (v, ROW)))

        turns = builder.udiv(code.at(outputs, (ROWS - 1, 1)), ir.Constant(_INDEX, ROWS))
        with code.loop(turns) as turn:
            half = builder.and_(turn.index, ir.Constant(_INDEX, 1))
            pair = builder.lshr(turn.index, ir.Constant(_INDEX, 1))
            column = code.at(w_at, (pair, panel), (half, ROWS))
            neuron = code.at(ir.Constant(_INDEX, 0), (turn.index, ROWS))
            code.split(vectors, (3, 2), lambda first, size: block(column, neuron, first, size))
        return context.get_dummy_value()

    place = (_FLAT, _WHOLE)
    return types.void(*place, *place, *place, _WHOLE, _WHOLE, _WHOLE, _WHOLE, types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def back(
    typingctx: Any,
    d: Any,
    to_at: Any,
    d_at: Any,
    w: Any,
    w_at: Any,
    x: Any,
    x_at: Any,
    inputs: Any,
    outputs: Any,
    stride: Any,
    vectors: Any,
) -> Any:
    """Slopes of a layer's inputs, at ``to_at``, from those of its outputs: w' d where x > 0, else 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        d, to_at, d_at, w, w_at, x, x_at, inputs, outputs, stride, vectors = code.arguments
        panel = code.at(ir.Constant(_INDEX, ROW), (inputs, ROW))
        row, none = ir.Constant(_INDEX, ROW), code.constant(0.0)

        def block(feature: Any, first: Any, size: int) -> None:
            sums = code.sums(ROWS * size)
            source = code.at(d_at, (first, ROW))
            with code.loop(code.over(outputs)) as outer:
                begin = builder.mul(outer.index, row)
                rest = builder.sub(outputs, begin)
                start = code.at(w_at, (feature, ROW), (outer.index, panel))
                with code.loop(builder.select(builder.icmp_signed("<", rest, row), rest, row)) as loop:
                    weight = code.at(start, (loop.index, 1))
                    slope = code.at(source, (builder.add(begin, loop.index), stride))
                    code.add(
                        sums,
                        [code.copies(w, code.at(weight, (r, ROW))) for r in range(ROWS)],
                        [code.load(d, code.at(slope, (v, ROW))) for v in range(size)],
                    )
            here = code.at(ir.Constant(_INDEX, 0), (feature, stride), (first, ROW))
            for r in range(ROWS):
                for v in range(size):
                    place = code.at(here, (r, stride), (v, ROW))
                    active = builder.fcmp_ordered(">", code.load(x, builder.add(x_at, place)), none)
                    total = builder.select(active, builder.load(sums[r * size + v]), none)
                    code.store(total, d, builder.add(to_at, place))

        with code.loop(builder.udiv(inputs, ir.Constant(_INDEX, ROWS))) as turn:
            feature = code.at(ir.Constant(_INDEX, 0), (turn.index, ROWS))
            code.split(vectors, (3, 2), lambda first, size: block(feature, first, size))
        return context.get_dummy_value()

    return types.void(_FLAT, _WHOLE, _WHOLE, _FLAT, _WHOLE, _FLAT, _WHOLE, _WHOLE, _WHOLE, _WHOLE, _WHOLE), generate


@intrinsic  # type: ignore[untyped-decorator]
def descend(
    typingctx: Any,
    w: Any,
    m: Any,
    v: Any,
    w_at: Any,
    x: Any,
    x_at: Any,
    inputs: Any,
    outputs: Any,
    stride: Any,
    slopes: Any,
    examples: Any,
    adam: Any,
    adam_at: Any,
) -> Any:
    """A step of Adam with the gradient x slopes over the first ``examples``.

    From ``adam_at`` on ``adam`` holds beta 1, beta 2, the factors of m and v, epsilon squared, coupled decay, and what
    decoupled decay leaves of weights and of biases.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        w, m, v, w_at, x, x_at, inputs, outputs, stride, slopes, examples, adam, adam_at = code.arguments
        zero = ir.Constant(_INDEX, 0)
        numbers = [code.copies(adam, code.at(adam_at, (i, 1))) for i in range(8)]
        beta1, beta2, rise, spread, tiny, coupled = numbers[:6]
        panel, slope_panel = code.at(ir.Constant(_INDEX, ROW), (inputs, ROW)), code.at(zero, (stride, ROW))

        def block(rows: int, feature: Any, first: Any, size: int, kept: Any) -> None:
            sums = code.sums(rows * size)
            source, slope = code.at(x_at, (feature, stride)), code.at(ir.Constant(_INDEX, 0), (first, slope_panel))
            with code.loop(examples) as loop:
                here = code.at(slope, (loop.index, ROW))
                code.add(
                    sums,
                    [code.copies(x, code.at(source, (r, stride), (loop.index, 1))) for r in range(rows)],
                    [code.load(slopes, code.at(here, (j, slope_panel))) for j in range(size)],
                )
            start = code.at(w_at, (first, panel), (feature, ROW))
            for j in range(size):
                for r in range(rows):
                    here = code.at(start, (j, panel), (r, ROW))
                    weight = code.load(w, here)
                    gradient = code.fma(coupled, weight, builder.load(sums[r * size + j]))
                    mean = code.fma(beta1, code.load(m, here), gradient)
                    square = code.fma(beta2, code.load(v, here), code.times(gradient, gradient))
                    code.store(mean, m, here)
                    code.store(square, v, here)
                    root = code.reciprocal_root(code.fma(spread, square, tiny))
                    code.store(code.fma(code.times(rise, mean), root, code.times(kept, weight)), w, here)

        def panels(first: Any, size: int) -> None:
            with code.loop(builder.udiv(inputs, ir.Constant(_INDEX, ROWS))) as turn:
                feature = code.at(ir.Constant(_INDEX, 0), (turn.index, ROWS))
                block(ROWS, feature, first, size, numbers[6])

        code.split(code.over(outputs), (2, 1), panels)
        with code.loop(code.over(outputs)) as loop:
            block(1, inputs, loop.index, 1, numbers[7])
        return context.get_dummy_value()

    return types.void(
        *(_FLAT, _FLAT, _FLAT, _WHOLE, _FLAT, _WHOLE, _WHOLE, _WHOLE, _WHOLE, _FLAT, _WHOLE, _FLAT, _WHOLE)
    ), generate


@intrinsic  # type: ignore[untyped-decorator]
def turn(typingctx: Any, slopes: Any, d: Any, d_at: Any, outputs: Any, stride: Any, vectors: Any) -> Any:
    """Slopes (outputs, examples) into panels, (panels, examples, 16)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code = _Code(context, builder, signature, arguments)
        slopes, d, d_at, outputs, stride, vectors = code.arguments
        low = ir.Constant(_INTS, [i // 2 + ROW * (i % 2) for i in range(ROW)])
        high = ir.Constant(_INTS, [ROW // 2 + i // 2 + ROW * (i % 2) for i in range(ROW)])
        panel = builder.mul(stride, ir.Constant(_INDEX, ROW))
        with code.loop(code.over(outputs)) as outer, code.loop(vectors) as inner:
            source = code.at(d_at, (outer.index, panel), (inner.index, ROW))
            block = [code.load(d, code.at(source, (i, stride))) for i in range(ROW)]
            for _ in range(4):  # shuffle rows like cards, as often as 16 is halved
                block = [
                    builder.shuffle_vector(block[i], block[i + ROW // 2], order)
                    for i in range(ROW // 2)
                    for order in (low, high)
                ]
            to = code.at(ir.Constant(_INDEX, 0), (outer.index, panel), (inner.index, ROW * ROW))
            for i, row in enumerate(block):
                code.store(row, slopes, code.at(to, (i, ROW)))
        return context.get_dummy_value()

    return types.void(_FLAT, _FLAT, _WHOLE, _WHOLE, _WHOLE, _WHOLE), generate
