"""The name of a run: a hash of its resolved specification."""

from __future__ import annotations

import hashlib
import json

from glassware.training.run import Run

# What the numbers of a row mean. Raise it whenever the same specification would train differently (another random
# stream, another default): rows of another version are never mixed with this one's.
#   1  0.1.0: random keys by seed alone, so that cells share supports, samples and weights
#   2  random keys by seed and cell
SEMANTICS = 2


def run_id(run: Run, semantics: int = SEMANTICS) -> str:
    """Twenty hexadecimal digits, equal exactly when two runs would give the same row."""
    spec = spec_json(run) if semantics == SEMANTICS else _first_spec_json(run)
    return hashlib.sha256(f"{semantics}:{spec}".encode()).hexdigest()[:20]


def spec_json(run: Run) -> str:
    """The specification as canonical JSON, defaults left out; ``Run.model_validate_json`` reads it back."""
    return _json(run.canonical())


def _first_spec_json(run: Run) -> str:
    """The same as 0.1.0 wrote it: parts at their defaults are there, pairings are not."""
    plain = run.canonical()
    plain.pop("pairing", None)
    plain.setdefault("evaluation", {})
    if not run.model.solved:
        init = plain.get("init", {})
        plain["init"] = {field: value for field, value in init.items() if field != "pairing"}
        plain.setdefault("optimiser", run.optimiser.canonical())
    return _json(plain)


def _json(plain: object) -> str:
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))
