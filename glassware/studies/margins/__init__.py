"""Feature emergence via margin maximization: the dissertation's chapter 7 and appendix D."""

from glassware.studies.margins import (
    any_group,
    beyond_the_theorem,
    constructions,
    frequencies,
    memorising_start,
    modular_addition,
    regularisation,
    s5,
    sparse_parity,
    symmetric_groups,
)
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    modular_addition.STUDY,
    frequencies.STUDY,
    sparse_parity.STUDY,
    symmetric_groups.STUDY,
    s5.STUDY,
    regularisation.STUDY,
    memorising_start.STUDY,
    any_group.STUDY,
    constructions.STUDY,
    beyond_the_theorem.STUDY,
)
