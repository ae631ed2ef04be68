"""Parity of a strip of digits: the separation on images (experiment of the published version).

k images of handwritten digits side by side; the label says whether their sum is even or odd. With one digit every
method reads it off the image. With three, a network whose features are trained still learns it; features fixed in
advance, or gates fixed in advance as in the tangent kernel, hardly beat chance.

Grids (each row: a number of digits, a method, a seed)
    paper   the same images (the published experiment uses larger ones), 60,000 strips, k = 1, 2, 3, 5 seeds.
    laptop  scikit-learn's 1,797 images of 8 x 8 pixels, 1,300 for training; 20,000 strips for training and 4,000 of
            unseen images for the test, k = 1 and 3, 2 seeds.
    smoke   seconds, for the tests.

Decisions where the paper is silent
    Width 512, 20 epochs, batches of 128; Adam at 0.001 on the logistic loss instead of AdaDelta. Fixed features: those
    of the untrained network, their linear parts, and Gaussian ReLU features (Kaiming weights); their layer has rate 0.
    Tangent: eight gates fixed at the start, a linear function trained behind each. Pixels lie in [0, 1]. Every seed
    splits the images anew. All methods of a seed and k see the same strips in the same order: a paired comparison.
"""

from __future__ import annotations

import polars as pl

from glassware.charts.backend import alt
from glassware.charts.tiles import tiles
from glassware.foundation.statistics import Estimate
from glassware.models import MLP, Gated, Init, Model
from glassware.studies.cells import where
from glassware.studies.claim import Claim, Scale
from glassware.studies.leaky.runs import repeats
from glassware.studies.study import Study
from glassware.studies.verdict import NOT_ENOUGH, Finding
from glassware.tasks import DigitStrip
from glassware.training import Adam, Evaluation, Run

WIDTH, BATCH, RATE, GATES = 512, 128, 1e-3, 8
NETWORK = "trained network"
BOTH, FROZEN = (1.0, 1.0), (0.0, 1.0)  # rates of the two layers
METHODS: dict[str, tuple[Model, Init, tuple[float, ...]]] = {
    NETWORK: (MLP(width=WIDTH), Init(), BOTH),
    "frozen network": (MLP(width=WIDTH), Init(), FROZEN),
    "frozen linear": (MLP(width=WIDTH, activation="identity"), Init(), FROZEN),
    "Gaussian ReLU": (MLP(width=WIDTH), Init(scheme="kaiming"), FROZEN),
    "tangent gates": (Gated(gates=GATES), Init(), FROZEN),
}
FIXED = tuple(METHODS)[1:]
# Digits, training strips, test strips, epochs, examinations, seeds.
SIZES: dict[Scale, tuple[tuple[int, ...], int, int, int, int, int]] = {
    "smoke": ((1, 3), 512, 256, 1, 2, 1),
    "laptop": ((1, 3), 20_000, 4000, 20, 5, 2),
    "paper": ((1, 2, 3), 60_000, 10_000, 20, 5, 5),
}


def stage(scale: Scale, seeds: int | None, _: pl.DataFrame) -> list[Run]:
    """One run per number of digits, method and seed."""
    digits, train, test, epochs, examinations, count = SIZES[scale]
    steps = epochs * train // BATCH
    return [
        Run(
            task=DigitStrip(k=k),
            m=train,
            sampling="epochs",
            model=model,
            init=init,
            loss="logistic",
            optimiser=Adam(lr=RATE, layer_rates=rates),
            batch=BATCH,
            steps=steps,
            evaluation=Evaluation(every=steps // examinations, test=test, stop=False),
            seed=seed,
            pairing=f"strips of {k}",
        )
        for k in digits
        for seed in repeats(seeds or count)
        for model, init, rates in METHODS.values()
    ]


def by_method(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with the name of their method and their accuracy."""
    method = (
        pl.when(pl.col("model") == "gated")
        .then(pl.lit("tangent gates"))
        .when(pl.col("layer_rates").list.first() > 0)
        .then(pl.lit(NETWORK))
        .when(pl.col("init") == "kaiming")
        .then(pl.lit("Gaussian ReLU"))
        .when(pl.col("activation") == "identity")
        .then(pl.lit("frozen linear"))
        .otherwise(pl.lit("frozen network"))
    )
    return frame.with_columns(method=method, accuracy=1.0 - pl.col("test_error").cast(pl.Float64))


# -- claims -----------------------------------------------------------------------------------------------------------


def one_digit(frame: pl.DataFrame) -> Finding:
    """Lead of the network over the best fixed method at k = 1."""
    levels = _levels(frame, 1)
    if levels is None:
        return NOT_ENOUGH
    lead = levels[NETWORK] - max(levels[method] for method in FIXED)
    return Finding(Estimate(lead), lead <= 0.03, "points", _listed(levels))


def network_learns(frame: pl.DataFrame) -> Finding:
    """Accuracy of the network at k = 3."""
    levels = _levels(frame, 3)
    if levels is None:
        return NOT_ENOUGH
    return Finding(Estimate(levels[NETWORK]), levels[NETWORK] >= 0.7, "points", _listed(levels))


def fixed_fail(frame: pl.DataFrame) -> Finding:
    """Best fixed method at k = 3."""
    levels = _levels(frame, 3)
    if levels is None:
        return NOT_ENOUGH
    best = max(levels[method] for method in FIXED)
    return Finding(Estimate(best), best <= 0.56, "points", _listed(levels))


def _levels(frame: pl.DataFrame, k: int) -> dict[str, float] | None:
    """Mean accuracy of every method, if all are there."""
    cells = where(by_method(frame), k=k).group_by("method").agg(pl.col("accuracy").mean())
    found = {str(method): float(level) for method, level in cells.rows()}
    return found if set(found) >= set(METHODS) else None


def _listed(levels: dict[str, float]) -> str:
    return ", ".join(f"{method} {levels[method]:.3f}" for method in METHODS)


CLAIMS = (
    Claim("one-digit", "With one digit fixed features are about as good", "published version, digit strips",
          "network at most 3 points ahead of the best fixed method, k = 1", one_digit, ("laptop",)),
    Claim("network", "With three digits the trained network learns the parity", "published version, digit strips",
          "accuracy ≥ 70% at k = 3", network_learns, ("laptop",)),
    Claim("fixed", "With three digits no fixed method does", "published version, digit strips",
          "every fixed method ≤ 56% at k = 3", fixed_fail, ("laptop",)),
)  # fmt: skip


def _tiles(frame: pl.DataFrame) -> pl.DataFrame:
    """Mean accuracy by method and number of digits."""
    cells = by_method(frame).group_by("method", "k", maintain_order=True).agg(pl.col("accuracy").mean())
    return cells.select(
        panel=pl.lit("strips of k digits"),
        row=pl.col("method"),
        column=pl.format("k = {}", "k"),
        value=pl.col("accuracy"),
        text=pl.col("accuracy").map_elements(lambda v: f"{v:.3f}", return_dtype=pl.String),
    )


STUDY = Study(
    name="leaky/digit-strips",
    title="Parity of a strip of digits: trained features against fixed ones",
    about=__doc__ or "",
    stages=(stage,),
    claims=CLAIMS,
    figures={
        "accuracy": lambda frame: tiles(
            _tiles(frame),
            scale=alt.Scale(scheme="viridis", domain=[0.4, 1.0]),
            title="Parity of a strip of digits by trained and by fixed features",
            subtitle="test accuracy, mean over seeds; 0.5 is chance",
            x_title="digits in a strip",
            y_title="method",
            value_title="accuracy",
            tile_width=96,
            dark="datum.value < 0.7",
        ),
    },
)
