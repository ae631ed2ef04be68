"""Many estimators fitted at once: the default recipe, and a second try where it learns little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from glassware.tabular.attempts import Attempt, Prepared, Scaled, attempt
from glassware.tabular.guide import Guide
from glassware.tabular.inputs import DataError
from glassware.tabular.jobs import Outcome
from glassware.tabular.lanes import train
from glassware.tabular.watch import Watch

if TYPE_CHECKING:
    from glassware.tabular.estimators import Estimator

BETTER = 0.9  # the patient recipe is taken if its loss is below this share of the first one's


def fit_all(estimators: Sequence[Estimator], tables: list[Prepared], guides: Sequence[Guide] = ()) -> None:
    """Fit every estimator on its table, all at once.

    If the default recipe learns little, the patient one is tried, and taken if it learns clearly more: a parity shows
    no progress for a long time, and early stopping then stops too soon.

    Args:
        estimators: to be fitted.
        tables: one per estimator.
        guides: guides already fitted on the tables.
    """
    watches = [Watch(one.time_limit, one.verbose, one.callback) for one in estimators]
    scaled: Scaled = {}  # seeds and settings share the rows of their fold
    made = [attempt(table, table.recipe, scaled, grown) for table, grown in zip_longest(tables, guides)]
    trained = _train(made, watches)
    losses = [one.loss(outcomes) for one, outcomes in zip(made, trained, strict=True)]
    again = [
        i
        for i, one in enumerate(estimators)
        if one.preset == "default" and not watches[i].over() and made[i].learnt_little(losses[i])
    ]
    # Without cuts, whatever was set: the patient recipe reads signs.
    patient = {i: replace(estimators[i]._recipe("patient"), cuts=0) for i in again}
    seconds = [attempt(tables[i], recipe, scaled, made[i].guide) for i, recipe in patient.items()]
    for i, one, outcomes in zip(again, seconds, _train(seconds, [watches[i] for i in again]), strict=True):
        if one.loss(outcomes) < BETTER * losses[i]:
            made[i], trained[i] = one, outcomes
    failed = list[DataError]()
    for estimator, one, outcomes in zip(estimators, made, trained, strict=True):
        try:
            estimator._finish(one, outcomes)
        except DataError as error:  # the others are still fitted
            failed.append(error)
    if failed:
        raise failed[0]


def _train(attempts: list[Attempt], watches: list[Watch]) -> list[list[Outcome]]:
    """The outcomes of each attempt's parts, all trained at once."""
    parts = [(part.job, watch) for one, watch in zip(attempts, watches, strict=True) for part in one.parts]
    for job, watch in parts:
        watch.plan(len(job.keys))
    outcomes = iter(train([job for job, _ in parts], watches=[watch for _, watch in parts]))
    return [[next(outcomes) for _ in one.parts] for one in attempts]
