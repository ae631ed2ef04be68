"""A laboratory for test-tube tasks: small, exactly defined learning problems, trained by the thousand.

Describe runs      Run, Parity, MLP, Neuron, PolyNet, Transformer, KernelRidge, Init, Start, SGD, Adam, AdamW, Cosine,
                   WarmUp, Doubling, L1, L2, MixedNorm, Evaluation, grid
Train and keep     sweep, Store
Look               summary, charts, weights, network, info
Studies of papers  list_studies, run, estimate, claims, figures; studies: the studies themselves
Extend             Task, TASKS, Model, MODELS, Probe, PROBES, Study, Claim: parts and studies of your own
Plan               plan: what a success costs, when to restart
Errors             GlasswareError: its text is one sentence
Tables             SparseMLPClassifier, SparseMLPRegressor: scikit-learn estimators, with the extra ``tabular``

Names are imported when first used, so that ``import glassware`` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassware import charts, studies
    from glassware.api import claims, estimate, figures, info, list_studies, plan, run
    from glassware.foundation.errors import GlasswareError
    from glassware.luck.by_field import summary
    from glassware.models import MLP, MODELS, Init, KernelRidge, Model, Neuron, PolyNet, Transformer
    from glassware.networks import network, weights
    from glassware.probes import PROBES, Probe
    from glassware.runs import sweep
    from glassware.studies import Claim, Study
    from glassware.sweeps import Store, grid
    from glassware.tabular import SparseMLPClassifier as SparseMLPClassifier
    from glassware.tabular import SparseMLPRegressor as SparseMLPRegressor
    from glassware.tasks import TASKS, Parity, Task
    from glassware.training import (
        L1,
        L2,
        SGD,
        Adam,
        AdamW,
        Cosine,
        Doubling,
        Evaluation,
        MixedNorm,
        Run,
        Start,
        WarmUp,
    )

# Where each public name lives.
_PLACES = {
    "glassware.api": ("claims", "estimate", "figures", "info", "list_studies", "plan", "run"),
    "glassware.luck.by_field": ("summary",),
    "glassware.foundation.errors": ("GlasswareError",),
    "glassware.models": ("MLP", "MODELS", "Init", "KernelRidge", "Model", "Neuron", "PolyNet", "Transformer"),
    "glassware.networks": ("network", "weights"),
    "glassware.probes": ("PROBES", "Probe"),
    "glassware.runs": ("sweep",),
    "glassware.studies": ("Claim", "Study"),
    "glassware.sweeps": ("Store", "grid"),
    "glassware.tasks": ("TASKS", "Parity", "Task"),
    "glassware.training": (
        "L1", "L2", "SGD", "Adam", "AdamW", "Cosine", "Doubling", "Evaluation", "MixedNorm", "Run", "Start", "WarmUp",
    ),
    "glassware.tabular": ("SparseMLPClassifier", "SparseMLPRegressor"),
}  # fmt: skip

__all__ = [
    "L1", "L2", "MLP", "MODELS", "PROBES", "SGD", "TASKS", "Adam", "AdamW", "Claim", "Cosine", "Doubling", "Evaluation",
    "GlasswareError", "Init", "KernelRidge", "MixedNorm", "Model", "Neuron", "Parity", "PolyNet", "Probe", "Run",
    "Start", "Store", "Study", "Task", "Transformer", "WarmUp", "charts", "claims", "estimate", "figures", "grid",
    "info", "list_studies", "network", "plan", "run", "studies", "summary", "sweep", "weights",
]  # fmt: skip

if not TYPE_CHECKING:  # hidden from the type checker, which would take any misspelt name for this
    _HOME = {name: module for module, names in _PLACES.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name in ("charts", "studies"):
            return importlib.import_module(f"glassware.{name}")
        if name in _HOME:  # the estimators are not in __all__: ``import *`` needs no scikit-learn
            return getattr(importlib.import_module(_HOME[name]), name)
        raise AttributeError(f"module 'glassware' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return __all__
