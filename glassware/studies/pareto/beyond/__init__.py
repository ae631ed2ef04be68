"""Beyond the paper: the same frontier with other optimisers, depths, labels and inputs, and with restarts."""

from glassware.studies.pareto.beyond import adam, depth, inputs, label_noise, momentum, restarts
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    momentum.STUDY,
    adam.STUDY,
    depth.STUDY,
    label_noise.STUDY,
    inputs.STUDY,
    restarts.STUDY,
)
