"""The evolution of statistical induction heads: the dissertation's chapter 8 and appendix E."""

from glassware.studies.induction import (
    attention,
    first_steps,
    levels,
    minimal_model,
    minimal_variants,
    more_symbols,
    one_layer,
    other_priors,
    other_sizes,
    transformer,
    trigrams,
    unigram_signal,
)
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    first_steps.STUDY,
    levels.STUDY,
    minimal_model.STUDY,
    minimal_variants.STUDY,
    transformer.STUDY,
    attention.STUDY,
    other_priors.STUDY,
    other_sizes.STUDY,
    unigram_signal.STUDY,
    trigrams.STUDY,
    more_symbols.STUDY,
    one_layer.STUDY,
)
