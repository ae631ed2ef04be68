"""A layer's weights as bfloat16 numbers, in the two layouts that ``half_products`` multiplies by."""

from __future__ import annotations

from llvmlite import ir

from glassware.engine.vectors import FLOATS, INDEX, ROW
from glassware.tabular.cpu.half_products import HALF, half, paired
from glassware.tabular.cpu.products import PART, WHOLE, Part
from glassware.tabular.cpu.vectors import SHORTS, ZERO, Code, operation


@operation(PART, PART, WHOLE, WHOLE)
def halve_weights(code: Code, w_panels: Part, w: Part, inputs: ir.Value, outputs: ir.Value) -> None:
    """Round a layer's weights to halves, in panels."""
    panel, half_panel = code.at(ir.Constant(INDEX, ROW), (inputs, ROW)), code.at(ZERO, (inputs, HALF))
    pairs = half(code, inputs)
    with code.loop(code.over(outputs, ROW)) as column, code.loop(pairs) as pair:
        here = code.at(w[1], (column.index, panel), (pair.index, 2 * ROW))
        both = paired(code, code.load(w[0], here), code.load(w[0], code.at(here, (ROW, 1))))
        code.store(both, w_panels[0], code.at(w_panels[1], (column.index, half_panel), (pair.index, ROW)))


@operation(PART, PART, WHOLE, WHOLE)
def transpose_weights(code: Code, w_transposed: Part, w_panels: Part, inputs: ir.Value, outputs: ir.Value) -> None:
    """Panels of inputs over outputs, from panels of outputs over inputs."""
    builder, pairs, panels = code.builder, half(code, inputs), code.over(outputs, ROW)
    panel, transposed = code.at(ZERO, (pairs, ROW)), code.at(ZERO, (panels, HALF * ROW))
    with code.loop(panels) as outer, code.loop(code.over(inputs, ROW)) as inner:
        here = code.at(w_panels[1], (outer.index, panel), (inner.index, HALF * ROW))
        there = code.at(w_transposed[1], (inner.index, transposed), (outer.index, HALF * ROW))
        block = [builder.bitcast(code.load(w_panels[0], code.at(here, (i, ROW))), SHORTS) for i in range(HALF)]
        for step in range(3):
            # A half's address consists of four bits of the input, i, and of the output, j. Each step swaps one pair:
            # from (vector: i3 i2 i1; place: j3 j2 j1 j0 i0) to (vector: j3 j2 j1; place: i3 i2 i1 i0 j0).
            block = [
                code.pick(block[i], block[i + HALF // 2], _swap(step, upper))
                for i in range(HALF // 2)
                for upper in (0, 1)
            ]
        for i, vector in enumerate(block):
            code.store(builder.bitcast(vector, FLOATS), w_transposed[0], code.at(there, (i, ROW)))


def _swap(step: int, upper: int) -> list[int]:
    """Which halves of two vectors a new vector takes, to swap one bit of their addresses."""
    found = []
    for place in range(2 * ROW):
        bits = [place >> (4 - k) & 1 for k in range(5)]
        other, bits[step] = bits[step], upper
        if step == 2:
            bits[3], bits[4] = bits[4], bits[3]
        found.append(2 * ROW * other + sum(bit << (4 - k) for k, bit in enumerate(bits)))
    return found
