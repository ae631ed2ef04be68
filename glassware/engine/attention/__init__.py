"""A kernel for causal attention on CPU cores, compiled by Numba when first used, and called by XLA's programs."""

from __future__ import annotations

import logging
import re
from functools import cache
from pathlib import Path

import jax

from glassware.foundation.errors import GlasswareError
from glassware.models.causal_attention import Attend, provide

log = logging.getLogger("glassware")


@cache
def load() -> Attend | None:
    """The kernel; None, with a sentence in the log, where it cannot be had."""
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
    """Let causal transformers use the kernel on CPU cores."""
    provide(load)
