"""Dependencies point downwards only, whatever kind of import makes them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import glassware

PACKAGE = Path(glassware.__file__).parent

TRAINING = {"foundation", "theory", "tasks", "models", "probes"}
ENGINE = {*TRAINING, "training"}
SWEEPS = {*ENGINE, "engine"}
ABOVE = {*SWEEPS, "sweeps", "charts"}

# What each package may import, itself always. A new package says here where it stands.
MAY_IMPORT = {
    "foundation": set(),
    "theory": {"foundation"},
    "tasks": {"foundation", "theory"},
    "models": {"foundation", "tasks"},
    "probes": {"foundation", "theory"},
    "training": TRAINING,
    "engine": ENGINE,
    "sweeps": SWEEPS,
    "tabular": {"foundation", "engine"},  # beside the laboratory: needs scikit-learn
    "cluster": {*SWEEPS, "sweeps"},  # trains elsewhere
    "charts": {"foundation"},  # reads results, never trains
    "luck": {*SWEEPS, "sweeps"},
    "bench": {*SWEEPS, "charts"},
    "progress": {*SWEEPS, "sweeps"},
    "studies": {*ABOVE, "luck", "theory", "tabular"},
    "printing": {*SWEEPS, "sweeps", "luck", "studies"},
    "reports": {
        "foundation",
        "sweeps",
        "charts",
        "luck",
        "studies",
        "printing",
    },  # reads stores: no engine, no training
    "api": {*ABOVE, "cluster", "luck", "progress", "printing", "studies", "reports"},
    "web": {"foundation", "sweeps", "charts", "luck", "studies", "printing", "reports", "api"},  # nor by the page
    # The page of ``glassware play`` has the frame of ``web``; of its files one, ``child.py``, trains: tests/play.
    "play": {"foundation", "tasks", "models", "training", "engine", "reports", "web"},
    "commands": {*ABOVE, "bench", "luck", "progress", "printing", "studies", "api", "tabular", "web", "play"},
    "cli": {"foundation", "commands"},  # the top: nothing but __main__ imports it
    "__main__": {"cli"},
    "": {*ABOVE, "api", "luck", "studies", "tabular", "theory"},  # the package itself: names it passes on
}

FILES = sorted(PACKAGE.rglob("*.py"))


def package_of(path):
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def imported_packages(tree, path):
    """Packages a file imports: anywhere in it, in any form. The bare package counts as ''."""
    package = ["glassware", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "glassware" else [module]
        else:
            continue
        for name in names:
            if name.split(".")[0] == "glassware":
                yield [*name.split("."), ""][1]


def test_every_package_is_on_the_plan():
    assert {package_of(path) for path in FILES} <= set(MAY_IMPORT)
    assert {"tasks", "models", "probes", "training", "engine", "sweeps"} <= {package_of(path) for path in FILES}


@pytest.mark.parametrize("name", sorted(MAY_IMPORT), ids=lambda name: name or "glassware")
def test_a_package_imports_only_what_lies_below_it(name):
    for path in FILES:
        if package_of(path) == name:
            imported = set(imported_packages(ast.parse(path.read_text()), path))
            assert imported <= {name, *MAY_IMPORT[name]}, f"{path.relative_to(PACKAGE)} reaches up or sideways"


def test_the_estimators_do_not_need_their_benchmark():
    for path in (PACKAGE / "tabular").glob("*.py"):
        assert "benchmark" not in path.read_text(), f"tabular/{path.name} reaches into tabular/benchmark"


def test_no_study_imports_a_private_helper():
    for path in (PACKAGE / "studies").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith("_")], f"{path.relative_to(PACKAGE)}: {names}"


def test_the_plan_itself_has_no_circle():
    placed: set[str] = set()
    while len(placed) < len(MAY_IMPORT):
        ready = {name for name, below in MAY_IMPORT.items() if name not in placed and below <= placed}
        assert ready, "packages that import one another"
        placed |= ready


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import glassware", [""]),
        ("import glassware.engine.lanes as l", ["engine"]),
        ("from glassware import charts, sweeps", ["charts", "sweeps"]),
        ("from glassware.engine import train", ["engine"]),
        ("def f():\n    from glassware.engine import train", ["engine"]),
        ("from ..engine import train", ["engine"]),
        ("from .. import engine", ["engine"]),
        ("from .parity import Parity", ["tasks"]),
        ("import numpy", []),
    ],
)
def test_no_form_of_import_escapes(line, found):
    assert list(imported_packages(ast.parse(line), PACKAGE / "tasks" / "made.py")) == found


DRAWING = {"altair", "vl_convert", "sklearn", "starlette", "uvicorn"}


def imported_by(program):
    """The modules that a fresh process has imported when it has run this."""
    words = [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("call", ["sweep([tiny()])", "train(tiny())"])
def test_training_draws_nothing(call):
    program = f"import glassware as gw; from tests.helpers import tiny; gw.{call}"
    assert not imported_by(program) & {*DRAWING, "glassware.studies", "glassware.charts"}


def test_studies_and_charts_are_cheap_to_import():
    assert not imported_by("import glassware.api.studies, glassware.api.planning, glassware.charts.heat_map") & DRAWING
    assert "altair" in imported_by("from glassware.charts.backend import alt; alt.Chart")
