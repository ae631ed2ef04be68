"""The version of this package."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def own_version() -> str:
    """The installed version; ``unknown`` in a source tree that was never installed."""
    try:
        return version("glassware")
    except PackageNotFoundError:
        return "unknown"
