"""Variable creation: the dissertation's chapter 4 and appendix A."""

from glassware.studies.juntas import bounds, constructions
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (constructions.STUDY, bounds.STUDY)
