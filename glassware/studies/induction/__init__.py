"""The evolution of statistical induction heads: the dissertation's chapter 8 and appendix E."""

from glassware.studies.induction import first_steps, minimal_model
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (first_steps.STUDY, minimal_model.STUDY)
