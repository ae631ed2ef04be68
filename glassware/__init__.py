"""A laboratory for test-tube tasks: small, exactly defined learning problems, trained by the thousand.

    import glassware as gw
    base = gw.Run(task=gw.Parity(n=20, k=2), model=gw.MLP(width=30), steps=1000)
    rows = gw.sweep(gw.grid(base, {"m": [50, 200, "online"]}, seeds=4))    # a Polars frame, one row per run
    print(gw.summary(rows))

A run is trained, a sweep is swept, a study is reproduced. Every name has a docstring with an example.

Describe a run   Run; its task: Parity, CubeParity, GroupMultiplication, MarkovChain, Junta; its model: MLP, Neuron,
                 PolyNet, Transformer, CausalTransformer, ClsTransformer, MinimalInduction, GroupNet, PowerNet,
                 KernelRidge, Readout; Signs, Init, Start; SGD, Adam, AdamW; Cosine, WarmUp, Doubling; L1, L2,
                 MixedNorm; Evaluation
Train            train (one run), grid (many from one), sweep (many runs, or a TOML file), threshold and frontier
                 (how much it takes, of one field and of two)
Results          Store, open (what a store holds), list_sweeps, summary, compare (two selections),
                 show (one run), weights, network, charts, export (CSV, Parquet, JSON), to_csv, to_pandas
Reproduce        list_studies, reproduce, claims, figures, report, estimate (how long); studies, theory (packages)
Plan             plan (what a success costs, when to restart)
Your own         register (any of the following); Task, draw and unit (its random numbers), Model, Activation, Probe;
                 Study: Claim, Finding, at_least, at_most, above, below, between, counted, all_of, counts, rate,
                 difference, Estimate
What is known    TASKS, MODELS, ACTIVATIONS, PROBES, STUDIES: by name
Tables           SparseMLPClassifier, SparseMLPRegressor (scikit-learn estimators; pip install 'glassware[tabular]')
Else             GlasswareError (its text is one sentence), info (this machine), __version__

The same verbs on the command line: glassware reproduce | sweep | show | open | claims | figures | plan | ..., --help.
"""  # names are imported when first used, so that ``import glassware`` is quick

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glassware import charts, studies, theory
    from glassware.api.frames import to_csv, to_pandas
    from glassware.api.frontiers import frontier
    from glassware.api.machine import info
    from glassware.api.networks import network, weights
    from glassware.api.planning import estimate, plan
    from glassware.api.registry import register
    from glassware.api.reports import report
    from glassware.api.selections import compare, export, list_sweeps
    from glassware.api.show import show
    from glassware.api.stores import open_store as open
    from glassware.api.studies import claims, figures, list_studies, reproduce
    from glassware.api.sweeps import sweep, train
    from glassware.api.thresholds import threshold
    from glassware.foundation.draws import draw, unit
    from glassware.foundation.errors import GlasswareError
    from glassware.foundation.statistics import Estimate, difference
    from glassware.foundation.statistics import wilson as rate
    from glassware.luck.by_field import summary
    from glassware.models import (
        ACTIVATIONS,
        MLP,
        MODELS,
        Activation,
        CausalTransformer,
        ClsTransformer,
        GroupNet,
        Init,
        KernelRidge,
        MinimalInduction,
        Model,
        Neuron,
        PolyNet,
        PowerNet,
        Readout,
        Transformer,
    )
    from glassware.probes import PROBES, Probe
    from glassware.studies import STUDIES, Claim, Finding, Study
    from glassware.studies.cells import counts
    from glassware.studies.verdict import above, all_of, at_least, at_most, below, between, counted
    from glassware.sweeps import Store, grid
    from glassware.tabular import SparseMLPClassifier, SparseMLPRegressor
    from glassware.tasks import TASKS, CubeParity, GroupMultiplication, Junta, MarkovChain, Parity, Signs, Task
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

    __version__: str

    # For type checkers only. At run time it would make help(glassware) thousands of lines long, with the methods of
    # every class, and ``from glassware import *`` would replace the builtin ``open``.
    __all__ = [
        "ACTIVATIONS", "L1", "L2", "MLP", "MODELS", "PROBES", "SGD", "STUDIES", "TASKS", "Activation", "Adam", "AdamW",
        "CausalTransformer", "Claim", "ClsTransformer", "Cosine", "CubeParity", "Doubling", "Estimate", "Evaluation",
        "Finding", "GlasswareError", "GroupMultiplication", "GroupNet", "Init", "Junta", "KernelRidge", "MarkovChain",
        "MinimalInduction", "MixedNorm", "Model", "Neuron", "Parity", "PolyNet", "PowerNet", "Probe", "Readout", "Run",
        "Signs", "SparseMLPClassifier", "SparseMLPRegressor", "Start", "Store", "Study", "Task", "Transformer",
        "WarmUp", "__version__", "above", "all_of", "at_least", "at_most", "below", "between", "charts",
        "claims", "compare", "counted", "counts", "difference", "draw", "estimate", "export", "figures",
        "frontier", "grid", "info", "list_studies", "list_sweeps", "network", "open", "plan", "rate",
        "register", "report", "reproduce", "show", "studies", "summary", "sweep", "theory", "threshold",
        "to_csv", "to_pandas", "train", "unit", "weights",
    ]  # fmt: skip
else:  # hidden from type checkers, which would take any misspelt name for one of these
    # Where each public name lives; one that is called otherwise there is written ``public=name there``.
    _PLACES = {
        "api.frames": "to_csv to_pandas",
        "api.frontiers": "frontier",
        "api.machine": "info",
        "api.networks": "network weights",
        "api.planning": "estimate plan",
        "api.registry": "register",
        "api.reports": "report",
        "api.selections": "compare export list_sweeps",
        "api.show": "show",
        "api.stores": "open=open_store",  # the builtin stays itself inside the package
        "api.studies": "claims figures list_studies reproduce",
        "api.sweeps": "sweep train",
        "api.thresholds": "threshold",
        "foundation.draws": "draw unit",
        "foundation.errors": "GlasswareError",
        "foundation.statistics": "Estimate difference rate=wilson",
        "luck.by_field": "summary",
        "models": "ACTIVATIONS MLP MODELS Activation CausalTransformer ClsTransformer GroupNet Init KernelRidge"
        " MinimalInduction Model Neuron PolyNet PowerNet Readout Transformer",
        "probes": "PROBES Probe",
        "studies": "STUDIES Claim Finding Study",
        "studies.cells": "counts",
        "studies.verdict": "above all_of at_least at_most below between counted",
        "sweeps": "Store grid",
        "tabular": "SparseMLPClassifier SparseMLPRegressor",
        "tasks": "TASKS CubeParity GroupMultiplication Junta MarkovChain Parity Signs Task",
        "training": "L1 L2 SGD Adam AdamW Cosine Doubling Evaluation MixedNorm Run Start WarmUp",
    }
    _HOMES = {
        name.split("=")[0]: (f"glassware.{module}", name.split("=")[-1])
        for module, names in _PLACES.items()
        for name in names.split()
    }
    _PACKAGES = ("charts", "studies", "theory")

    def __getattr__(name: str) -> Any:
        if name in _PACKAGES:
            return importlib.import_module(f"glassware.{name}")
        if name in _HOMES:
            module, there = _HOMES[name]
            return getattr(importlib.import_module(module), there)
        if name == "__version__":
            return importlib.import_module("glassware.foundation.version").own_version()
        if name == "run":  # until 0.3
            import warnings

            said = "gw.run is now gw.reproduce: a study is reproduced, a run is trained (gw.train)"
            warnings.warn(said, DeprecationWarning, stacklevel=2)
            return __getattr__("reproduce")
        raise AttributeError(f"module 'glassware' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return sorted([*_HOMES, *_PACKAGES, "__version__"])
