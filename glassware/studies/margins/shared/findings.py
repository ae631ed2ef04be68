"""Claims of the form "each lane", as the studies of feature emergence use them."""

from glassware.studies.lanes import Measure, each_lane, meets_all, span

__all__ = ["Measure", "each_lane", "meets_all", "span"]
