"""Pareto Frontiers in Deep Feature Learning: Data, Compute, Width, and Luck."""

from glassware.studies.pareto import success_frontier
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (success_frontier.STUDY,)
