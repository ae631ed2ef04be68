"""A laboratory for test-tube tasks: small, exactly defined learning problems, trained by the thousand.

Describe runs      Run, Parity, MLP, Neuron, PolyNet, Transformer, KernelRidge, Init, SGD, Adam, AdamW, Evaluation, grid
Train and keep     sweep, Store
Studies of papers  list_studies, run, estimate, claims, figures; studies: the studies themselves
Plan               plan: what a success costs, when to restart
Look               summary, charts, info
Errors             GlasswareError: its text is one sentence
Tables             SparseMLPClassifier, SparseMLPRegressor: scikit-learn estimators, with the extra ``tabular``

Names are imported when first used, so that ``import glassware`` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassware import charts, studies
    from glassware.api import (
        MLP,
        SGD,
        Adam,
        AdamW,
        Evaluation,
        GlasswareError,
        Init,
        KernelRidge,
        Neuron,
        Parity,
        PolyNet,
        Run,
        Store,
        Transformer,
        claims,
        estimate,
        figures,
        grid,
        info,
        list_studies,
        plan,
        run,
        summary,
        sweep,
    )
    from glassware.tabular import SparseMLPClassifier as SparseMLPClassifier
    from glassware.tabular import SparseMLPRegressor as SparseMLPRegressor

__all__ = [
    "MLP",
    "SGD",
    "Adam",
    "AdamW",
    "Evaluation",
    "GlasswareError",
    "Init",
    "KernelRidge",
    "Neuron",
    "Parity",
    "PolyNet",
    "Run",
    "Store",
    "Transformer",
    "charts",
    "claims",
    "estimate",
    "figures",
    "grid",
    "info",
    "list_studies",
    "plan",
    "run",
    "studies",
    "summary",
    "sweep",
]

if not TYPE_CHECKING:  # hidden from the type checker, which would take any misspelt name for this

    def __getattr__(name: str) -> Any:
        if name in ("charts", "studies"):
            return importlib.import_module(f"glassware.{name}")
        if name in ("SparseMLPClassifier", "SparseMLPRegressor"):  # not in __all__: ``import *`` needs no scikit-learn
            return getattr(importlib.import_module("glassware.tabular"), name)
        if name in __all__:
            return getattr(importlib.import_module("glassware.api"), name)
        raise AttributeError(f"module 'glassware' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return __all__
