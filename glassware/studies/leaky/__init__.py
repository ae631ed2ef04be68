"""Learning Parities with Neural Networks: parities whose inputs leak the label half of the time."""

from glassware.studies.leaky import (
    digit_strips,
    first_step,
    leak_needed,
    lemmas,
    network_against_linear,
    separation,
    theorem_schedule,
    training,
)
from glassware.studies.study import Study

STUDIES: tuple[Study, ...] = (
    network_against_linear.STUDY,
    first_step.STUDY,
    training.STUDY,
    theorem_schedule.STUDY,
    leak_needed.STUDY,
    separation.STUDY,
    lemmas.STUDY,
    digit_strips.STUDY,
)
