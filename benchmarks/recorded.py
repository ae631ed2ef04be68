"""Judges claims at paper scale on the rows of ``benchmarks/rows``: ``python -m benchmarks.recorded frontier-panels``.

The judgements go to ``docs/recorded/NAME.json`` and to the pages of claims; what made the rows is said there, too:
``--minutes 20 --date 2026-11-19`` and the like change it. Claims that these rows cannot judge are left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import polars as pl

from glassware.printing.pages import refresh_records
from glassware.studies import claims, find

DOCS = Path(__file__).parents[1] / "docs"
ROWS = Path(__file__).parent / "rows"
# Name: study, and files of rows; those that are not there yet are left out.
RECORDS = {
    "frontier-panels": ("pareto/success-frontier", ("frontier", "grokking-n200")),
    "slices-n200": ("pareto/slices", ("slices-n200",)),
}
SAID = ("version", "date", "hardware", "minutes", "command", "rows", "remark")


def rows_of(files: tuple[str, ...]) -> pl.DataFrame:
    """The rows of these files, each run once."""
    tables = [pl.read_parquet(path) for file in files if (path := ROWS / f"{file}.parquet").exists()]
    return pl.concat(tables, how="diagonal_relaxed").unique("id", maintain_order=True)


def record(name: str, said: dict[str, str | float]) -> Path:
    """Judge, and write the record and the pages."""
    study, files = RECORDS[name]
    path = DOCS / "recorded" / f"{name}.json"
    about = json.loads(path.read_text())["provenance"] if path.exists() else {}
    judged = [one.plain() for one in claims(find(study), "paper", rows_of(files))]
    kept = [one for one in judged if one["verdict"] != "not judged at this scale" and one["measured"] != "–"]
    content = {"provenance": {**about, **said}, "judgements": kept}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    refresh_records(DOCS, [find(study)])
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECORDS)
    for field in SAID:
        parser.add_argument(f"--{field}", type=float if field == "minutes" else str)
    given = parser.parse_args()
    said = {field: value for field in SAID if (value := getattr(given, field)) is not None}
    print(record(given.name, said))


if __name__ == "__main__":
    main()
