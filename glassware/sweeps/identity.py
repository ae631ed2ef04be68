"""The name of a run: a hash of its resolved specification."""

from __future__ import annotations

import hashlib
import json

from glassware.training import Run

# What the numbers of a row mean. Raise it whenever the same specification would train differently (another random
# stream, another default): rows of another version are never mixed with this one's.
SEMANTICS = 1


def run_id(run: Run) -> str:
    """Twenty hexadecimal digits, equal exactly when two runs would give the same row."""
    return hashlib.sha256(f"{SEMANTICS}:{spec_json(run)}".encode()).hexdigest()[:20]


def spec_json(run: Run) -> str:
    """The specification as canonical JSON, defaults left out; ``Run.model_validate_json`` reads it back."""
    return json.dumps(run.canonical(), sort_keys=True, separators=(",", ":"))
