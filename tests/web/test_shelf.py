"""Which studies a page says a store has."""

import glassware as gw
from glassware.web.library import Library
from glassware.web.shelf import Shelf


def test_runs_of_a_later_stage_are_found(tmp_path):
    """They are made from lists that earlier runs measured, which the table of all runs leaves out."""
    report = gw.reproduce("pareto/lottery-tickets", "smoke", store=tmp_path, figures=None)
    assert report.frame["init_seed"].drop_nulls().len()  # the rewound ones
    shelf = Shelf(Library(gw.Store(tmp_path)))
    assert shelf.ids("pareto/lottery-tickets", "smoke") == sorted(report.frame["id"])
