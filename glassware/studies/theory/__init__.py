"""The theory behind sparse parities, executed: floors, lower bound, both constructions, and luck counted."""

from glassware.studies.study import Study
from glassware.studies.theory import good_neurons, lower_bound, over_sparse, search_floors, under_sparse

STUDIES: tuple[Study, ...] = (
    search_floors.STUDY,
    lower_bound.STUDY,
    over_sparse.STUDY,
    under_sparse.STUDY,
    good_neurons.STUDY,
)
