"""Spoiled rows keep what the runs were and lose what came of them."""

import jax
import numpy as np
import polars as pl
import pytest

import glassware as gw
from benchmarks.null_rows import WITHOUT_TRUTH, judge, spoil
from benchmarks.spoiled_tables import TABLES
from glassware.foundation.statistics import Estimate, wilson
from glassware.studies import STUDIES, Claim, Finding, Study
from glassware.studies.cells import counts
from glassware.studies.verdict import at_least
from glassware.sweeps.identity import spec_json
from glassware.training import Loop
from tests.studies.made import cell, table

ROWS = table(cell(20, 20, width=8, m=30), cell(0, 20, width=4, m=30)).with_columns(
    id=pl.int_range(pl.len()).cast(pl.String), probes=pl.lit(["norms"]), norms=pl.lit([1.0, 2.0], pl.List(pl.Float32))
)


@pytest.mark.parametrize("kind", ["shuffled", "untrained", "coin", "constant"])
def test_what_the_runs_were_stays(kind):
    spoiled = spoil("test/null", ROWS, kind, np.random.default_rng(0))
    assert spoiled.select("id", "width", "m", "seed").equals(ROWS.select("id", "width", "m", "seed"))
    won = counts(spoiled, width=8)[0], counts(spoiled, width=4)[0]
    assert won == {"untrained": (0, 0), "constant": (20, 20)}.get(kind, won)
    assert won != (20, 0)
    assert sum(won) == 20 or kind != "shuffled"


def test_a_claim_that_says_nothing_is_found_out():
    better = lambda rows: Finding(wilson(counts(rows, width=8)[0], 20), at_least(0.8))
    empty = lambda rows: Finding(Estimate.exact(1.0), at_least(0.5))
    broken = lambda rows: Finding(Estimate.exact(rows["absent"][0]), at_least(0.5))
    claims = tuple(Claim(name, "", "", "", check) for name, check in (("a", better), ("b", empty), ("c", broken)))
    a, b, c = judge(Study("test/null", "", "", (), claims), ROWS)
    assert a.times == {"shuffled": 0, "untrained": 0, "coin": 0, "constant": 1, "unknown": 0}
    assert b.times == WITHOUT_TRUTH
    assert any("absent" in reason for reason in c.broke)


def test_measured_columns_of_runs_are_spoiled_whatever_their_probe_is_called():
    rows = ROWS.with_columns(relevant_mean=pl.Series(np.arange(40.0)), noise=pl.lit(0.1)).with_columns(
        spec=pl.lit('{"task":{"name":"parity","n":9,"k":2,"noise":0.1},"model":{"name":"mlp","width":4}}')
    )
    spoiled = spoil("test/null", rows, "untrained", np.random.default_rng(0))
    assert spoiled["relevant_mean"].n_unique() == 1
    assert spoiled["noise"].equals(rows["noise"])


PROBED = gw.Run(task=gw.Parity(n=9, k=2), model=gw.MLP(width=4), probes=("neuron_norms",))
CURVES = pl.DataFrame(
    {
        "id": [str(seed) for seed in range(4)],
        "spec": [spec_json(PROBED.model_copy(update={"seed": seed})) for seed in range(4)],
        "steps": [100] * 4,
        "curve_step": [[0, 50, 100]] * 4,
        "curve_loss": [[np.nan, 0.2, 0.1]] * 4,
        "curve_margin": [[0.1 * seed, 2.0, 3.0 + seed] for seed in range(4)],
        "curve_mass": [[[0.5, 0.5], [0.9, 0.1], [1.0, 0.0]]] * 4,
        "neuron_norms": [[9.0 + seed] * 4 for seed in range(4)],
        "owners": [[0.0, 3.0]] * 4,
        "views": [[[[seed + 0.5, 1.0], [2.0, 3.0]]] for seed in range(4)],
    }
)


def test_untrained_runs_stay_at_their_own_first_point():
    spoiled = spoil("test/null", CURVES, "untrained", np.random.default_rng(0))
    assert spoiled["curve_margin"].to_list() == [[0.1 * seed] * 3 for seed in range(4)]
    assert spoiled["curve_mass"].to_list() == [[[0.5, 0.5]] * 3] * 4
    assert spoiled["curve_step"].equals(CURVES["curve_step"])
    assert not spoiled["curve_loss"].explode().is_nan().any()


def test_final_probes_of_untrained_runs_are_those_of_the_first_weights():
    spoiled = spoil("test/null", CURVES, "untrained", np.random.default_rng(0))
    first = jax.jit(Loop(PROBED.shape()).init)(PROBED.model_copy(update={"seed": 3}).values()).params[0]["w"]
    np.testing.assert_allclose(spoiled["neuron_norms"][3], np.linalg.norm(first, axis=0), rtol=1e-5)
    assert spoiled["neuron_norms"].n_unique() == 4
    assert spoiled["views"].n_unique() == 1  # no probe of the run has it: the mean for all


@pytest.mark.parametrize("kind", ["coin", "constant"])
def test_coins_and_constants_reach_arrays_of_any_depth(kind):
    spoiled = spoil("test/null", CURVES, kind, np.random.default_rng(0))
    for name in ("curve_margin", "curve_mass", "neuron_norms", "views"):
        numbers, truth = (np.array(frame[name].to_list(), float) for frame in (spoiled, CURVES))
        assert numbers.shape == truth.shape, name
        assert len(np.unique(numbers)) == (1 if kind == "constant" else numbers.size), name
        assert numbers.max() <= truth.max()
    assert set(spoiled["owners"].explode()) <= {0.0, 1.0, 2.0, 3.0}  # whole numbers stay whole


def test_every_computed_table_says_what_it_measures():
    assert set(TABLES) == {name for name, study in STUDIES.items() if study.compute or study.parts}


@pytest.mark.parametrize("study", ["hidden-progress/activations", "leaky/lemmas", "theory/search-floors"])
def test_computed_tables_lose_what_was_measured_and_nothing_else(study):
    compute = STUDIES[study].compute
    assert compute is not None
    table = compute("smoke", 2)
    measured = [name for columns in TABLES[study] for name in columns]
    assert set(measured) <= set(table.columns)
    for kind in WITHOUT_TRUTH:
        spoiled = spoil(study, table, kind, np.random.default_rng(0))
        assert spoiled.drop(measured).equals(table.drop(measured))
        changed = [name for name in measured if not spoiled[name].equals(table[name])]
        assert changed == measured or kind in ("shuffled", "constant")  # equal values stay what they are


@pytest.mark.parametrize("study", ["hidden-progress/activations", "leaky/lemmas"])
def test_an_exact_statement_fails_on_spoiled_values(study):
    """A theorem that is checked to the last digit must not survive numbers that say nothing."""
    compute = STUDIES[study].compute
    assert compute is not None
    for found in judge(STUDIES[study], compute("smoke", None)):
        assert not any(found.times.values()), found
