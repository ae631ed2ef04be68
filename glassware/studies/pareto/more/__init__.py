"""More of the paper at a size that a laptop can do: what its text says and its figures do not show."""

from glassware.studies.pareto.more import even_k, kernel_scaling, larger_k, perfect, wide_sparsity
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    perfect.STUDY,
    larger_k.STUDY,
    even_k.STUDY,
    wide_sparsity.STUDY,
    kernel_scaling.STUDY,
)
