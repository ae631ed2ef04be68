"""What attention does for one query of sixteen sequences at a time, in vector instructions (``engine.vectors``).

Sixteen sequences are the elements of a vector, so that nothing is padded, masked or summed across a vector, and keys
that lie ahead cost nothing. Arrays come as addresses: (features, blocks, t, 16), of which ``plane`` floats per feature;
``here`` is where the block's position 0 lies in a plane.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.core.base import BaseContext
from numba.extending import intrinsic

from glassware.engine.attention.calls import Typed
from glassware.engine.vectors import FLOATS, INDEX, INTS, ROW, Vectors

# exp(r) = 1 + r + r^2 p(r) for |r| <= ln(2) / 2: minimax, as in Cephes.
EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
LOG2_E, LN2_HIGH, LN2_LOW = 1.44269504088896341, 0.693359375, -2.12194440e-4
LEAST = -87.0  # below it exp has no float32 with all its digits


class _Code(Vectors):
    """What a pass is written with."""

    def floats(self, address: ir.Value) -> ir.Value:
        return self.builder.inttoptr(address, ir.FloatType().as_pointer())

    def planes(self, address: ir.Value, count: int, plane: ir.Value, here: ir.Value) -> list[ir.Value]:
        """Where each feature of this block begins."""
        base, builder = self.floats(address), self.builder
        starts = [builder.add(here, builder.mul(plane, ir.Constant(INDEX, i))) for i in range(count)]
        return [builder.gep(base, [start]) for start in starts]

    def sum(self, count: int) -> list[ir.Value]:
        """Room for vectors that begin at 0."""
        return [cgutils.alloca_once_value(self.builder, self.constant(0.0)) for _ in range(count)]

    def add(self, total: ir.Value, a: ir.Value, b: ir.Value) -> None:
        """total += a b"""
        self.builder.store(self.fma(a, b, self.builder.load(total)), total)

    def add_at(self, base: ir.Value, at: ir.Value, a: ir.Value, b: ir.Value) -> None:
        """The vector in memory += a b."""
        self.store(self.fma(a, b, self.load(base, at)), base, at)

    def larger(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """max(a, b); NaN if a is."""
        return self.builder.select(self.builder.fcmp_ordered("<", a, b), b, a)

    def exp(self, x: ir.Value) -> ir.Value:
        """exp of numbers up to 0, to 1e-7 of their size; at least exp(-87); NaN stays."""
        builder = self.builder
        x = self.larger(x, self.constant(LEAST))
        kind = ir.FunctionType(FLOATS, [FLOATS])
        nearest = cgutils.get_or_insert_function(builder.module, kind, f"llvm.nearbyint.v{ROW}f32")
        n = builder.call(nearest, [self.times(x, self.constant(LOG2_E))])
        r = self.fma(n, self.constant(-LN2_HIGH), x)
        r = self.fma(n, self.constant(-LN2_LOW), r)
        p = self.constant(EXP[0])
        for coefficient in EXP[1:]:
            p = self.fma(p, r, self.constant(coefficient))
        p = builder.fadd(self.fma(p, self.times(r, r), r), self.constant(1.0))
        exponent = builder.add(builder.fptosi(n, INTS), ir.Constant(INTS, [127] * ROW))
        return self.times(p, builder.bitcast(builder.shl(exponent, ir.Constant(INTS, [23] * ROW)), FLOATS))


@intrinsic  # type: ignore[untyped-decorator]
def clear(typingctx: typing.Context, address: types.Type, count: types.Type) -> Typed:
    """Set so many floats to 0."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        address, count = arguments
        base = builder.inttoptr(address, ir.IntType(8).as_pointer())
        cgutils.memset(builder, base, builder.mul(count, ir.Constant(INDEX, 4)), 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def look(
    typingctx: typing.Context,
    sizes: types.Type,
    arrays: types.Type,
    plane: types.Type,
    here: types.Type,
    query: types.Type,
) -> Typed:
    """One query: exp(score - largest) of every key up to it, their inverse sum, and the means of the values.

    Args:
        sizes: key features, position features, value features.
        arrays: alpha, kappa, phi, table, nu; weights (of this query), inverse, out.
        plane, here, query: see above; the query's position.
    """

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        f, g, v = (kind.literal_value for kind in signature.args[0])
        code = _Code(builder)
        plane, here, query = arguments[2:]
        alpha, kappa, phi, table, nu, weights, inverse, out = cgutils.unpack_tuple(builder, arguments[1])
        row = builder.mul(query, ir.Constant(INDEX, ROW))
        count = builder.add(query, ir.Constant(INDEX, 1))
        keys, values = code.planes(kappa, f, plane, here), code.planes(nu, v, plane, here)
        asks = [code.load(base, row) for base in code.planes(alpha, f, plane, here)]
        places = [code.load(base, row) for base in code.planes(phi, g, plane, here)]
        table, weights = code.floats(table), code.floats(weights)
        largest = cgutils.alloca_once_value(builder, code.constant(float("-inf")))
        with code.loop(count) as key:
            at = builder.mul(key.index, ir.Constant(INDEX, ROW))
            offset = builder.mul(builder.sub(query, key.index), ir.Constant(INDEX, g))
            score = code.constant(0.0)
            for ask, base in zip(asks, keys, strict=True):
                score = code.fma(ask, code.load(base, at), score)
            for i, place in enumerate(places):
                entry = code.element(table, builder.add(offset, ir.Constant(INDEX, i)))
                score = code.fma(place, code.spread(entry), score)
            code.store(score, weights, at)
            builder.store(code.larger(score, builder.load(largest)), largest)
        top = builder.load(largest)
        (total,), sums = code.sum(1), code.sum(v)
        with code.loop(count) as key:
            at = builder.mul(key.index, ir.Constant(INDEX, ROW))
            weight = code.exp(builder.fsub(code.load(weights, at), top))
            code.store(weight, weights, at)
            builder.store(builder.fadd(builder.load(total), weight), total)
            for sum_, base in zip(sums, values, strict=True):
                code.add(sum_, weight, code.load(base, at))
        share = builder.fdiv(code.constant(1.0), builder.load(total))
        code.store(share, code.planes(inverse, 1, plane, here)[0], row)
        for sum_, base in zip(sums, code.planes(out, v, plane, here), strict=True):
            code.store(code.times(builder.load(sum_), share), base, row)
        return context.get_dummy_value()

    return types.void(sizes, arrays, types.int64, types.int64, types.int64), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def learn(
    typingctx: typing.Context,
    sizes: types.Type,
    arrays: types.Type,
    slopes: types.Type,
    plane: types.Type,
    here: types.Type,
    query: types.Type,
) -> Typed:
    """One query's share of the gradients: those of its own features are set, those of keys, values and table added to.

    Args:
        sizes, plane, here, query: as for ``look``.
        arrays: alpha, kappa, phi, table, nu; weights (of this query), inverse, out, and the slopes of out.
        slopes: of alpha, kappa, phi, table (a vector per entry), nu.
    """

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        f, g, v = (kind.literal_value for kind in signature.args[0])
        code = _Code(builder)
        plane, here, query = arguments[3:]
        alpha, kappa, phi, table, nu, weights, inverse, out, d_out = cgutils.unpack_tuple(builder, arguments[1])
        d_alpha, d_kappa, d_phi, d_table, d_nu = cgutils.unpack_tuple(builder, arguments[2])
        row = builder.mul(query, ir.Constant(INDEX, ROW))
        of_query = lambda address, count: [code.load(base, row) for base in code.planes(address, count, plane, here)]
        asks, places, slope, mean = of_query(alpha, f), of_query(phi, g), of_query(d_out, v), of_query(out, v)
        (share,) = of_query(inverse, 1)
        keys, values = code.planes(kappa, f, plane, here), code.planes(nu, v, plane, here)
        d_keys, d_values = code.planes(d_kappa, f, plane, here), code.planes(d_nu, v, plane, here)
        table, d_table, weights = code.floats(table), code.floats(d_table), code.floats(weights)
        expected = code.constant(0.0)
        for a, b in zip(slope, mean, strict=True):
            expected = code.fma(a, b, expected)
        d_asks, d_places = code.sum(f), code.sum(g)
        with code.loop(builder.add(query, ir.Constant(INDEX, 1))) as key:
            at = builder.mul(key.index, ir.Constant(INDEX, ROW))
            offset = builder.mul(builder.sub(query, key.index), ir.Constant(INDEX, g))
            weight = code.times(code.load(weights, at), share)
            gain = code.constant(0.0)  # summed like ``expected``: a key with all the weight gets a slope of exactly 0
            for a, base in zip(slope, values, strict=True):
                gain = code.fma(a, code.load(base, at), gain)
            d_score = code.times(weight, builder.fsub(gain, expected))
            for a, base in zip(slope, d_values, strict=True):
                code.add_at(base, at, weight, a)
            for ask, base, d_base, d_ask in zip(asks, keys, d_keys, d_asks, strict=True):
                code.add(d_ask, d_score, code.load(base, at))
                code.add_at(d_base, at, d_score, ask)
            for i, (place, d_place) in enumerate(zip(places, d_places, strict=True)):
                entry = builder.add(offset, ir.Constant(INDEX, i))
                code.add(d_place, d_score, code.spread(code.element(table, entry)))
                code.add_at(d_table, builder.mul(entry, ir.Constant(INDEX, ROW)), d_score, place)
        for sum_, base in zip(d_asks, code.planes(d_alpha, f, plane, here), strict=True):
            code.store(builder.load(sum_), base, row)
        for sum_, base in zip(d_places, code.planes(d_phi, g, plane, here), strict=True):
            code.store(builder.load(sum_), base, row)
        return context.get_dummy_value()

    return types.void(sizes, arrays, slopes, types.int64, types.int64, types.int64), generate
