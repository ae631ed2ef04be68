"""A layer's matrix products of bfloat16 numbers ("halves"), summed in float32: half the time of ``products``.

One instruction multiplies sixteen pairs of halves by sixteen other pairs and adds both products of a pair to a float32
sum. So the axis that is summed over lies in pairs, each in the room of a float. A product's left factor lies as (rows,
pairs), one pair being spread over a vector; its right factor lies in panels, (panels, pairs, 16):

- ``x`` and ``d``, inputs and slopes: rows are examples, pairs are of features; for the products forward and back;
- ``x_transposed``: rows are features, pairs are of examples, and ``d_panels``, panels of the same pairs; for gradients;
- ``w_panels``: panels of outputs, pairs of inputs, forward, and ``w_transposed``: the other way round, back.

The weights that are learnt, biases, Adam's averages and the network's outputs are float32, as in ``products``.
Examples are taken eight at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from llvmlite import ir

from glassware.engine.vectors import FLOATS, INDEX, INTS, ROW
from glassware.tabular.cpu.products import FLAT, PART, ROWS, WHOLE, Part, adam_numbers, adam_step
from glassware.tabular.cpu.vectors import ZERO, Code, operation

HALF = ROW // 2

_SIDE_BY_SIDE = [i // 2 + ROW * (i % 2) for i in range(ROW * 2)]
ONES = ir.Constant(INTS, [0x3F803F80] * ROW)  # pairs of 1.0


class _Tile(NamedTuple):
    """``size`` panels from ``first`` on, for eight examples from ``example`` on."""

    first: ir.Value
    example: ir.Value
    size: int


def _product(
    code: Code, rows: list[Part], panels: list[Part], pairs: ir.Value, starts: Sequence[ir.Value] = ()
) -> list[ir.Value]:
    """Sums (rows, panels) over ``pairs`` of rows and panels, each an array and where it begins."""
    sums = code.sums(len(rows) * len(panels))
    for v, start in enumerate(starts):
        for place in sums[v :: len(panels)]:
            code.builder.store(start, place)
    with code.loop(pairs) as loop:
        code.add_pairs(
            sums,
            [code.copies(base, code.at(at, (loop.index, 1))) for base, at in rows],
            [code.load(base, code.at(at, (loop.index, ROW))) for base, at in panels],
        )
    return [code.builder.load(place) for place in sums]


def paired(code: Code, first: ir.Value, second: ir.Value) -> ir.Value:
    """Pairs with one half from each vector, in the room of sixteen floats."""
    both = code.halves(first, second)
    return code.builder.bitcast(code.pick(both, both, _SIDE_BY_SIDE), FLOATS)


def _keep(
    code: Code, tile: _Tile, found: list[ir.Value], to: Part, row: ir.Value, to_panels: Part, panel: ir.Value
) -> None:
    """Store a tile of eight examples as rows ``row`` apart, and as panels ``panel`` apart."""
    (first, example, size), (rows, rows_at), (panels, panels_at) = tile, to, to_panels
    rows_at = code.at(rows_at, (example, row), (first, HALF))
    panels_at = code.at(panels_at, (first, panel), (example, HALF))
    for r in range(ROWS):
        line = found[r * size : (r + 1) * size]
        both = code.builder.bitcast(code.halves(line[0], line[-1]), FLOATS)
        both = both if size == 2 else code.pick(both, both, range(HALF))
        code.store(both, rows, code.at(rows_at, (r, row)))
    for r in range(0, ROWS, 2):
        for v in range(size):
            together = paired(code, found[r * size + v], found[(r + 1) * size + v])
            code.store(together, panels, code.at(panels_at, (r // 2, ROW), (v, panel)))


def _tiles(code: Code, panels: ir.Value, groups: ir.Value, body: Callable[[_Tile], None]) -> None:
    """Call body for all tiles of these panels and groups of eight examples."""

    def across(first: ir.Value, size: int) -> None:
        with code.loop(groups) as loop:
            body(_Tile(first, code.at(ZERO, (loop.index, ROWS)), size))

    code.split(panels, (2, 1), across)


def half(code: Code, number: ir.Value) -> ir.Value:
    """An even number divided by two."""
    return code.builder.lshr(number, ir.Constant(INDEX, 1))


def _forward(code: Code, tile: _Tile, w_panels: Part, w: Part, x: Part, inputs: ir.Value) -> list[ir.Value]:
    """A tile of w x, with biases."""
    (first, example, size), (w_panels, panels_at), (w, w_at), (x, x_at) = tile, w_panels, w, x
    pairs = half(code, inputs)
    panel, bias_panel = code.at(ZERO, (pairs, ROW)), code.at(ir.Constant(INDEX, ROW), (inputs, ROW))
    here, bias = code.at(panels_at, (first, panel)), code.at(w_at, (inputs, ROW), (first, bias_panel))
    start = code.at(x_at, (example, pairs))
    return _product(
        code,
        [(x, code.at(start, (r, pairs))) for r in range(ROWS)],
        [(w_panels, code.at(here, (v, panel))) for v in range(size)],
        pairs,
        [code.load(w, code.at(bias, (v, bias_panel))) for v in range(size)],
    )


@operation(PART, PART, PART, PART, PART, WHOLE, WHOLE, WHOLE, WHOLE)
def hidden(
    code: Code,
    to: Part,
    to_panels: Part,
    w_panels: Part,
    w: Part,
    x: Part,
    inputs: ir.Value,
    panels: ir.Value,
    stride: ir.Value,
    groups: ir.Value,
) -> None:
    """max(w x, 0) for ``groups`` of eight examples, as rows and as panels."""
    builder, none = code.builder, code.constant(0.0)
    row, panel = code.at(ZERO, (panels, HALF)), code.at(ZERO, (stride, HALF))

    def body(tile: _Tile) -> None:
        sums = _forward(code, tile, w_panels, w, x, inputs)
        found = [builder.select(builder.fcmp_ordered("<", total, none), none, total) for total in sums]  # NaN stays
        _keep(code, tile, found, to, row, to_panels, panel)

    _tiles(code, panels, groups, body)


@operation(PART, PART, PART, PART, WHOLE, WHOLE, WHOLE)
def output(
    code: Code, to: Part, w_panels: Part, w: Part, x: Part, inputs: ir.Value, panels: ir.Value, groups: ir.Value
) -> None:
    """w x for ``groups`` of eight examples: rows of floats."""
    row = code.at(ZERO, (panels, ROW))

    def body(tile: _Tile) -> None:
        here = code.at(to[1], (tile.example, row), (tile.first, ROW))
        for i, total in enumerate(_forward(code, tile, w_panels, w, x, inputs)):
            code.store(total, to[0], code.at(here, (i // tile.size, row), (i % tile.size, ROW)))

    _tiles(code, panels, groups, body)


@operation(PART, PART, PART, WHOLE, WHOLE, WHOLE)
def halve_slopes(
    code: Code, to: Part, to_panels: Part, d: Part, panels: ir.Value, stride: ir.Value, groups: ir.Value
) -> None:
    """Round rows of floats to halves: as rows and as panels."""
    columns, row, panel = code.at(ZERO, (panels, ROW)), code.at(ZERO, (panels, HALF)), code.at(ZERO, (stride, HALF))

    def body(tile: _Tile) -> None:
        here = code.at(d[1], (tile.example, columns), (tile.first, ROW))
        places = [code.at(here, (r, columns), (v, ROW)) for r in range(ROWS) for v in range(tile.size)]
        _keep(code, tile, [code.load(d[0], at) for at in places], to, row, to_panels, panel)

    _tiles(code, panels, groups, body)


@operation(PART, PART, PART, PART, PART, WHOLE, WHOLE, WHOLE, WHOLE)
def backward(
    code: Code,
    to: Part,
    to_panels: Part,
    x: Part,
    w_transposed: Part,
    d: Part,
    inputs: ir.Value,
    outputs: ir.Value,
    stride: ir.Value,
    groups: ir.Value,
) -> None:
    """Slopes of a layer's inputs from those of its outputs: w' d where x > 0, else 0; as rows and as panels."""
    builder, none = code.builder, ir.Constant(ir.VectorType(ir.IntType(16), ROW), None)
    panels, columns = code.over(outputs, ROW), half(code, inputs)
    pairs, room, panel = code.over(outputs, 2), code.at(ZERO, (panels, HALF)), code.at(ZERO, (stride, HALF))
    transposed = code.at(ZERO, (room, ROW))

    def body(tile: _Tile) -> None:
        first, example, size = tile
        start, here = code.at(d[1], (example, room)), code.at(w_transposed[1], (first, transposed))
        sums = _product(
            code,
            [(d[0], code.at(start, (r, room))) for r in range(ROWS)],
            [(w_transposed[0], code.at(here, (v, transposed))) for v in range(size)],
            pairs,
        )
        mask, found = code.at(x[1], (example, columns), (first, HALF)), []
        for i, total in enumerate(sums):
            # A half is above 0 if its bits, read as a signed integer, are.
            level = code.load(x[0], code.at(mask, (i // size, columns), (i % size, HALF)), none.type)
            found.append(builder.select(builder.icmp_signed(">", level, none), total, code.constant(0.0)))
        _keep(code, tile, found, to, columns, to_panels, panel)

    _tiles(code, code.over(inputs, ROW), groups, body)


@operation(FLAT, FLAT, FLAT, WHOLE, PART, PART, PART, WHOLE, WHOLE, WHOLE, WHOLE, PART)
def update(
    code: Code,
    w: ir.Value,
    m: ir.Value,
    v: ir.Value,
    w_at: ir.Value,
    w_panels: Part,
    x_transposed: Part,
    d_panels: Part,
    inputs: ir.Value,
    outputs: ir.Value,
    stride: ir.Value,
    examples: ir.Value,
    adam: Part,
) -> None:
    """As ``products.update``; also writes the new weights into their panels."""
    numbers, pairs, line = adam_numbers(code, adam), code.over(examples, 2), half(code, stride)
    panel, slope_panel = code.at(ir.Constant(INDEX, ROW), (inputs, ROW)), code.at(ZERO, (line, ROW))
    half_panel = code.at(ZERO, (inputs, HALF))

    def learn(found: list[ir.Value], feature: ir.Value, first: ir.Value, size: int, kept: ir.Value) -> list[ir.Value]:
        start = code.at(w_at, (first, panel), (feature, ROW))
        places = [code.at(start, (i % size, panel), (i // size, ROW)) for i in range(len(found))]
        return [adam_step(code, w, m, v, at, one, numbers, kept) for at, one in zip(places, found, strict=True)]

    def block(first: ir.Value, size: int) -> None:
        slopes = [(d_panels[0], code.at(d_panels[1], (first, slope_panel), (j, slope_panel))) for j in range(size)]
        with code.loop(code.over(inputs, ROWS)) as turn:
            feature = code.at(ZERO, (turn.index, ROWS))
            source = code.at(x_transposed[1], (feature, line))
            found = _product(code, [(x_transposed[0], code.at(source, (r, line))) for r in range(ROWS)], slopes, pairs)
            weights = learn(found, feature, first, size, numbers[6])
            here = code.at(w_panels[1], (first, half_panel), (feature, HALF))
            for r in range(0, ROWS, 2):
                for j in range(size):
                    both = paired(code, weights[r * size + j], weights[(r + 1) * size + j])
                    code.store(both, w_panels[0], code.at(here, (r // 2, ROW), (j, half_panel)))
        sums = code.sums(size)
        with code.loop(pairs) as loop:
            slope = [code.load(base, code.at(at, (loop.index, ROW))) for base, at in slopes]
            code.add_pairs(sums, [ONES], slope)
        learn([code.builder.load(place) for place in sums], inputs, first, size, numbers[7])

    code.split(code.over(outputs, ROW), (2, 1), block)
