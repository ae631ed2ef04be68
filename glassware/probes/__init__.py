"""What is measured along the way, beside error and loss.

A probe is a pure function (run, values, params) -> {column: array}. A *curve* probe returns scalars and is measured at
every evaluation; it may ask for the held-out sample as a fourth argument. A *final* probe may return arrays and is
measured once, when the run ends; it may ask for the weights that the run has kept. Inside glassware adding one is one
function and one line in ``PROBES``, outside it ``gw.register``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from glassware.foundation.errors import GlasswareError
from glassware.probes.attention import attention, check_attention, check_positions, positions
from glassware.probes.fits import (
    any_model,
    endless_sample,
    few_weights,
    first_layer,
    leaky,
    one_hidden_layer,
    one_neuron,
)
from glassware.probes.gap import fourier_gap
from glassware.probes.irreps import check_irreps, irrep_mass, irrep_neurons, logit_gaps
from glassware.probes.kept_attention import check_kept, short_maps, transplants
from glassware.probes.margins import check_margin, largest_neurons, margin
from glassware.probes.movement import drift, irrelevant_movement, movement, relevant_movement, trajectory
from glassware.probes.other_priors import check_other_priors, other_priors
from glassware.probes.outputs import component_views, components, correlation, largest_output
from glassware.probes.parity_neurons import check_parity_neurons, parity_neurons
from glassware.probes.readout import solvable, solved_readout
from glassware.probes.selection import check_selection, selection
from glassware.probes.strategies import (
    all_strategies,
    check_all_strategies,
    check_minimal_weights,
    check_strategies,
    minimal_weights,
    strategies,
)
from glassware.probes.subject import Candidate, Found, Views
from glassware.probes.weights import (
    first_layer_weights,
    good_neurons,
    neuron_norms,
    support_share,
    weight_norms,
    weight_sizes,
)


@dataclass(frozen=True)
class Probe:
    """A named measurement.

    Attributes:
        when: ``curve`` (at every evaluation) or ``final`` (when the run ends).
        measure: a function of (run, values, params) that returns columns: ``{"name": array}``.
        check: raises a ValueError of one sentence for a run that the probe does not fit.
        sample: whether a curve probe gets the held-out sample: ``raw`` (blocks, block, ..) and ``inputs``.
        kept: whether a final probe gets the weights at the steps that the run keeps: parameters with one more axis.
        views: where the probe is the share of right outputs on other views of the held-out examples: these views, from
            (task, lane values, raw). Such a probe fits models that are solved as well.

    >>> import glassware as gw
    >>> size = gw.Probe("curve", lambda run, values, params: {"readout": abs(params[1]["w"]).max()})
    >>> _ = gw.register(size, "largest-readout")
    >>> run = gw.Run(task=gw.Parity(n=10, k=2), model=gw.MLP(width=16), probes=("largest-readout",))
    """

    when: Literal["curve", "final"]
    measure: Callable[..., Found]
    check: Callable[[Candidate], None] = any_model
    sample: bool = False
    kept: bool = False
    views: Callable[..., Views] | None = None

    def __post_init__(self) -> None:
        if self.when not in ("curve", "final"):
            raise GlasswareError(f"a probe is measured as 'curve' or 'final', not {self.when!r}")
        if not callable(self.measure):
            raise GlasswareError(f"a probe measures by a function of (run, values, params), not {self.measure!r}")


PROBES: dict[str, Probe] = {
    "weight_norms": Probe("curve", weight_norms, first_layer("weight_norms")),
    "neuron_norms": Probe("final", neuron_norms, first_layer("neuron_norms")),
    "support_share": Probe("final", support_share, first_layer("support_share")),
    "good_neurons": Probe("final", good_neurons, leaky("good_neurons")),
    "weight_sizes": Probe("final", weight_sizes, first_layer("weight_sizes")),
    "movement": Probe("curve", movement, first_layer("movement")),
    "relevant_movement": Probe("curve", relevant_movement, first_layer("relevant_movement")),
    "irrelevant_movement": Probe("curve", irrelevant_movement, first_layer("irrelevant_movement")),
    "trajectory": Probe("curve", trajectory, few_weights("trajectory")),
    "fourier_gap": Probe("curve", fourier_gap, one_neuron("fourier_gap"), sample=True),
    "drift": Probe("curve", drift, one_hidden_layer("drift")),
    "largest_output": Probe("curve", largest_output, endless_sample("largest_output"), sample=True),
    "components": Probe("curve", components, leaky("components"), sample=True, views=component_views),
    "correlation": Probe("curve", correlation, sample=True),
    "first_layer": Probe("final", first_layer_weights, first_layer("first_layer")),
    "solved_readout": Probe("final", solved_readout, solvable),
    "margin": Probe("curve", margin, check_margin),
    "largest_neurons": Probe("final", largest_neurons, check_margin),
    "irrep_mass": Probe("curve", irrep_mass, check_irreps),
    "irrep_neurons": Probe("final", irrep_neurons, check_irreps),
    "logit_gaps": Probe("final", logit_gaps, check_irreps),
    "parity_neurons": Probe("final", parity_neurons, check_parity_neurons),
    "strategies": Probe("curve", strategies, check_strategies, sample=True),
    "all_strategies": Probe("curve", all_strategies, check_all_strategies, sample=True),
    "other_priors": Probe("curve", other_priors, check_other_priors),
    "minimal_weights": Probe("curve", minimal_weights, check_minimal_weights),
    "attention": Probe("curve", attention, check_attention, sample=True),
    "positions": Probe("curve", positions, check_positions),
    "short_maps": Probe("final", short_maps, check_kept, kept=True),
    "transplants": Probe("final", transplants, check_kept, kept=True),
    "selection": Probe("final", selection, check_selection),
}

__all__ = ["PROBES", "Probe"]
