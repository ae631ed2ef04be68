"""Variable creation: juntas, of whose T bits a few decide the label (the dissertation's chapter 4 and appendix A)."""

from glassware.studies.juntas import (
    architectures,
    attention,
    bounds,
    constructions,
    controls,
    long_contexts,
    online_parity,
    other_functions,
    repeats,
    sample_complexity,
    validation_curves,
)
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    sample_complexity.STUDY,
    validation_curves.STUDY,
    attention.STUDY,
    online_parity.STUDY,
    repeats.STUDY,
    controls.STUDY,
    long_contexts.STUDY,
    other_functions.STUDY,
    architectures.STUDY,
    constructions.STUDY,
    bounds.STUDY,
)
