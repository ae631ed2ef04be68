"""Many estimators fitted at once: the default recipe, and a second try where it learns little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from glassware.tabular.attempts import Attempt, Prepared, Scaled, attempt
from glassware.tabular.focusing import Focusing
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

    With ``screened``, sets of columns that say something together are looked for first. If the default recipe learns
    little from all columns, the patient one is tried, and taken if it learns clearly more: a parity shows no progress
    for a long time, and early stopping then stops too soon.

    Args:
        estimators: to be fitted.
        tables: one per estimator.
        guides: guides already fitted on the tables.
    """
    watches = [Watch(one.time_limit, one.verbose, one.callback) for one in estimators]
    scaled: Scaled = {}  # seeds and settings share the rows of their fold
    focusing = Focusing()
    firsts = [
        focusing.first(table, scaled, grown, one.screened and one.preset == "default")
        for one, table, grown in zip_longest(estimators, tables, guides)
    ]
    made = [first.attempt for first in firsts]
    trained = _train(made, watches)
    losses = [one.loss(outcomes) for one, outcomes in zip(made, trained, strict=True)]
    again = [
        i
        for i, (one, first) in enumerate(zip(estimators, firsts, strict=True))
        if one.preset == "default" and not first.focused and not watches[i].over() and made[i].learnt_little(losses[i])
    ]
    # Without cuts, whatever was set: the patient recipe reads signs.
    patient = {i: replace(estimators[i]._recipe("patient"), cuts=0) for i in again}
    seconds = [attempt(tables[i], recipe, scaled, firsts[i].guide) for i, recipe in patient.items()]
    for i, one, outcomes in zip(again, seconds, _train(seconds, [watches[i] for i in again]), strict=True):
        if one.loss(outcomes) < BETTER * losses[i]:
            made[i], trained[i] = one, outcomes
    failed = list[DataError]()
    for estimator, one, first, outcomes in zip(estimators, made, firsts, trained, strict=True):
        try:
            estimator._finish(one, outcomes)
            estimator.found_sets_ = first.sets
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
