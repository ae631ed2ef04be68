"""Watching a sweep."""

from glassware.progress.reporter import Progress

__all__ = ["Progress"]
