import pytest

from glassware.studies import STUDIES, find

DECLARED = [study for study in STUDIES.values() if study.paper_runs is not None]


def seeds_at_paper_scale(study, run):
    """How often the paper repeats a run of these studies."""
    return {
        "pareto/success-frontier": 10 if run.evaluation.train else 50,
        "theory/lower-bound": 50,
        "juntas/sample-complexity": 40,
        "theory/under-sparse": 5 if (run.m or 1) % 10_000 == 0 else 10,  # larger samples, and those around m50
        "hidden-progress/robust-space": 25,
        "hidden-progress/tables": 25,
        "hidden-progress/coarse-scaling": 25,
        "hidden-progress/width": 1000,
        "hidden-progress/convergence-times": 25 if run.model.name == "transformer" else 1000,
        "hidden-progress/no-early-convergence": 1_000_000 if run.model.name == "polynet" else 100_000,
    }[study.name]


@pytest.mark.parametrize("study", DECLARED, ids=lambda study: study.name)
def test_the_declared_number_of_runs_is_that_of_the_grid(study):
    once = study.runs("paper", 1)
    assert study.size("paper") == sum(seeds_at_paper_scale(study, run) for run in once)


def test_an_undeclared_number_is_counted():
    study = find("pareto/slices")
    assert study.size("paper") == len(study.runs("paper")) == 7200


def test_what_came_with_glassware_is_not_taken_for_ones_own():
    assert not [study.name for study in STUDIES.values() if not study.built_in]
