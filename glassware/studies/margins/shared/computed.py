"""Rows of theory, as all papers find them."""

from glassware.studies.computed import exact, largest, part

__all__ = ["exact", "largest", "part"]
