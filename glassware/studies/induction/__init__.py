"""The evolution of statistical induction heads: the dissertation's chapter 8 and appendix E."""

from glassware.studies.induction import minimal_model
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (minimal_model.STUDY,)
