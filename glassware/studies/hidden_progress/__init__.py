"""Hidden Progress in Deep Learning: SGD Learns Parities Near the Computational Limit (Barak et al., 2022)."""

from glassware.studies.hidden_progress import (
    activations_plot,
    coarse_scaling,
    convergence_times,
    disjoint_flow,
    disjoint_sgd,
    finite_samples,
    fourier_gaps,
    gap_along_sgd,
    init_or_batches,
    layerwise,
    more_training_curves,
    no_early_convergence,
    no_plateau,
    noisy,
    one_step,
    progress,
    robust_space,
    tables,
    training_curves,
    width,
)
from glassware.studies.study import Study

# In the order of the paper's figures, then its theorems.
STUDIES: tuple[Study, ...] = (
    training_curves.STUDY,
    convergence_times.STUDY,
    no_early_convergence.STUDY,
    init_or_batches.STUDY,
    progress.STUDY,
    width.STUDY,
    finite_samples.STUDY,
    disjoint_flow.STUDY,
    more_training_curves.STUDY,
    robust_space.STUDY,
    tables.STUDY,
    coarse_scaling.STUDY,
    fourier_gaps.STUDY,
    gap_along_sgd.STUDY,
    noisy.STUDY,
    no_plateau.STUDY,
    activations_plot.STUDY,
    layerwise.STUDY,
    one_step.STUDY,
    disjoint_sgd.STUDY,
)
