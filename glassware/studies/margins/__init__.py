"""Feature emergence via margin maximization: the dissertation's chapter 7 and appendix D."""

from glassware.studies.margins import frequencies, modular_addition, sparse_parity
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    modular_addition.STUDY,
    frequencies.STUDY,
    sparse_parity.STUDY,
)
