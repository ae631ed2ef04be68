"""Feature Emergence via Margin Maximization: networks of maximum margin, in theory and trained."""

from glassware.studies.margins import beyond_the_theorem
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (beyond_the_theorem.STUDY,)
