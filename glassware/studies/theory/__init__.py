"""The theory of Pareto Frontiers in Deep Feature Learning, executed: its floors, lower bound, both constructions, luck.

All studies ``theory/...`` are about this one paper; the theorems of the other papers are among those papers' studies.
"""

from glassware.studies.study import Study
from glassware.studies.theory import good_neurons, lower_bound, over_sparse, search_floors, under_sparse

STUDIES: tuple[Study, ...] = (
    search_floors.STUDY,
    lower_bound.STUDY,
    over_sparse.STUDY,
    under_sparse.STUDY,
    good_neurons.STUDY,
)
