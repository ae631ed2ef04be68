"""How long ``glassware open`` takes on a large store: first page, filters, search, memory.

    python -m benchmarks.large_store make /tmp/grid --rows 200000   # the paper's grid, with curves
    python -m benchmarks.large_page /tmp/grid

In a Chromium where there is one (``make browser``), until the page is drawn; then by plain requests, medians of nine.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ASKED = {
    "runs, first page": "/runs",
    "filter: width 100": "/runs?w.width=100",
    "filter: width and m, sorted": "/runs?w.width=100&w.init=sparse&sort=-steps_to_success",
    "search": "/runs?q=sparse",
    "last page": "/runs?page=4000",
    "cells": "/cells",
}


def get(address: str) -> float:
    """Seconds until an address has answered."""
    started = time.perf_counter()
    with urllib.request.urlopen(address, timeout=60) as answer:
        answer.read()
    return time.perf_counter() - started


def drawn(address: str) -> float | None:
    """Seconds until a browser shows the table of runs; None without a browser."""
    try:
        from tests.browser import CHROMIUM, open_chromium
    except ImportError:
        return None
    if CHROMIUM is None:
        return None
    with open_chromium() as chromium:
        tab = chromium.new_page()
        started = time.perf_counter()
        tab.goto(f"{address}/runs")
        tab.locator("table").first.wait_for()
        return time.perf_counter() - started


def peak(pid: int) -> float:
    """The largest memory a process has held, in GB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    store = parser.parse_args().store
    words = [sys.executable, "-m", "glassware", "open", str(store), "--page", "--no-browser"]
    started = time.perf_counter()
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        said = re.search(r"http://[\d.:]+", server.stdout.readline() if server.stdout else "")
        address = said[0] if said else sys.exit("the page did not start")
        print(f"command to address: {time.perf_counter() - started:.2f} s")
        print(f"address to first overview: {get(f'{address}/'):.2f} s")
        shown = drawn(address)
        print("no browser here" if shown is None else f"table of runs drawn in Chromium: {shown:.2f} s")
        for name, path in ASKED.items():
            first, *others = (get(address + path) for _ in range(10))
            print(f"{name}: {1000 * statistics.median(others):.0f} ms, the first time {1000 * first:.0f} ms")
        print(f"peak memory {peak(server.pid):.2f} GB")
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
