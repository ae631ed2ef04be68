"""Variable creation: juntas, of whose T bits a few decide the label (the dissertation's chapter 4 and appendix A)."""

from glassware.studies.juntas import attention, bounds, constructions, online_parity, repeats, validation_curves
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    validation_curves.STUDY,
    attention.STUDY,
    online_parity.STUDY,
    repeats.STUDY,
    constructions.STUDY,
    bounds.STUDY,
)
