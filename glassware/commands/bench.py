"""Training speed: ``bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from glassware.commands.options import checked_path
from glassware.printing.console import LOG_WIDTH, make_console, print_figures

BENCH = Path("results/bench")


def bench(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for bench.parquet, .png and .html.", callback=checked_path)
    ] = BENCH,
    shapes: Annotated[
        str | None,
        typer.Option(metavar="NxR,..", help="Inputs x neurons: 50x100,200x1000.", show_default="a few usual ones"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds per shape; rough numbers.")] = False,
) -> None:
    """Measure training speed beside PyTorch and plain JAX, on the processor and on the GPU if there is one.

    All take turns in one run, each in the best form we know; PyTorch's rows need it installed.

      glassware bench --quick --shapes 50x100
    """
    from glassware.api.folders import check_figures
    from glassware.bench import FULL, QUICK, caption, frame, parse_shapes, speed_chart, speed_tables, summary_lines
    from glassware.bench import bench as measure
    from glassware.charts import save

    cells = parse_shapes(shapes) if shapes is not None else None
    check_figures(out)
    with make_console(stderr=True).status("starting") as status:
        results = measure(cells, QUICK if quick else FULL, status.update)
    console, table = make_console(), frame(results)
    console.width = max(console.width, LOG_WIDTH)  # a terminal too narrow breaks lines: better than cut numbers
    for grid in speed_tables(results):
        console.print(grid)
    for line in (caption(results), *summary_lines(results)):
        console.print(line, soft_wrap=True)
    paths = [*save(speed_chart(table), out, "bench"), out / "bench.parquet"]
    table.write_parquet(paths[-1])
    print_figures(console, paths[:-1])
    console.print(f"results in {paths[-1]}", soft_wrap=True)
