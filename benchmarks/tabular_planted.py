"""Does the default estimator find what no column shows alone? A 3-way parity among 100 noise columns, 5,000 rows.

``python -m benchmarks.tabular_planted`` trains the default ``SparseMLPClassifier`` on ten such tables with +-1 columns
and ten with Gaussian ones (the parity of the signs), and a random forest and gradient boosting on the same rows. For
each it prints the test error on 5,000 new rows, and whether ``interactions(3)`` names the three columns first.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from glassware.tabular import SparseMLPClassifier

ROWS, TEST_ROWS, NOISE = 5000, 5000, 100


def table(seed: int, gaussian: bool) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Columns, labels, and which three columns make them."""
    rng = np.random.default_rng(seed)
    size = (ROWS + TEST_ROWS, NOISE + 3)
    x = rng.normal(size=size) if gaussian else rng.choice([-1.0, 1.0], size=size)
    hidden = sorted(int(c) for c in rng.permutation(NOISE + 3)[:3])
    return x, (np.sign(x[:, hidden]).prod(axis=1) > 0).astype(int), hidden


def error(model: Any, x: np.ndarray, y: np.ndarray) -> float:
    return float(1.0 - model.fit(x[:ROWS], y[:ROWS]).score(x[ROWS:], y[ROWS:]))


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--columns", choices=["signs", "gaussian", "both"], default="both")
    given = parser.parse_args(words)
    for kind in ("signs", "gaussian") if given.columns == "both" else (given.columns,):
        found: dict[str, list[float]] = {"ours": [], "forest": [], "boosting": []}
        named, bound = 0, 0.05 if kind == "signs" else 0.15
        for seed in range(given.seeds):
            x, y, hidden = table(seed, kind == "gaussian")
            start = time.perf_counter()
            model = SparseMLPClassifier(random_state=seed)
            found["ours"].append(error(model, x, y))
            seconds = time.perf_counter() - start
            first = model.interactions(3, X=x[ROWS:], top=1)["features"][0].to_list()
            named += first == hidden
            found["forest"].append(error(RandomForestClassifier(random_state=seed), x, y))
            found["boosting"].append(error(HistGradientBoostingClassifier(random_state=seed), x, y))
            print(
                f"{kind}, seed {seed}: "
                + ", ".join(f"{name} {100 * errors[-1]:.1f}%" for name, errors in found.items())
                + f"; names {first}, right {hidden}; ours in {seconds:.0f} s",
                flush=True,
            )
        ours = np.array(found["ours"])
        mean = {name: f"{100 * np.mean(errors):.1f}%" for name, errors in found.items()}
        print(
            f"{kind}: error at most {100 * bound:.0f}% in {(ours <= bound).sum()} of {len(ours)} seeds"
            f" (largest {100 * ours.max():.1f}%), named first in {named};"
            f" on average ours {mean['ours']}, forest {mean['forest']}, boosting {mean['boosting']}",
            flush=True,
        )


if __name__ == "__main__":
    main()
