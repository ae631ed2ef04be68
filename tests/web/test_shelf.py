"""Which studies a page says a store has."""

import glassware as gw
from glassware.studies import STUDIES
from glassware.studies.pareto.lottery_tickets import STUDY
from glassware.web.library import Library
from glassware.web.shelf import Shelf


def test_runs_of_a_later_stage_are_found(tmp_path, monkeypatch):
    """They are made from lists that earlier runs measured, which the table of all runs leaves out."""
    monkeypatch.setitem(STUDIES, STUDY.name, STUDY)  # other tests of this package hide it
    report = gw.reproduce(STUDY, "smoke", store=tmp_path, figures=None)
    assert report.frame["init_seed"].drop_nulls().len()  # the rewound ones
    shelf = Shelf(Library(gw.Store(tmp_path)))
    assert shelf.ids(STUDY.name, "smoke") == sorted(report.frame["id"])
