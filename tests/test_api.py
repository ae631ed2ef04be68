import json
import subprocess
import sys

import pandas
import polars as pl
import pytest

import glassware
from glassware import GlasswareError, studies
from glassware.sweeps import grid
from tests.helpers import TINY, tiny
from tests.tiny_study import STUDY


def test_every_name_is_there_and_on_the_one_screen():
    named = set(glassware.__doc__.replace(",", " ").replace(";", " ").replace(":", " ").replace("(", " ").split())
    for name in dir(glassware):
        assert getattr(glassware, name) is not None
        assert name in named, f"{name} is not in glassware.__doc__"
    assert len(glassware.__doc__.splitlines()) <= 30
    assert max(map(len, glassware.__doc__.splitlines())) <= 120
    with pytest.raises(AttributeError, match="no attribute 'swep'"):
        _ = glassware.swep


def test_help_is_one_screen_and_not_the_methods_of_every_class():
    code = "import pydoc, glassware; print(pydoc.plain(pydoc.render_doc(glassware)))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert glassware.__doc__.splitlines()[3].strip() in said
    assert len(said.splitlines()) < 80


def test_type_checkers_see_the_names_that_there_are():
    """``__all__`` is written for them alone; two lists must agree."""
    import ast
    from pathlib import Path

    tree = ast.parse(Path(glassware.__file__).read_text())
    (listed,) = [
        ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    assert sorted(listed) == dir(glassware)


def test_the_estimators_are_at_hand_and_only_when_asked_for():
    from glassware import SparseMLPClassifier, tabular

    assert SparseMLPClassifier is tabular.SparseMLPClassifier
    code = "import sys; from glassware import Run, Transformer, register; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("__doc__", {"jax", "polars", "numpy", "pydantic"}),
        ("Run", {"jax", "polars", "scipy", "glassware.studies", "glassware.engine"}),  # 0.25 s of processor time
        ("register", {"jax", "polars", "scipy", "glassware.studies", "glassware.engine"}),
        ("sweep", {"altair", "sklearn", "glassware.studies", "glassware.charts"}),
    ],
)
def test_a_name_imports_no_more_than_it_needs(name, without):
    code = f"import sys, glassware; glassware.{name}; print(*{without!r} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_builtin_open_is_left_alone():
    names = {}
    exec("from glassware import *", names)
    assert "open" not in names


def test_the_old_name_of_reproduce_says_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"gw\.run is now gw\.reproduce"):
        assert glassware.run is glassware.reproduce


def test_a_run_is_trained_a_study_reproduced_a_sweep_swept():
    run = tiny()
    row = glassware.train(run)
    assert row["spec"] == glassware.sweep([run])["spec"].item()
    for call, said in [
        (lambda: glassware.reproduce(run), r"a run is trained by gw\.train\(run\)"),
        (lambda: glassware.sweep(run), r"one is trained by gw\.train\(run\)"),
        (lambda: glassware.train([run]), r"takes one gw\.Run, not list; many runs: gw\.sweep"),
    ]:
        with pytest.raises(GlasswareError, match=said):
            call()


def test_one_run_is_kept_and_shown(folder, capsys, trained):
    run = tiny(keep=("final",))
    row = glassware.train(run, "store")
    assert repr(glassware.train(run, "store")) == repr(row)  # as text: NaN equals NaN
    assert len(trained) == 1
    for one in (row, row["id"][:6]):
        chart = glassware.show(one, store="store")
        assert chart.to_dict()
        said = capsys.readouterr().out
        assert row["id"] in said
        assert "neurons carry half of the output" in said
    glassware.show(row, store="elsewhere")
    assert "there is no store at elsewhere" in capsys.readouterr().out
    glassware.show(glassware.train(tiny()))
    assert "the run has kept no weights" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(GlasswareError, match="there is no store at nowhere"):
        glassware.show(row["id"], store="nowhere")


def test_a_store_is_opened(folder, monkeypatch, trained):
    monkeypatch.setattr(studies, "STUDIES", {STUDY.name: STUDY})
    monkeypatch.setattr("glassware.api.stores.STUDIES", {STUDY.name: STUDY})
    glassware.reproduce(STUDY, "smoke", store="store", figures=None)
    found = glassware.open("store")
    assert (found.runs, found.sweeps, found.computed) == (8, (), ())
    assert [(one.study, one.runs, one.wanted) for one in found.studies if one.scale == "smoke"] == [("test/tiny", 8, 8)]
    mine = grid({**TINY, "task": {"n": 10, "k": 2}, "keep": ["final"]}, {"m": [30, 40]}, seeds=2)
    glassware.sweep(mine, "store")
    found = glassware.open("store")
    assert (found.runs, found.kept) == (12, 4)
    (own,) = found.sweeps
    assert (own.task, own.model, own.runs, own.varied) == ("parity", "mlp", 4, ("m",))
    plain = json.loads(json.dumps(found.plain()))
    assert (plain["format"], plain["runs"], plain["sweeps"][0]["varied"]) == (2, 12, ["m"])
    assert plain["bytes"] > 1000
    with pytest.raises(GlasswareError, match="there is no store at nowhere"):
        glassware.open("nowhere")


def test_rows_of_a_paper_grid_are_matched_by_cell(folder, monkeypatch, trained):
    """A cell that only the paper's grid has, and a seed of it."""
    only_paper = lambda scale, seeds, rows: grid(TINY, {"m": [77]}, seeds=seeds or 50) if scale == "paper" else []
    study = glassware.Study("test/paper", "", "", (only_paper,), ())
    monkeypatch.setattr("glassware.api.stores.STUDIES", {study.name: study})
    glassware.sweep([tiny(m=77, seed=31), tiny(m=78)], "store")
    found = glassware.open("store")
    assert [(one.scale, one.runs, one.wanted) for one in found.studies] == [("paper", 1, 50)]
    assert [one.runs for one in found.sweeps] == [1]


def test_frames_go_to_csv_and_pandas(folder):
    assert "pyarrow" not in sys.modules
    frame = glassware.sweep([tiny(m=30), tiny(probes=("neuron_norms",))])
    back = pl.read_csv(glassware.to_csv(frame, "rows.csv"))
    assert back.columns == frame.columns
    assert back["m"].to_list() == [30, None]
    assert [json.loads(curve) for curve in back["curve_step"]] == frame["curve_step"].to_list()
    assert back["neuron_norms"][0] is None
    read = pandas.read_csv("rows.csv")
    assert json.loads(read["support"][1]) == frame["support"][1].to_list()

    table = glassware.to_pandas(frame)
    assert list(table.columns) == frame.columns
    assert str(table["m"].dtype) == "Int64"
    assert table["m"].isna().tolist() == [False, True]
    assert str(table["success"].dtype) == "bool"
    assert table["curve_step"][0] == frame["curve_step"][0].to_list()
    assert (table["test_error"].to_numpy() == frame["test_error"].to_numpy()).all()
    nested = pl.DataFrame({"a": [[1.0, float("nan")]], "b": [{"x": [float("inf")]}], "c": [None]})
    assert pl.read_csv(glassware.to_csv(nested, "n.csv")).rows() == [("[1.0,null]", '{"x":[null]}', None)]
    with pytest.raises(GlasswareError, match="cannot write absent/rows"):
        glassware.to_csv(frame, "absent/rows.csv")


def test_parts_are_registered_by_name():
    for name in ("TASKS", "MODELS", "PROBES", "ACTIVATIONS", "STUDIES"):
        registry = getattr(glassware, name)
        before = dict(registry)
        try:
            _register_and_refuse(name, registry)
        finally:
            registry.clear()
            registry.update(before)


def _register_and_refuse(name, registry):
    from typing import Literal

    def make():
        if name == "TASKS":
            return type("Mine", (glassware.Parity,), {"__annotations__": {"name": Literal["mine"]}, "name": "mine"})
        if name == "MODELS":
            return type("Mine", (glassware.MLP,), {"__annotations__": {"name": Literal["mine"]}, "name": "mine"})
        if name == "PROBES":
            return glassware.Probe("final", lambda run, values, params: {})
        if name == "ACTIVATIONS":
            return glassware.Activation(lambda z, degree: z)
        return glassware.Study("mine", "", "", (), ())

    named = {} if name in ("TASKS", "MODELS", "STUDIES") else {"name": "mine"}
    for part in (make(), make()):  # again: a cell of a notebook is run twice
        assert glassware.register(part, **named) is part
        assert registry["mine"] is part
    taken = next(iter(registry))
    if named:
        with pytest.raises(GlasswareError, match="already; give yours another name"):
            glassware.register(make(), taken)
        with pytest.raises(GlasswareError, match=r"give the .* a name"):
            glassware.register(make())
    else:
        with pytest.raises(GlasswareError, match="it calls itself 'mine', not 'yours'"):
            glassware.register(make(), "yours")
    with pytest.raises(GlasswareError, match=r"register a subclass of Task or Model, .* not int"):
        glassware.register(3)


def test_a_notebook(capsys):
    runs = glassware.grid(TINY, {"model.width": [8, 4]}, seeds=2)
    frame = glassware.sweep(runs, progress=True)
    assert frame["width"].to_list() == [8, 8, 4, 4]
    assert "4 runs: 0 done before, 4 to train" in capsys.readouterr().out
    assert glassware.charts.success_heat_map(frame, title="Widths").to_dict()
    assert glassware.sweep(runs).drop("seconds").equals(frame.drop("seconds"))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("store", "said"), [("store", "finished runs are kept in store"), (None, "nothing is kept")])
def test_ctrl_c_says_what_is_kept(folder, monkeypatch, caplog, store, said):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["glassware.sweeps.sweep"], "train", stop)
    for call in (lambda: glassware.sweep([tiny()], store), lambda: glassware.reproduce(STUDY, "smoke", store=store)):
        caplog.clear()
        with pytest.raises(KeyboardInterrupt):
            call()
        assert said in caplog.text


def test_a_study(tmp_path, trained):
    places = {"store": tmp_path / "store", "figures": tmp_path / "figures"}
    report = glassware.reproduce(STUDY, "smoke", **places)
    assert (report.study, report.scale, len(report.frame), len(trained)) == ("test/tiny", "smoke", 8, 8)
    assert [j.verdict for j in report.judgements] == ["holds", "fails", "not enough runs", "not judged at this scale"]
    assert sorted(path.suffix for path in report.figures) == [".html", ".png"]
    assert all(path.stat().st_size for path in report.figures)

    again = glassware.reproduce(STUDY, "smoke", **places)
    assert len(trained) == 8
    assert again.frame.equals(report.frame)
    assert glassware.claims(STUDY, "smoke", store=places["store"]) == report.judgements
    redrawn = glassware.figures(STUDY, "smoke", store=places["store"], folder=tmp_path / "other")
    assert [p.relative_to(tmp_path / "other") for p in redrawn] == [
        p.relative_to(tmp_path / "figures") for p in report.figures
    ]


def test_nothing_is_kept_unless_wanted(folder, trained):
    report = glassware.reproduce(STUDY, "smoke", store=None, figures=None, seeds=1, lanes=2)
    assert (len(report.frame), report.figures, list(folder.iterdir())) == (4, [], [])


def test_bad_input_writes_nothing(folder, trained):
    (folder / "file").touch()
    for call, said in [
        (lambda: glassware.reproduce("test/tiny"), "unknown study 'test/tiny'"),
        (lambda: glassware.reproduce(STUDY, "huge"), "unknown scale 'huge'; scales are smoke, laptop, paper"),
        (lambda: glassware.reproduce(STUDY, seeds=0), "seeds must be at least 1, not 0"),
        (lambda: glassware.reproduce(STUDY, lanes=-3), "lanes must be at least 1, not -3"),
        (
            lambda: glassware.reproduce(STUDY, figures="file/figures"),
            "cannot write figures to file/figures: .*file is a file",
        ),
        (lambda: glassware.reproduce(STUDY, store="file"), "file is a file, not a store folder"),
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
        glassware.reproduce(STUDY, "smoke", store=None, figures=tmp_path, seeds=1)


def test_list_of_studies(monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", {STUDY.name: STUDY})
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
