"""How XLA calls a compiled function: it hands over the address of a frame, which names the arrays.

The layout is that of XLA's C interface for foreign functions (``xla/ffi/api/c_api.h``, major version 0); offsets count
words of eight bytes. A frame holds the arguments' list in word 9 and the results' in word 14; a buffer its data in word
3 and its dimensions in word 5. Everything here becomes a part of whatever calls it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import jax
from llvmlite import ir
from numba import types
from numba.core import typing
from numba.core.base import BaseContext
from numba.extending import intrinsic

from glassware.engine.machine_code import Callback, inlined

HANDLER = types.int64(types.int64)  # from the frame's address to that of an error, or 0
ARGUMENTS, RESULTS = 9, 14
METADATA = 1  # the extension by which XLA asks which version of the interface a function is written for

Typed = tuple[typing.Signature, Callable[..., ir.Value]]


@intrinsic  # type: ignore[untyped-decorator]
def word(typingctx: typing.Context, address: types.Type, place: types.Type) -> Typed:
    """The word at this place behind an address."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        return builder.load(_pointer(builder, *arguments))

    return types.int64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def put(typingctx: typing.Context, address: types.Type, place: types.Type, value: types.Type) -> Typed:
    """Overwrite the word at this place behind an address."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: typing.Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        address, place, value = arguments
        builder.store(value, _pointer(builder, address, place))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


def _pointer(builder: ir.IRBuilder, address: ir.Value, place: ir.Value) -> ir.Value:
    base = builder.inttoptr(address, ir.IntType(64).as_pointer())
    return builder.gep(base, [place])


@inlined
def only_asked(frame: int) -> bool:
    """Whether XLA only asks for the version, as it does once before the first call; if so, answer: its own."""
    extension = word(frame, 1)
    if extension == 0 or word(extension, 1) & 0xFFFFFFFF != METADATA:
        return False
    metadata = word(extension, 3)
    put(metadata, 3, word(word(frame, 2), 4))
    put(metadata, 4, 0)
    return True


@inlined
def data(frame: int, of: int, number: int) -> int:
    """The address of an argument's or a result's first element."""
    return word(word(word(frame, of), number), 3)


@inlined
def size(frame: int, of: int, number: int, axis: int) -> int:
    """The length of an axis of an argument or a result."""
    return word(word(word(word(frame, of), number), 5), axis)


def register(name: str, compiled: Callback) -> None:
    """Let XLA call this function on CPU cores under this name."""
    _alive.append(compiled)  # its machine code must outlive every program that calls it
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    jax.ffi.register_ffi_target(name, capsule(compiled.address, None, None), platform="cpu")


_alive: list[object] = []
