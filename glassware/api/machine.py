"""This machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any

from glassware.engine import devices
from glassware.engine.device import cores
from glassware.engine.lanes import describe
from glassware.foundation.version import own_version
from glassware.models import MLP
from glassware.sweeps import SEMANTICS
from glassware.tasks import Parity
from glassware.training import Run

EXAMPLES = ((50, 100), (50, 1000), (200, 10_000))  # inputs and neurons of the networks whose engine is shown


def info() -> dict[str, Any]:
    """This machine and these versions, and what the engine would choose for a few shapes.

    >>> import glassware as gw
    >>> found = gw.info()
    >>> found["cores"] >= 1, found["engine"][0]["width"]
    (True, 100)
    """
    chosen = [
        {"n": n, "width": width, "runs": 1000}
        | describe(Run(task=Parity(n=n, k=3), model=MLP(width=width)).shape(), 1000)
        for n, width in EXAMPLES
    ]
    return {
        "glassware": own_version(),
        "semantics": SEMANTICS,
        "python": platform.python_version(),
        **{name: version(name) for name in ("jax", "jaxlib", "optax", "polars")},
        "system": platform.platform(),
        "cores": cores(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "devices": [
            {"platform": d.platform, "kind": d.device_kind, "memory": (d.memory_stats() or {}).get("bytes_limit")}
            for d in devices()
        ],
        "engine": chosen,
    }
