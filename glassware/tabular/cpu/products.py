"""A layer's matrix products in float32, each fused with what follows: a ReLU, its mask, a step of Adam.

Dense products work in blocks of eight rows by two vectors. A block's sums stay in registers until they are complete.
Behind a ReLU about half of the factors are 0: there :func:`list_nonzero` lists the others first, and
:func:`sparse_product` sums only those.

Weights lie in panels of sixteen columns: ``w`` (panels, inputs + 1, 16), the last row of a panel its biases. Inputs and
slopes lie by feature, (features, examples), rows ``stride`` apart and one more row of ones behind the inputs, or in
panels, (panels, stride, 16). Operations take flat arrays, each with the element at which its part begins. Nothing is
checked.
"""

from __future__ import annotations

from typing import TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils

from glassware.engine.vectors import FLOATS, INDEX, INTS, ROW
from glassware.tabular.cpu.vectors import ZERO, Code, operation

CHUNK = 8  # panels whose rows of weights are used together: four panels of 128 rows fill a first-level cache
ROWS = 8  # of a block; with two vectors that makes 16 sums, which leaves half of the 32 registers for their factors

WHOLE, _THREE = types.int64, types.UniTuple(types.int64, 3)
FLAT, _PLACES, _ENDS = (types.Array(kind, 1, "C") for kind in (types.float32, types.int32, types.int64))
PART = types.Tuple((FLAT, WHOLE))  # an array, and the element at which something begins
_LISTS = types.Tuple((FLAT, _PLACES, _ENDS))

# The same, as the body of an operation gets them.
Part: TypeAlias = tuple[ir.Value, ir.Value]
Three: TypeAlias = tuple[ir.Value, ir.Value, ir.Value]
Listed: TypeAlias = tuple[ir.Value, ir.Value, ir.Value]


@operation(PART, PART, PART, WHOLE, WHOLE, WHOLE, WHOLE, types.float32)
def forward(
    code: Code,
    z: Part,
    w: Part,
    x: Part,
    inputs: ir.Value,
    outputs: ir.Value,
    stride: ir.Value,
    vectors: ir.Value,
    least: ir.Value,
) -> None:
    """z = max(w x, least), for ``vectors`` times sixteen examples."""
    builder, (z, z_at), (w, w_at), (x, x_at) = code.builder, z, w, x
    count, floor = code.at(inputs, (1, 1)), code.spread(least)

    def block(column: ir.Value, neuron: ir.Value, first: ir.Value, size: int) -> None:
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

    panel = code.at(ZERO, (count, ROW))
    with code.loop(code.over(outputs, ROWS)) as turn:
        half = builder.and_(turn.index, ir.Constant(INDEX, 1))
        pair = builder.lshr(turn.index, ir.Constant(INDEX, 1))
        column, neuron = code.at(w_at, (pair, panel), (half, ROWS)), code.at(ZERO, (turn.index, ROWS))
        code.split(vectors, (2, 1), lambda first, size: block(column, neuron, first, size))


@operation(PART, PART, PART, PART, WHOLE, WHOLE, WHOLE, WHOLE)
def backward(
    code: Code,
    to: Part,
    d: Part,
    w: Part,
    x: Part,
    inputs: ir.Value,
    outputs: ir.Value,
    stride: ir.Value,
    vectors: ir.Value,
) -> None:
    """Slopes of a layer's inputs from those of its outputs: w' d where x > 0, else 0."""
    builder, (to, to_at), (d, d_at), (w, w_at), (x, x_at) = code.builder, to, d, w, x
    panel, row, none = code.at(ir.Constant(INDEX, ROW), (inputs, ROW)), ir.Constant(INDEX, ROW), code.constant(0.0)

    def block(feature: ir.Value, first: ir.Value, size: int) -> None:
        sums = code.sums(ROWS * size)
        source = code.at(d_at, (first, ROW))
        with code.loop(code.over(outputs, ROW)) as outer:
            begin = builder.mul(outer.index, row)
            start = code.at(w_at, (feature, ROW), (outer.index, panel))
            with code.loop(code.least(builder.sub(outputs, begin), row)) as loop:
                weight = code.at(start, (loop.index, 1))
                slope = code.at(source, (builder.add(begin, loop.index), stride))
                code.add(
                    sums,
                    [code.copies(w, code.at(weight, (r, ROW))) for r in range(ROWS)],
                    [code.load(d, code.at(slope, (v, ROW))) for v in range(size)],
                )
        here = code.at(ZERO, (feature, stride), (first, ROW))
        for r in range(ROWS):
            for v in range(size):
                place = code.at(here, (r, stride), (v, ROW))
                active = builder.fcmp_ordered(">", code.load(x, builder.add(x_at, place)), none)
                total = builder.select(active, builder.load(sums[r * size + v]), none)
                code.store(total, to, builder.add(to_at, place))

    with code.loop(code.over(inputs, ROWS)) as turn:
        feature = code.at(ZERO, (turn.index, ROWS))
        code.split(vectors, (2, 1), lambda first, size: block(feature, first, size))


def adam_numbers(code: Code, adam: Part) -> list[ir.Value]:
    """Beta 1, beta 2, the factors of m and v, epsilon squared, coupled decay, and the share that decoupled decay leaves
    of weights and of biases; each spread over a vector."""
    adam, adam_at = adam
    return [code.copies(adam, code.at(adam_at, (i, 1))) for i in range(8)]


def adam_step(
    code: Code,
    w: ir.Value,
    m: ir.Value,
    v: ir.Value,
    here: ir.Value,
    gradient: ir.Value,
    numbers: list[ir.Value],
    kept: ir.Value,
) -> ir.Value:
    """Update sixteen weights and return them; decoupled decay leaves the share ``kept`` of each."""
    beta1, beta2, rise, spread, tiny, coupled = numbers[:6]
    weight = code.load(w, here)
    gradient = code.fma(coupled, weight, gradient)
    mean = code.fma(beta1, code.load(m, here), gradient)
    square = code.fma(beta2, code.load(v, here), code.times(gradient, gradient))
    code.store(mean, m, here)
    code.store(square, v, here)
    root = code.reciprocal_root(code.fma(spread, square, tiny))
    moved = code.fma(code.times(rise, mean), root, code.times(kept, weight))
    code.store(moved, w, here)
    return moved


@operation(FLAT, FLAT, FLAT, WHOLE, PART, PART, WHOLE, WHOLE, WHOLE, WHOLE, PART)
def update(
    code: Code,
    w: ir.Value,
    m: ir.Value,
    v: ir.Value,
    w_at: ir.Value,
    x: Part,
    slopes: Part,
    inputs: ir.Value,
    outputs: ir.Value,
    stride: ir.Value,
    examples: ir.Value,
    adam: Part,
) -> None:
    """A step of Adam (:func:`adam_numbers`) with the gradient x slopes over the first ``examples``; slopes are in
    panels."""
    builder, (x, x_at), (slopes, slopes_at) = code.builder, x, slopes
    numbers = adam_numbers(code, adam)
    panel, slope_panel = code.at(ir.Constant(INDEX, ROW), (inputs, ROW)), code.at(ZERO, (stride, ROW))

    def block(rows: int, feature: ir.Value, first: ir.Value, size: int, kept: ir.Value) -> None:
        sums = code.sums(rows * size)
        source, slope = code.at(x_at, (feature, stride)), code.at(slopes_at, (first, slope_panel))
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
                adam_step(code, w, m, v, here, builder.load(sums[r * size + j]), numbers, kept)

    def panels(first: ir.Value, size: int) -> None:
        with code.loop(code.over(inputs, ROWS)) as turn:
            block(ROWS, code.at(ZERO, (turn.index, ROWS)), first, size, numbers[6])

    code.split(code.over(outputs, ROW), (2, 1), panels)
    with code.loop(code.over(outputs, ROW)) as loop:
        block(1, inputs, loop.index, 1, numbers[7])


@operation(PART, _THREE, PART, _THREE, WHOLE, WHOLE)
def transpose(
    code: Code, out: Part, out_steps: Three, source: Part, steps: Three, outer: ir.Value, inner: ir.Value
) -> None:
    """Transpose ``outer`` times ``inner`` blocks of sixteen rows of sixteen.

    ``steps`` and ``out_steps`` are the distances between outer blocks, between inner ones, and between rows.
    """
    builder, (out, out_at), (source, at) = code.builder, out, source
    (far, near, row), (out_far, out_near, out_row) = steps, out_steps
    low = ir.Constant(INTS, [i // 2 + ROW * (i % 2) for i in range(ROW)])
    high = ir.Constant(INTS, [ROW // 2 + i // 2 + ROW * (i % 2) for i in range(ROW)])
    with code.loop(outer) as one, code.loop(inner) as two:
        here = code.at(at, (one.index, far), (two.index, near))
        there = code.at(out_at, (one.index, out_far), (two.index, out_near))
        block = [code.load(source, code.at(here, (i, row))) for i in range(ROW)]
        for _ in range(4):  # interleave the upper and the lower half; log2(16) times transposes
            block = [
                builder.shuffle_vector(block[i], block[i + ROW // 2], order)
                for i in range(ROW // 2)
                for order in (low, high)
            ]
        for i, vector in enumerate(block):
            code.store(vector, out, code.at(there, (i, out_row)))


@operation(_LISTS, PART, WHOLE, WHOLE, WHOLE)
def list_nonzero(code: Code, lists: Listed, x: Part, panels: ir.Value, stride: ir.Value, examples: ir.Value) -> None:
    """List what is not 0 of each example: the values, and where their rows begin in a panel of weights.

    Example b's list begins at ``b * (16 * panels + 16)``. ``ends`` has, for every example, where its list begins, and
    where the entries of the first 128 features end, of the second 128, and so on.
    """
    builder, (values, places, ends), (x, x_at) = code.builder, lists, x
    chunks, room = code.over(panels, CHUNK), code.at(ir.Constant(INDEX, ROW), (panels, ROW))
    panel, count = code.at(ZERO, (stride, ROW)), cgutils.alloca_once(builder, INDEX)
    with code.loop(examples) as example:
        builder.store(builder.mul(example.index, room), count)
        line = builder.mul(example.index, code.at(chunks, (1, 1)))
        builder.store(builder.load(count), builder.gep(ends, [line]))
        with code.loop(chunks) as part:
            first = code.at(ZERO, (part.index, CHUNK))
            with code.loop(code.least(builder.sub(panels, first), ir.Constant(INDEX, CHUNK))) as inner:
                number = builder.add(first, inner.index)
                vector = code.load(x, code.at(x_at, (number, panel), (example.index, ROW)))
                code.compress(vector, number, values, places, count)
            builder.store(builder.load(count), builder.gep(ends, [code.at(line, (1, 1), (part.index, 1))]))


@operation(PART, PART, PART, WHOLE, PART, WHOLE, _LISTS, WHOLE, WHOLE, WHOLE, WHOLE)
def sparse_product(
    code: Code,
    z: Part,
    mask: Part,
    w: Part,
    panel: ir.Value,
    start: Part,
    start_step: ir.Value,
    lists: Listed,
    features: ir.Value,
    panels: ir.Value,
    stride: ir.Value,
    examples: ir.Value,
) -> None:
    """z = start + the sum of each example's values times their rows of w, 0 where mask <= 0; all in panels.

    ``features`` are the panels that were listed, ``panels`` those of z; ``panel`` is the size of one of w.
    """
    builder, (z, z_at), (mask, mask_at), (w, w_at), (start, start_at) = code.builder, z, mask, w, start
    values, places, ends = lists
    none, chunks, room = code.constant(0.0), code.over(features, CHUNK), code.at(ZERO, (stride, ROW))

    def block(first: ir.Value, size: int) -> None:
        rows = [builder.gep(w, [code.at(w_at, (first, panel), (j, panel))]) for j in range(size)]
        starts = [code.load(start, code.at(start_at, (first, start_step), (j, start_step))) for j in range(size)]
        with code.loop(chunks) as part, code.loop(examples) as example:
            line = code.at(part.index, (example.index, code.at(chunks, (1, 1))))
            begin = builder.load(builder.gep(ends, [line]))
            end = builder.load(builder.gep(ends, [code.at(line, (1, 1))]))
            here = code.at(ZERO, (first, room), (example.index, ROW))
            sums = [cgutils.alloca_once(builder, FLOATS) for _ in range(size)]
            for j, place in enumerate(sums):
                builder.store(starts[j], place)
            with builder.if_then(builder.icmp_unsigned("!=", part.index, ZERO)):
                for j, place in enumerate(sums):
                    builder.store(code.load(z, code.at(z_at, (here, 1), (j, room))), place)
            with code.loop(builder.sub(end, begin)) as loop:
                at = builder.add(begin, loop.index)
                value = code.copies(values, at)
                row = builder.zext(builder.load(builder.gep(places, [at])), INDEX)
                for j, place in enumerate(sums):
                    builder.store(code.fma(value, code.load(rows[j], row), builder.load(place)), place)
            for j, place in enumerate(sums):
                code.store(builder.load(place), z, code.at(z_at, (here, 1), (j, room)))
            with builder.if_then(builder.icmp_unsigned("==", code.at(part.index, (1, 1)), chunks)):
                for j, place in enumerate(sums):
                    level = code.load(mask, code.at(mask_at, (here, 1), (j, room)))
                    total = builder.select(builder.fcmp_ordered("<=", level, none), none, builder.load(place))
                    code.store(total, z, code.at(z_at, (here, 1), (j, room)))  # what is NaN stays

    code.split(panels, (4, 2, 1), block)
