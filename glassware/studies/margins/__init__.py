"""Feature Emergence via Margin Maximization: networks of maximum margin, in theory and trained."""

from glassware.studies.margins import beyond_the_theorem, constructions
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    constructions.STUDY,
    beyond_the_theorem.STUDY,
)
