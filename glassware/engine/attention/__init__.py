"""Kernels for attention: on CPU cores compiled by Numba and called by XLA's programs, on GPUs by Pallas."""

from __future__ import annotations

import logging
import re
from functools import cache
from pathlib import Path

import jax

from glassware.foundation.errors import GlasswareError
from glassware.models import causal_attention, dropped_attention
from glassware.models.causal_attention import Attend

MOST_FEATURES = 64  # in all, for which a kernel is compiled on CPU cores

log = logging.getLogger("glassware")


def load(f: int, g: int, v: int, t: int) -> Attend | None:
    """The kernel for so many features of keys, offsets and values, and positions; None where there is none."""
    platform = jax.default_backend()
    if platform == "cpu" and f + g + v <= MOST_FEATURES:
        return load_for_cores()
    if platform == "gpu":
        from glassware.engine.attention import gpu  # Pallas takes a while to import

        return gpu.kernel() if gpu.takes(f, g, v, t) else None
    return None


def load_dropped(width: int, heads: int) -> dropped_attention.Attend | None:
    """The kernel for tokens with dropout on every number; None where there is none, as on CPU cores."""
    if jax.default_backend() != "gpu":
        return None
    from glassware.engine.attention import dropped

    return dropped.kernel() if dropped.takes(width, heads) else None


@cache
def load_for_cores() -> Attend | None:
    """The kernel for CPU cores; None, with a sentence in the log, where it cannot be had."""
    try:  # Numba takes a second to import: only when it is used
        check_interface()
        from glassware.engine.attention.kernel import attend
    except Exception as error:  # no Numba, or one that does not know this machine
        log.warning("no attention kernel (%s); using XLA", error)
        return None
    return attend


def check_interface() -> None:
    """Refuse a JAX whose interface for foreign functions may have another layout than ``calls`` knows."""
    header = Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h"
    major = re.search(r"#define XLA_FFI_API_MAJOR +(\d+)", header.read_text())
    if major is None or major[1] != "0":
        raise GlasswareError("XLA's interface for foreign functions is not of version 0")


def offer() -> None:
    """Let transformers use the kernels."""
    causal_attention.provide(load)
    dropped_attention.provide(load_dropped)
