"""A kernel for causal attention on CPU cores, compiled by Numba when first used, and called by XLA's programs."""

from __future__ import annotations

import logging
from functools import cache

from glassware.models.causal_attention import Attend, provide

log = logging.getLogger("glassware")


@cache
def load() -> Attend | None:
    """The kernel; None, with a sentence in the log, where it cannot be had."""
    try:  # Numba takes a second to import: only when it is used
        from glassware.engine.attention.kernel import attend
    except Exception as error:  # no Numba, or one that does not know this machine
        log.warning("no attention kernel (%s); using XLA", error)
        return None
    return attend


def offer() -> None:
    """Let causal transformers use the kernel on CPU cores."""
    provide(load)
