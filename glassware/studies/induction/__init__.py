"""The evolution of statistical induction heads: the dissertation's chapter 8 and appendix E."""

from glassware.studies.induction import (
    attention,
    first_steps,
    minimal_model,
    other_priors,
    other_sizes,
    transformer,
)
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    first_steps.STUDY,
    minimal_model.STUDY,
    transformer.STUDY,
    attention.STUDY,
    other_priors.STUDY,
    other_sizes.STUDY,
)
