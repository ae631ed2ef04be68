"""Studies of leaky parities: smoke scale from end to end, and checks on rows we choose."""

import numpy as np
import polars as pl
import pytest

from glassware.studies import train
from glassware.studies.leaky import (
    STUDIES,
    digit_strips,
    first_step,
    leak_needed,
    lemmas,
    separation,
    theorem_schedule,
    training,
)
from glassware.studies.leaky import network_against_linear as against
from glassware.studies.leaky.fit import examples, hidden, marks, readout, stepped
from glassware.theory.leaky.distributions import LeakyParity, majority_agreement
from glassware.theory.leaky.linear_methods import ridge
from glassware.theory.leaky.network import first_step as step_at_once
from glassware.theory.leaky.network import initialise, theorem_decay, theorem_rate
from glassware.theory.leaky.readout import drift_bounds
from tests.studies.made import check, computed_from_end_to_end


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_smoke_scale_from_end_to_end(study, smoke, tmp_path):
    computed_from_end_to_end(study, smoke(study)[1], tmp_path)


def test_rows_are_the_same_again(smoke):
    study = separation.STUDY
    store, rows = smoke(study)
    assert train(study, "smoke", None).equals(rows)
    assert train(study, "smoke", store).equals(rows)


# -- what the studies share -------------------------------------------------------------------------------------------


def test_a_stream_gives_what_a_whole_sample_gives(monkeypatch):
    monkeypatch.setattr("glassware.studies.leaky.fit.CHUNK", 300)
    rng = np.random.default_rng(0)
    task = LeakyParity.draw(9, 3, rng)
    network, seed = initialise(9, 3, 20, rng), [5, 6]
    drawn = list(examples(task, 1000, seed))
    assert [len(part.y) for part in drawn] == [300, 300, 300, 100]
    z, y = (np.concatenate([part[i] for part in drawn]) for i in (0, 1))
    whole = step_at_once(network, z / 3.0, y)
    after = stepped(network, task, 1000, seed)
    for a, b in zip((whole.w, whole.b, whole.u), (after.w, after.b, after.u), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    fresh = task.sample(50, rng).z
    np.testing.assert_allclose(
        readout(hidden(after), task, 1000, seed)(fresh), ridge(hidden(after), z, y)(fresh), atol=1e-5
    )


def test_marks_tell_the_components_apart():
    task = LeakyParity.draw(9, 3, np.random.default_rng(0))
    one_bit = marks(lambda z: z[:, task.support[0]], task, [1])
    assert one_bit["leaking"] == 1.0
    assert abs(one_bit["uniform"] - 0.5) < 0.03
    assert one_bit["mixture"] == pytest.approx((one_bit["uniform"] + 1) / 2)
    majority = marks(lambda z: z[:, list(task.support)].sum(axis=1), task, [1])
    assert abs(majority["uniform"] - majority_agreement(3)) < 0.03


def test_runs_go_on_from_their_first_step_with_its_hidden_set_and_other_examples(smoke):
    store, rows = smoke(training.STUDY)
    first, last = rows.filter(steps=1), rows.filter(pl.col("start_run").is_not_null())
    assert last["start_run"].to_list() == first["id"].to_list()
    assert last["support"].to_list() == first["support"].to_list()
    one, other = ([list(run) for run in stage("smoke", None, rows)] for stage in training.STUDY.stages)
    assert len(one) == 2 > len(other) == 1
    stages = [stage("smoke", None, rows) for stage in training.STUDY.stages]
    assert not np.array_equal(stages[0][0].key(), stages[1][0].key())
    after, before = first["curve_uniform"][0][-1], last["curve_uniform"][0][0]
    assert after == before  # the same network on the same held-out examples
    kept = store.weights(first["id"][0])
    assert kept["0.w"].shape == (15, 120)


def test_the_smoke_run_learns_the_leak_and_is_on_its_way_to_the_parity(smoke):
    runs = training.trained(smoke(training.STUDY)[1])
    network, alone = (runs.filter(variant=name).row(0, named=True) for name in ("network", "no first step"))
    assert network["curve_leaking"][-1] >= 0.99
    assert network["uniform"] > max(0.5, majority_agreement(3) + 0.2)
    assert alone["uniform"] < network["uniform"]


def test_the_schedule_of_the_theorem_obeys_its_drift_bounds_and_stays_at_the_majority(smoke):
    study = theorem_schedule.STUDY
    _, rows = smoke(study)
    assert check(study, "drift", rows).holds
    found = theorem_schedule.followed(rows)
    assert found["recipe"].to_list() == [name for name, *_ in theorem_schedule.SCHEDULES]
    assert abs(found["uniform"][0] - majority_agreement(3)) <= 0.1


# -- claims on rows we choose -----------------------------------------------------------------------------------------


def fit(method, uniform, n=51, k=5, q=200, leaking=1.0, count=3):
    return [
        {"method": method, "n": n, "k": k, "q": q, "m": 1000, "seed": i, "features": 2 * q, "uniform": uniform,
         "leaking": leaking, "mixture": (uniform + leaking) / 2}
        for i in range(count)
    ]  # fmt: skip


def test_network_against_linear():
    study, name = against.STUDY, against.NETWORK
    good = pl.DataFrame([*fit(name, 0.995, count=11), *fit(name, 0.9, count=1)])
    assert check(study, "network", good).holds
    assert not check(study, "network", pl.DataFrame([*fit(name, 0.995, count=10), *fit(name, 0.9, count=2)])).holds
    assert not check(study, "network", pl.DataFrame(fit(name, 1.0, leaking=0.98, count=12))).holds
    assert check(study, "linear", pl.DataFrame(fit("linear", 0.70))).holds
    assert not check(study, "linear", pl.DataFrame(fit("linear", 0.71))).holds
    for level, holds in ((0.74, True), (0.76, False)):
        rows = pl.DataFrame([*fit(name, 1.0), *fit("tangent gates", level)])
        assert check(study, "fixed-features", rows).holds is holds
        assert check(study, "kernels", pl.DataFrame(fit("cubic kernel", level))).holds is holds
    assert check(study, "fixed-features", pl.DataFrame(fit("tangent gates", 0.5))).holds is None
    assert check(study, "kernels", pl.DataFrame(fit("cubic kernel", 1.0, k=3))).holds is None
    low = pl.DataFrame(fit("monomials to degree 2", 0.6, k=3))
    assert not check(study, "monomials-below", low).holds
    assert check(study, "monomials-below", low.with_columns(uniform=0.4)).holds
    high = pl.DataFrame(fit("monomials to degree 3", 1.0, k=3))
    assert check(study, "monomials-at-k", high).holds
    assert not check(study, "monomials-at-k", high.with_columns(uniform=0.999)).holds
    wide = [*fit(name, 1.0, k=3, q=100), *fit(name, 1.0, k=5, q=300), *fit(name, 0.5, k=5, q=100)]
    assert check(study, "width-enough", pl.DataFrame(wide)).holds
    assert not check(study, "width-enough", pl.DataFrame([*wide, *fit(name, 0.5, k=7, q=300)])).holds
    assert not check(study, "width-enough", pl.DataFrame([*wide, *fit(name, 1.0, k=7, q=100)])).holds
    assert check(study, "large-baselines", pl.DataFrame(fit("linear", 0.65, n=101, k=7))).holds
    assert not check(study, "large-baselines", pl.DataFrame(fit("linear", 0.75, n=101, k=7))).holds


def test_first_step():
    study = first_step.STUDY
    row = {"n": 101, "k": 3, "q": 200, "m": 20_000, "seed": 1, "good": 52, "alpha": 0.26, "alpha_low": 0.25,
           "alpha_high": 0.3, "alpha_closed": 0.26, "off_rms": 0.005, "off_largest": 0.1,
           "bias_largest": 0.1}  # fmt: skip
    made = pl.DataFrame([row])
    changed = lambda **more: made.with_columns(**{name: pl.lit(value) for name, value in more.items()})
    assert check(study, "exact-zero", made).holds is None
    assert not check(study, "exact-zero", changed(m=0)).holds
    assert check(study, "exact-zero", changed(m=-1, off_largest=1e-15, bias_largest=0.0)).holds
    assert check(study, "alpha", changed(alpha=0.27)).holds
    assert not check(study, "alpha", changed(alpha=0.28)).holds
    assert check(study, "alpha-printed", changed(m=0)).holds
    assert not check(study, "alpha-printed", changed(m=0, alpha_low=0.24)).holds
    assert check(study, "good-share", made).holds
    assert not check(study, "good-share", changed(good=90)).holds
    assert check(study, "noise", made).holds
    assert not check(study, "noise", changed(off_rms=0.017)).holds
    sizes = [2000, 20_000, 200_000]
    for power, holds in ((-0.5, True), (-0.4, False)):
        noisy = pl.concat([changed(m=m, off_rms=m**power) for m in sizes])
        assert check(study, "noise-slope", noisy).holds is holds


def test_leak_needed():
    study = leak_needed.STUDY
    levels = {0.0: 0.5, 0.05: 0.7, 0.1: 0.98, 0.25: 1.0, 0.5: 1.0, 0.75: 1.0, 0.95: 0.7}
    table = lambda **more: pl.DataFrame(
        [{"leak": p, "m": 1000, "uniform": more.get(f"p{p}", v), "leaking": 1.0} for p, v in levels.items()]
    )
    for claim in ("no-leak", "enough", "little", "too-much"):
        assert check(study, claim, table()).holds
    for claim, wrong in (("no-leak", {"p0.0": 0.6}), ("enough", {"p0.75": 0.98}), ("little", {"p0.1": 0.6}),
                         ("too-much", {"p0.95": 0.95})):  # fmt: skip
        assert not check(study, claim, table(**wrong)).holds
    for power, holds in ((-0.5, True), (-0.9, False), (0.5, False)):
        edges = [(m, 0.1 * (m / 10_000) ** power) for m in (10_000, 100_000, 1_000_000)]
        rows = [{"leak": p, "m": m, "uniform": u} for m, at in edges for p, u in ((at / 2, 0.6), (at * 2, 1.0))]
        assert check(study, "threshold", pl.DataFrame(rows)).holds is holds
    assert check(study, "threshold", table()).holds is None


def run_of(variant="network", uniform=(0.25, 0.5, 1.0), leaking=(0.9, 1.0, 1.0), q=100, k=3):
    return {"n": 31, "k": k, "half": q, "copies": "printed" if variant == "printed pairing" else "corrected",
            "start_run": None if variant == "no first step" else "0" * 20, "optimiser": "sgd", "lr": 0.3,
            "layer_rates": [1.0, 1.0], "seed": 1, "steps": 200, "curve_step": [0, 100, 200],
            "curve_uniform": list(uniform), "curve_leaking": list(leaking)}  # fmt: skip


def first_step_of(start, copies="corrected"):
    """A first step whose network has this largest output before it, in units of n/k."""
    return {"n": 30, "k": 3, "copies": copies, "steps": 1, "curve_largest_output": [10 * start, 1.0]}


def test_training():
    study = training.STUDY
    good, bad = (
        pl.DataFrame([run_of()]),
        pl.DataFrame([run_of(), run_of(uniform=(0.25, 1.0, 0.9), leaking=(0.5, 0.9, 1.0))]),
    )
    for claim in ("learns", "leak-first"):
        assert check(study, claim, good).holds
        assert not check(study, claim, bad).holds
    assert check(study, "learns", pl.DataFrame([run_of("no first step")])).holds is None
    assert check(study, "silent-start", pl.DataFrame([first_step_of(0.0)])).holds
    assert not check(study, "silent-start", pl.DataFrame([first_step_of(1e-3)])).holds
    assert not check(study, "silent-start-printed", pl.DataFrame([first_step_of(2.0, "printed")])).holds
    assert check(study, "wide", good).holds is None
    assert check(study, "wide", pl.DataFrame([run_of(q=1000)])).holds
    assert not check(study, "wide", pl.DataFrame([run_of(q=1000, uniform=(0.2, 0.2, 0.2))])).holds


def followed_by(schedule="theorem", uniform=0.26, leaking=1.0, drift=0.5, q=100):
    """A run on one of the schedules, whose neurons went so far of the bound at its last record."""
    _, factor, regularised = next(row for row in theorem_schedule.SCHEDULES if row[0] == schedule)
    eta, lam = factor * theorem_rate(3, q, 1000), theorem_decay(31, 3) if regularised else 0.0
    return {"n": 31, "k": 3, "half": q, "steps": 1000, "lr": eta, "penalty": "[lambda]" if regularised else None,
            "curve_step": [0, 1000], "curve_uniform": [0.2, uniform], "curve_leaking": [0.9, leaking],
            "curve_readout_size": [0.0, 0.0], "curve_bias_moved": [0.0, 0.0],
            "curve_neuron_moved": [0.0, drift * drift_bounds(1001, eta, lam, 31, 3).w]}  # fmt: skip


def test_theorem_schedule():
    study = theorem_schedule.STUDY
    made = lambda **more: pl.DataFrame([followed_by(**more)], schema_overrides={"penalty": pl.String})
    for schedule in ("theorem", "theorem, regularised"):
        assert check(study, "majority", made(schedule=schedule)).holds
    assert not check(study, "majority", made(uniform=0.3)).holds
    assert not check(study, "majority", made(leaking=0.98)).holds
    assert not check(study, "as-stated", made()).holds
    assert check(study, "as-stated", made(uniform=1.0)).holds
    assert check(study, "larger-rate", made()).holds is None
    assert check(study, "larger-rate", made(schedule="500 times the rate", uniform=0.99)).holds
    assert not check(study, "larger-rate", made(schedule="500 times the rate", uniform=0.98)).holds
    for schedule, *_ in theorem_schedule.SCHEDULES:
        assert check(study, "drift", made(schedule=schedule)).holds
        assert not check(study, "drift", made(schedule=schedule, drift=1.1)).holds
    wide = [made(q=q, uniform=u) for q, u in ((10, 0.2), (20, 0.3), (30, 0.4))]
    assert check(study, "width", pl.concat(wide)).holds
    assert not check(study, "width", pl.concat([*wide, made(q=40, uniform=0.3)])).holds


@pytest.mark.parametrize("part", ["readout_size", "neuron_moved", "bias_moved"])
def test_every_part_of_the_drift_counts(part):
    run = {**followed_by(drift=0.5), f"curve_{part}": [0.0, 1e6]}
    assert theorem_schedule.drift(run)[0] == 0 < 1 < theorem_schedule.drift(run)[1]


def test_separation():
    study = separation.STUDY
    sizes = lambda method, k, *pairs: [
        {"method": method, "n": 31, "k": k, "size": size, "m": 1, "seed": 0, "uniform": u} for size, u in pairs
    ]
    both = [*sizes(separation.NETWORK, 3, (10, 0.5), (50, 1.0)), *sizes(separation.NETWORK, 5, (10, 0.5), (200, 0.96))]
    assert check(study, "network", pl.DataFrame(both)).holds
    both[-1]["uniform"] = 0.94
    assert not check(study, "network", pl.DataFrame(both)).holds
    for level, holds in ((0.94, True), (0.96, False)):
        rows = pl.DataFrame(sizes(separation.FEATURES, 5, (100, 0.5), (3000, level)))
        assert check(study, "features", rows).holds is holds
    for last, holds in ((400, True), (300, False)):
        rows = [*sizes(separation.FEATURES, 3, (100, 1.0)), *sizes(separation.FEATURES, 5, (100, 0.5), (last, 1.0))]
        assert check(study, "features-grow", pl.DataFrame(rows)).holds is holds
    for last, holds in ((80, True), (90, False)):
        rows = [*sizes(separation.NETWORK, 3, (10, 1.0)), *sizes(separation.NETWORK, 9, (10, 0.5), (last, 1.0))]
        assert check(study, "network-grows", pl.DataFrame(rows)).holds is holds


def test_lemmas_corrected_hold_and_printed_fail(smoke):
    study = lemmas.STUDY
    _, rows = smoke(study)
    for claim in ("equalities", "inequalities"):
        assert check(study, claim, rows).holds
    for claim in ("printed-pairing", "printed-alpha", "printed-coefficients", "printed-hinges"):
        found = check(study, claim, rows)
        assert found.holds is False
        assert found.measured.low > 0.1  # in every case, not in some
    off = rows.with_columns(gap=pl.col("gap") + 1e-11, value=pl.col("value") * 10)
    assert not check(study, "equalities", off).holds
    assert not check(study, "inequalities", off).holds


def strips_of(k, levels, seed=1):
    """Rows of these methods with these accuracies."""
    rows = []
    for method, level in levels.items():
        model, init, rates = digit_strips.METHODS[method]
        rows.append({"k": k, "model": model.name, "activation": getattr(model, "activation", None), "init": init.scheme,
                     "layer_rates": list(rates), "seed": seed, "test_error": 1 - level})  # fmt: skip
    return rows


def test_digit_strips_are_judged_by_their_means():
    def made(one, three):
        levels = lambda values: dict(zip(digit_strips.METHODS, values, strict=True))
        return pl.DataFrame([*strips_of(1, levels(one)), *strips_of(3, levels(three))])

    study = digit_strips.STUDY
    good = made((0.98, 0.96, 0.9, 0.97, 0.95), (0.75, 0.5, 0.5, 0.51, 0.52))
    assert digit_strips.by_method(good)["method"].to_list() == 2 * list(digit_strips.METHODS)
    assert all(check(study, claim.id, good).holds for claim in study.claims)
    bad = made((0.98, 0.9, 0.9, 0.9, 0.9), (0.65, 0.5, 0.5, 0.57, 0.5))
    assert not any(check(study, claim.id, bad).holds for claim in study.claims)
    assert check(study, "fixed", good.filter(pl.col("model") != "gated")).holds is None


def test_every_method_sees_the_same_strips():
    runs = digit_strips.stage("smoke", None, pl.DataFrame())
    for k in (1, 3):
        keys = {tuple(run.key()) for run in runs if run.task.k == k}
        assert len(keys) == 1
    assert len({tuple(run.key()) for run in runs}) == 2
