"""The products of ``half_products`` for a layer of one output or two, where most of a panel would be empty.

Eight pairs are summed at once, ``few`` being (pairs, 2), and the eight sums are added up at the end.
"""

from __future__ import annotations

from llvmlite import ir

from glassware.engine.vectors import ROW
from glassware.tabular.cpu.half_products import HALF, ONES, half, paired
from glassware.tabular.cpu.products import FLAT, PART, ROWS, WHOLE, Part, adam_numbers, adam_step
from glassware.tabular.cpu.vectors import ZERO, Code, operation

_EIGHT = ir.VectorType(ir.FloatType(), HALF)


def _few(code: Code, rows: list[Part], few: Part, count: ir.Value) -> list[ir.Value]:
    """Products of each row, and of a row of ones, with two columns: sums over ``count`` times eight pairs in the first
    two elements, 0 in the others."""
    sums = code.sums(len(rows) + 1)
    with code.loop(count) as loop:
        eight = [code.load(base, code.at(at, (loop.index, HALF)), _EIGHT) for base, at in rows]
        twice = [code.pick(vector, vector, [i // 2 for i in range(ROW)]) for vector in eight]
        code.add_pairs(sums, [*twice, ONES], [code.load(few[0], code.at(few[1], (loop.index, ROW)))])
    found = [code.builder.load(place) for place in sums]
    for far in (8, 4, 2):
        folded = [code.pick(total, total, [(i + far) % ROW for i in range(ROW)]) for total in found]
        found = [code.builder.fadd(one, other) for one, other in zip(found, folded, strict=True)]
    return [code.pick(total, code.constant(0.0), [i if i < 2 else ROW for i in range(ROW)]) for total in found]


@operation(PART, PART, PART, PART, WHOLE, WHOLE)
def output_few(code: Code, to: Part, few: Part, w: Part, x: Part, inputs: ir.Value, groups: ir.Value) -> None:
    """``output`` for one output or two."""
    bias, pairs = code.load(w[0], code.at(w[1], (inputs, ROW))), half(code, inputs)
    with code.loop(groups) as loop:
        start = code.at(x[1], (loop.index, code.at(ZERO, (pairs, ROWS))))
        rows = [(x[0], code.at(start, (r, pairs))) for r in range(ROWS)]
        for r, total in enumerate(_few(code, rows, few, code.over(pairs, HALF))[:ROWS]):
            place = code.at(to[1], (loop.index, ROWS * ROW), (r, ROW))
            code.store(code.builder.fadd(total, bias), to[0], place)


@operation(FLAT, FLAT, FLAT, WHOLE, PART, PART, PART, WHOLE, WHOLE, WHOLE, PART)
def update_few(
    code: Code,
    w: ir.Value,
    m: ir.Value,
    v: ir.Value,
    w_at: ir.Value,
    w_panels: Part,
    x_transposed: Part,
    few: Part,
    inputs: ir.Value,
    stride: ir.Value,
    examples: ir.Value,
    adam: Part,
) -> None:
    """``update`` for one output or two. Slopes are 0 up to a whole number of eight pairs."""
    numbers, line, count = adam_numbers(code, adam), half(code, stride), code.over(examples, ROW)
    last = code.sums(1)[0]
    with code.loop(code.over(inputs, ROWS)) as loop:
        feature = code.at(ZERO, (loop.index, ROWS))
        source = code.at(x_transposed[1], (feature, line))
        *found, ones = _few(code, [(x_transposed[0], code.at(source, (r, line))) for r in range(ROWS)], few, count)
        code.builder.store(ones, last)
        places = [code.at(w_at, (feature, ROW), (r, ROW)) for r in range(ROWS)]
        found = [adam_step(code, w, m, v, at, one, numbers, numbers[6]) for at, one in zip(places, found, strict=True)]
        for r in range(0, ROWS, 2):
            place = code.at(w_panels[1], (feature, HALF), (r // 2, ROW))
            code.store(paired(code, found[r], found[r + 1]), w_panels[0], place)
    adam_step(code, w, m, v, code.at(w_at, (inputs, ROW)), code.builder.load(last), numbers, numbers[7])
