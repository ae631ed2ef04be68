"""Training on the machines of a cluster, by Ray: a sweep's runs are dealt in lots, as devices become free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from glassware.foundation.errors import GlasswareError

if TYPE_CHECKING:
    from glassware.sweeps import Trainer

RAY = "ray"


@contextmanager
def trainer(on: str | None, share: str | None = None) -> Iterator[Trainer | None]:
    """Who trains: None for this process, or a cluster.

    Args:
        on: ``ray`` is the cluster that ``RAY_ADDRESS`` names (``auto``: the one that runs on this machine), or without
            it one that is started here until training ends; ``ray://host:port`` is the cluster of that address.
        share: a share was asked for as well, which is refused.
    """
    if on is None:
        yield None
        return
    if on != RAY and not on.startswith(f"{RAY}://"):
        raise GlasswareError(f"unknown cluster '{on[:100]}'; give ray, or ray://host:port")
    if share is not None:
        raise GlasswareError("Ray deals the runs itself: give a share or a cluster, not both")
    try:
        import ray  # noqa: F401 (imported here to name the extra)
    except ImportError:
        raise GlasswareError("training on Ray needs the package ray: pip install 'glassware[ray]'") from None
    from glassware.cluster.driver import Driver

    driver = Driver(None if on == RAY else on)
    try:
        yield driver
    finally:
        driver.close()
