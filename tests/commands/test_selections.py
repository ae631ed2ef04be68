import json

import polars as pl
import pytest

from tests.calls import SWEEP, call, sentence, snapshot


def test_sweeps_are_listed(full_store):
    before = snapshot(full_store)
    done = call("sweeps", "--store", full_store)
    assert done.exit_code == 0
    assert "good" in done.stdout
    (one,) = json.loads(call("sweeps", "--store", full_store, "--json").stdout)
    assert (one["name"], one["wanted"], one["runs"]) == ("good", 4, 4)
    assert snapshot(full_store) == before


def test_two_are_compared(full_store, folder):
    (folder / "wide.toml").write_text('name = "wide"\n' + SWEEP.replace("width = 8", "width = 4"))
    assert call("sweep", "wide.toml", "--store", full_store).exit_code == 0
    assert (folder / "results/figures/sweeps/wide.png").exists()
    done = call("compare", "good", "wide", "--store", full_store)
    assert "model.width: 8 in A, 4 in B" in done.stdout
    assert "all runs" in done.stdout
    found = json.loads(call("compare", "good.toml", "wide", "--store", full_store, "--json").stdout)
    assert [row["m"] for row in found["cells"]] == ["30", "online", "all runs"]


@pytest.mark.parametrize(("kind", "read"), [("csv", pl.read_csv), ("parquet", pl.read_parquet), ("json", pl.read_json)])
def test_rows_are_exported(full_store, folder, kind, read):
    done = call("export", "good", "--format", kind, "--store", full_store)
    assert (done.exit_code, done.stdout) == (0, f"rows in rows.{kind}\n")
    frame = read(folder / f"rows.{kind}")
    assert (len(frame), frame["m"].null_count()) == (4, 2)
    assert call("export", "-o", f"all.{kind}", "--store", full_store).exit_code == 0


def test_rows_without_curves_go_into_another_store(full_store, folder):
    assert call("export", "--no-curves", "-o", "rows.parquet", "--store", full_store).exit_code == 0
    rows = pl.read_parquet(folder / "rows.parquet")
    assert not any(kind.is_nested() for kind in rows.schema.values())
    for said in ("4 runs added to copy, 0 were there", "0 runs added to copy, 4 were there"):
        assert said in call("store", "merge", "copy", "rows.parquet").stdout
    assert call("store", "check", "copy").exit_code == 0
    assert json.loads(call("sweeps", "--store", full_store, "--json").stdout)[0]["runs"] == len(rows)
    again = call("sweep", "good.toml", "--store", "copy")
    assert "4 done before, 0 to train" in again.stdout
    rows.with_columns(success=~pl.col("success")).write_parquet(folder / "other.parquet")
    assert "different results in copy and other.parquet" in sentence(call("store", "merge", "copy", "other.parquet"))
    rows.with_columns(spec=pl.col("spec").str.replace("30", "31")).write_parquet(folder / "wrong.parquet")
    assert "not that of its specification" in sentence(call("store", "merge", "new", "wrong.parquet"))


def test_a_sweep_has_a_report(full_store, folder):
    assert call("report", "good", "--store", full_store, "-o", "r.md").exit_code == 0
    said = (folder / "r.md").read_text()
    assert said.startswith("# good\n")
    assert "glassware sweep good.toml" in said
    assert 'm = [30, "online"]' in said
    assert len(list((folder / "r-figures").iterdir())) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "good", "god"], "store remembers no sweep 'god'; it has good"),
        (["compare", "good", "pareto/slices"], "no results of pareto/slices at scale laptop yet"),
        (["export", "god"], "store remembers no sweep 'god'; it has good"),
        (["export", "-o", "rows.xls"], "rows are written as csv, parquet, json, not as rows.xls"),
        (["export", "-o", "."], "rows are written as"),
        (["export", "--format", "json", "-o", "good.toml/x"], "cannot write good.toml/x: "),
        (["report", "god"], "unknown study 'god'"),
    ],
)
def test_bad_selections(full_store, folder, monkeypatch, words, said):
    monkeypatch.chdir(folder)
    before = snapshot(folder)
    assert sentence(call(*words, "--store", "store")).startswith(said)
    assert snapshot(folder) == before
