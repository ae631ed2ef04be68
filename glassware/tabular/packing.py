"""Weights in few bytes: rounded to bfloat16 where training multiplied by no more, and packed when they are pickled."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from glassware.foundation.arrays import Params

UNUSED = np.uint32(0xFFFF)  # bits of a float32 that bfloat16 does not have


class Packed(NamedTuple):
    """Networks as a pickle holds them.

    Attributes:
        shapes: of the weights of each layer of each network.
        high: the upper bytes of all weights as bfloat16, deflated: signs and exponents repeat.
        low: the lower bytes, which look like noise.
        rest: biases, and weights that bfloat16 cannot hold, as they are.
    """

    shapes: list[list[tuple[int, ...]]]
    high: bytes
    low: bytes
    rest: list[np.ndarray]


def rounded(params: Params) -> Params:
    """The network with its weights rounded to bfloat16; biases stay."""
    return tuple({**layer, "w": _round(np.asarray(layer["w"], np.float32))} for layer in params)


def pack(members: Sequence[Params]) -> Packed:
    """Without loss: what :func:`unpack` returns is equal bit for bit."""
    words, rest = [np.zeros(0, np.uint16)], list[np.ndarray]()
    for params in members:
        for layer in params:
            own = np.ascontiguousarray(layer["w"], np.float32)
            bits = own.view(np.uint32)
            if np.any(bits & UNUSED):
                rest.append(own)
            else:
                words.append((bits >> np.uint32(16)).astype(np.uint16).ravel())
                rest.append(np.zeros(0, np.float32))
            rest.append(np.asarray(layer["b"]))
    whole = np.concatenate(words)
    deflate = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)  # neighbours have nothing in common
    high = deflate.compress((whole >> 8).astype(np.uint8).tobytes()) + deflate.flush()
    shapes = [[layer["w"].shape for layer in params] for params in members]
    return Packed(shapes, high, (whole & 0xFF).astype(np.uint8).tobytes(), rest)


def unpack(packed: Packed) -> list[Params]:
    """The networks."""
    high, low = (np.frombuffer(part, np.uint8) for part in (zlib.decompress(packed.high), packed.low))
    weights = (((high.astype(np.uint32) << 8) | low) << 16).view(np.float32)
    rest, start, members = iter(packed.rest), 0, list[Params]()
    for shapes in packed.shapes:
        layers = []
        for shape in shapes:
            own, bias = next(rest), next(rest)
            size = math.prod(list(shape))
            if not own.size:
                own = weights[start : start + size].reshape(shape).copy()
                start += size
            layers.append({"w": own, "b": bias})
        members.append(tuple(layers))
    return members


def _round(weights: np.ndarray) -> np.ndarray:
    """To the nearest bfloat16, halves to even."""
    bits = np.ascontiguousarray(weights).view(np.uint32)
    up = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return ((bits + up) & ~UNUSED).view(np.float32)
