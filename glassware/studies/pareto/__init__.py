"""Pareto Frontiers in Deep Feature Learning: Data, Compute, Width, and Luck (Edelman, Goel, Kakade, Malach, Zhang 2023)."""

from glassware.studies.pareto import success_frontier
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (success_frontier.STUDY,)
