"""Pareto Frontiers in Deep Feature Learning: Data, Compute, Width, and Luck."""

from glassware.studies.pareto import (
    beyond,
    kernel_control,
    lottery_tickets,
    more,
    slices,
    sparsity,
    success_frontier,
    tabular,
    weight_decay,
)
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    success_frontier.STUDY,
    slices.STUDY,
    lottery_tickets.STUDY,
    sparsity.STUDY,
    weight_decay.STUDY,
    kernel_control.STUDY,
    tabular.STUDY,
    *more.STUDIES,
    *beyond.STUDIES,
)
