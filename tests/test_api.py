import json
import subprocess
import sys

import polars as pl
import pytest

import glassware
from glassware import GlasswareError, api
from glassware.sweeps import grid
from tests.helpers import TINY, tiny
from tests.tiny_study import STUDY


def test_every_name_is_there_and_documented():
    assert dir(glassware) == sorted(glassware.__all__)
    for name in glassware.__all__:
        assert getattr(glassware, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'swep'"):
        _ = glassware.swep


def test_the_estimators_are_at_hand_and_only_when_asked_for():
    from glassware import SparseMLPClassifier, tabular

    assert SparseMLPClassifier is tabular.SparseMLPClassifier
    code = "import sys; from glassware import *; Run, Transformer; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_is_quick():
    code = "import sys, glassware; assert not {'jax', 'polars', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_notebook(capsys):
    runs = glassware.grid(TINY, {"model.width": [8, 4]}, seeds=2)
    frame = glassware.sweep(runs, progress=True)
    assert frame["width"].to_list() == [8, 8, 4, 4]
    assert "4 runs: 0 done before, 4 to train" in capsys.readouterr().out
    assert glassware.charts.success_heat_map(frame, title="Widths").to_dict()
    assert glassware.sweep(runs).drop("seconds").equals(frame.drop("seconds"))
    assert capsys.readouterr().out == ""


def test_a_study(tmp_path, trained):
    places = {"store": tmp_path / "store", "figures": tmp_path / "figures"}
    report = glassware.run(STUDY, "smoke", **places)
    assert (report.study, report.scale, len(report.frame), len(trained)) == ("test/tiny", "smoke", 8, 8)
    assert [j.verdict for j in report.judgements] == ["holds", "fails", "not enough runs", "not judged at this scale"]
    assert sorted(path.suffix for path in report.figures) == [".html", ".png"]
    assert all(path.stat().st_size for path in report.figures)

    again = glassware.run(STUDY, "smoke", **places)
    assert len(trained) == 8
    assert again.frame.equals(report.frame)
    assert glassware.claims(STUDY, "smoke", store=places["store"]) == report.judgements
    redrawn = glassware.figures(STUDY, "smoke", store=places["store"], folder=tmp_path / "other")
    assert [p.relative_to(tmp_path / "other") for p in redrawn] == [
        p.relative_to(tmp_path / "figures") for p in report.figures
    ]


def test_nothing_is_kept_unless_wanted(folder, trained):
    report = glassware.run(STUDY, "smoke", store=None, figures=None, seeds=1, lanes=2)
    assert (len(report.frame), report.figures, list(folder.iterdir())) == (4, [], [])


def test_bad_input_writes_nothing(folder, trained):
    (folder / "file").touch()
    for call, said in [
        (lambda: glassware.run("test/tiny"), "unknown study 'test/tiny'"),
        (lambda: glassware.run(STUDY, "huge"), "unknown scale 'huge'; scales are smoke, laptop, paper"),
        (lambda: glassware.run(STUDY, seeds=0), "seeds must be at least 1, not 0"),
        (lambda: glassware.run(STUDY, lanes=-3), "lanes must be at least 1, not -3"),
        (
            lambda: glassware.run(STUDY, figures="file/figures"),
            "cannot write figures to file/figures: .*file is a file",
        ),
        (lambda: glassware.run(STUDY, store="file"), "file is a file, not a store folder"),
        (lambda: glassware.sweep([tiny()], lanes=0), "lanes must be at least 1, not 0"),
        (lambda: glassware.claims(), "there is no store at results/store"),
        (lambda: glassware.claims("paretto"), "unknown study 'paretto'"),
        (lambda: glassware.figures(STUDY), "there is no store at results/store"),
    ]:
        with pytest.raises(GlasswareError, match=said):
            call()
    assert (trained, [path.name for path in folder.iterdir()]) == ([], ["file"])


def test_an_unwritable_folder_of_figures_is_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("glassware.studies.study.save", full)
    with pytest.raises(GlasswareError, match=f"cannot write figures to {tmp_path}: No space left on device"):
        glassware.run(STUDY, "smoke", store=None, figures=tmp_path, seeds=1)


def test_list_of_studies(monkeypatch):
    monkeypatch.setattr(api.studies, "STUDIES", {STUDY.name: STUDY})
    sizes = {"smoke": 4, "laptop": 4, "paper": 4, "stages": 2}
    row = {"name": "test/tiny", "title": STUDY.title, **sizes, "computed": False, "claims": 4}
    assert glassware.list_studies().to_dicts() == [row]


def test_summary_by_field():
    runs = grid(TINY, {"m": [30, "online"], "init.scheme": ["dense", "sparse"]}, seeds=3)
    frame = glassware.sweep(runs)
    won = [True] * 5 + [False] * 7  # all of m = 30, dense; two of m = 30, sparse
    steps = [10, 20, 30, 40, 50, *[None] * 7]
    made = frame.with_columns(pl.Series("success", won), pl.Series("steps_to_success", steps, dtype=pl.Int64))
    found = glassware.summary(made)
    assert found.select("field", "value", "runs", "successes", "median_steps").rows() == [
        ("m", "30", 6, 5, 40),
        ("m", "online", 6, 0, None),
        ("init.scheme", "dense", 6, 3, None),
        ("init.scheme", "sparse", 6, 2, None),
    ]  # init.s and init.eps only repeat the scheme
    assert found["rate"][0] == pytest.approx(5 / 6)
    assert 0 < found["low"][0] < 5 / 6 < found["high"][0] < 1
    assert set(found["measure"]) == {"error ≤ 0.1"}


def test_summary_names_what_counts_as_success():
    judged = {"measure": "accuracy", "success": 0.9}
    runs = [tiny(evaluation={**TINY["evaluation"], **judged}), tiny(penalty=[{"name": "l1", "weight": 0.1}]), tiny()]
    found = glassware.summary(glassware.sweep(runs))
    rows = {(field, value): measure for field, value, measure in found.select("field", "value", "measure").rows()}
    assert rows["evaluation.measure", "accuracy"] == "accuracy ≥ 0.9"
    assert rows["evaluation.measure", "–"] == "error ≤ 0.1"
    assert ("penalty", "[]") in rows


def test_summary_of_one_run_and_of_none():
    frame = glassware.sweep([tiny()])
    assert glassware.summary(frame).select("field", "value", "runs").rows() == [("all", "–", 1)]
    assert len(glassware.summary(frame.clear())) == 0


def test_info_is_plain_data():
    found = json.loads(json.dumps(glassware.info()))
    assert {"glassware", "semantics", "python", "jax", "jaxlib", "optax", "polars", "cores", "memory"} <= set(found)
    assert [(c["n"], c["width"]) for c in found["engine"]] == [(50, 100), (50, 1000), (200, 10_000)]
    assert all(c["lanes"] >= 1 and c["engine"] in ("xla", "kernels") for c in found["engine"])
    assert found["devices"]
