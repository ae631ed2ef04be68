"""A fitted estimator as plain arrays in one file, from which NumPy alone can predict."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from glassware.foundation.names import check_path
from glassware.tabular.cuts import Cuts
from glassware.tabular.encoding import Encoding, Flags, Means, Moment, Number, Ranks
from glassware.tabular.inputs import NARROW, DataError, Scaling
from glassware.tabular.screening.focus import FAR, Focus, Focused

if TYPE_CHECKING:
    from glassware.tabular.estimators import Estimator

KINDS = {Number: "number", Moment: "moment", Ranks: "ranks", Flags: "flags", Means: "means"}


def export(estimator: Estimator, path: str | os.PathLike[str]) -> None:
    """See :meth:`SparseMLPClassifier.export`."""
    check_path(os.fspath(path))
    arrays = {**_columns(estimator), **_networks(estimator), **_targets(estimator)}
    place = Path(path)
    temporary = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            np.savez_compressed(file, **dict[str, Any](arrays))
        temporary.replace(place)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(f"cannot write {place}: {error.strerror or error}") from None


def _columns(estimator: Estimator) -> dict[str, np.ndarray]:
    encoding: Encoding = estimator.encoding_
    codings = encoding.codings or [Number() for _ in range(estimator.n_features_in_)]
    described = []
    for coding in codings:
        # Arrays as lists: the file's text holds everything that has no fixed size.
        fields = {name: np.asarray(value).tolist() for name, value in vars(coding).items()}
        described.append({"kind": KINDS[type(coding)], **fields})
    names = getattr(estimator, "feature_names_in_", np.arange(len(codings)))
    return {
        "columns": np.asarray(names).astype(str),
        "codings": np.array(json.dumps(described)),
        "gaps": encoding.gaps,
    }


def _networks(estimator: Estimator) -> dict[str, np.ndarray]:
    views = {id(view): view for view in estimator.views_}
    places = {key: place for place, key in enumerate(views)}
    found: dict[str, np.ndarray] = {}
    for place, view in enumerate(views.values()):
        if isinstance(view, Focused):  # all networks of a fit share one focus
            found["focus"] = np.array(json.dumps(_focus(view.focus)))
            view = view.view
        if not isinstance(view, Scaling | Cuts):
            raise DataError(f"Networks that read {type(view).__name__} cannot be exported.")
        fields = {name: np.asarray(value) for name, value in vars(view).items()}
        if isinstance(view, Scaling) and view.kind == "mixed":
            reach = view.knots[:, -1] - view.knots[:, 0]
            fields["unit"] = np.where((reach > 0) & (reach < NARROW), 1.0 / NARROW, 1.0)
            fields["knots"] = view.knots * fields["unit"][:, None]
        found |= {f"view{place}.{name}": value for name, value in fields.items()}
    listed = []
    for network, (params, view) in enumerate(zip(estimator.members_, estimator.views_, strict=True)):
        listed.append((places[id(view)], len(params)))
        for layer, values in enumerate(params):
            found |= {f"{name}{network}.{layer}": np.asarray(values[name]) for name in ("w", "b")}
    return {"networks": np.array(json.dumps(listed)), **found}


def _focus(focus: Focus) -> dict[str, Any]:
    """What screening adds, as lists: of each set a table of scores by the bins of its columns."""
    sets = []
    for score, size in zip(focus.scores, focus.sizes, strict=True):
        codes = focus.codes[len(score.columns)]
        edges = [codes.edges[column, : codes.bins[column] - 1].tolist() for column in score.columns]
        fill = codes.fill[list(score.columns)].tolist()
        scores = (score.table / size).tolist()
        sets.append({"columns": score.columns, "fill": fill, "edges": edges, "scores": scores})
    products = [
        {"columns": one, "centre": focus.centre[list(one)].tolist(), "spread": focus.spread[list(one)].tolist()}
        for one in focus.products
    ]
    return {"kept": focus.kept, "sets": sets, "products": products, "far": FAR}


def _targets(estimator: Estimator) -> dict[str, np.ndarray]:
    if not estimator._classify:
        return {"spread": estimator.spread_, "centre": estimator.centre_, "unit": estimator.unit_}
    classes = np.asarray(estimator.classes_)
    return {"classes": classes.astype(str) if classes.dtype.kind == "O" else classes}
