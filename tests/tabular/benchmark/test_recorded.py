"""What docs/tabular.md and docs/tabular-recipe.md print is what the committed rows say."""

import json
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[3]
ROWS = ROOT / "benchmarks" / "rows"
NAMES = {"ours": "sparse", "dense twin": "dense", "HistGB": "HistGradientBoosting"}


def rows(file):
    lines = (ROWS / file).read_text().splitlines()
    return pl.DataFrame([json.loads(line) for line in lines], infer_schema_length=None)


def table(page, first):
    """The cells of the Markdown table whose first heading is this, without bold type."""
    lines = (ROOT / "docs" / page).read_text().replace("**", "").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    found = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return [NAMES.get(cell, cell) for cell in found[0]], found[2:]


def means(frame, key, value="error"):
    wide = frame.group_by(key, "method").agg(pl.col(value).mean())
    return {(row[0], row[1]): row[2] for row in wide.iter_rows()}


def check(heading, printed, found, digits):
    """Cells of methods, of the rows that have a name in ``found``; an empty one has no rows."""
    keys = {key for key, _ in found}
    assert {row[0] for row in printed} >= keys
    for row in printed:
        for method, cell in zip(heading[1:], row[1:], strict=True):
            if (row[0], method) in found:
                assert float(cell) == pytest.approx(found[row[0], method], abs=0.6 * 10**-digits), (row[0], method)
            else:
                assert not (row[0] in keys and method in {name for _, name in found}) or cell == ""


def test_planted_kinds():
    frame = rows("interactions.jsonl").filter(pl.col("columns") == 200, pl.col("rows") == 1000)
    heading, printed = table("tabular.md", "kind")
    check(heading, printed, means(frame, "kind", "excess"), 1)
    ours = frame.filter(pl.col("method") == "sparse")
    assert ours.height == 150
    text = (ROOT / "docs" / "tabular.md").read_text() + (ROOT / "README.md").read_text()
    assert text.count(f"{int(ours['named'].sum())} of 150") >= 1
    lowest = means(frame, "kind", "excess")
    kinds = {kind for kind, _ in lowest}
    first = sum(lowest[kind, "sparse"] <= min(v for (k, _), v in lowest.items() if k == kind) + 1e-9 for kind in kinds)
    assert f"first in {first} of 30" in text


@pytest.mark.parametrize(("suite", "name"), [("classes", "several classes"), ("numbers", "numbers")])
def test_tables_of_several_classes_and_of_numbers(suite, name):
    frame = rows("tabular-real.jsonl").filter(pl.col("suite") == suite, pl.col("method") != "screening")
    check(*table("tabular-recipe.md", name), means(frame, "table"), 1)
    heading, printed = table("tabular.md", "1,000 rows")
    each = frame.group_by("table", "method").agg(pl.col("error").mean())
    each = each.with_columns(pl.col("error").rank("average").over("table").alias("rank"))
    for value, digits in (("error", 1), ("rank", 2)):
        line = f"{name}: {value}"
        mean = each.group_by("method").agg(pl.col(value).mean())
        check(heading, [row for row in printed if row[0] == line], {(line, m): v for m, v in mean.iter_rows()}, digits)
