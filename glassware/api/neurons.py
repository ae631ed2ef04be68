"""The neurons of a kept network: what each is, in words and as a picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from glassware.api.networks import Network
from glassware.charts.neurons import neuron_panels
from glassware.foundation.arrays import Float
from glassware.models import GroupNet, Homogeneous
from glassware.printing.show import Neurons
from glassware.tasks import GroupMultiplication
from glassware.theory.margins.characters import powers, real_irreps
from glassware.theory.margins.groups import Group
from glassware.theory.margins.spectra import interpolate_real

if TYPE_CHECKING:
    import altair as alt

DRAWN = 4  # neurons of a picture
NAMED = 4  # inputs of a neuron that are named
FINE = 10  # points of a curve between two elements


def describe(network: Network) -> Neurons:
    """Shares of all neurons, and words about each: its irreps and powers, or its largest weights."""
    model, shares = network.run.network, network.shares()
    of = f"sum of ‖ω‖^{model.homogeneity}" if isinstance(model, Homogeneous) else "output"
    if isinstance(model, GroupNet):
        return Neurons(shares, of, ("u", "v", "w"), _irreps(network))
    weights = np.asarray(network.params[0]["w"])
    if isinstance(model, Homogeneous):
        readout = np.asarray(network.params[1]["w"])
        titles = ("largest weights from inputs", "weights to outputs")
        return Neurons(shares, of, titles, lambda i: (_largest(weights[:, i]), _numbers(readout[i])))
    return Neurons(shares, of, ("largest weights from inputs",), lambda i: (_largest(weights[:, i]),))


def neurons_chart(network: Network) -> alt.TopLevelMixin | None:
    """The strongest neurons of a homogeneous network: weights, and power per irrep or weights to outputs; else None."""
    model, task = network.run.network, network.run.task
    if not isinstance(model, Homogeneous):
        return None
    shares = network.shares()
    strongest = [int(i) for i in shares.argsort()[::-1][:DRAWN]]
    names = [f"neuron {i}, {shares[i]:.1%}" for i in strongest]
    sides = {name: part[:, strongest] for name, part in _sides(network).items()}
    values = _long(names, sides)
    title = f"The {len(strongest)} strongest of {len(shares)} neurons"
    if isinstance(task, GroupMultiplication):
        group = task.structure
        labels = [irrep.label for irrep in real_irreps(group)]
        bars = _long(names, {side: powers(group, part) for side, part in sides.items()}, labels)
        words = {"x_title": "element", "bar_title": "power"}
        words["bar_x_title"] = "frequency" if group.family == "cyclic" else "irrep"
        return neuron_panels(values, _waves(group, names, sides), bars, title=title, **words)
    readout = np.asarray(network.params[1]["w"]).T[:, strongest]
    bars = _long(names, {"w": readout}, [str(c) for c in range(len(readout))])
    words = {"x_title": "input", "bar_x_title": "class", "bar_title": "weight"}
    return neuron_panels(values, values.clear(), bars, title=title, **words)


def _sides(network: Network) -> dict[str, Float[np.ndarray, "numbers units"]]:
    """The weights of all neurons by the side they are on, one column per neuron."""
    first, last = network.params
    if isinstance(network.run.network, GroupNet):
        found = {"u": first["u"], "v": first["v"], "w": np.asarray(last["w"]).T}
    else:
        found = {"u": first["w"]}
    return {side: np.asarray(part, np.float64) for side, part in found.items()}


def _irreps(network: Network) -> Callable[[int], tuple[str, ...]]:
    """For each neuron the irrep that has most of u, of v and of w, and how much."""
    task = network.run.task
    assert isinstance(task, GroupMultiplication)
    group = task.structure
    cyclic = group.family == "cyclic"
    labels = [f"frequency {irrep.label}" if cyclic else irrep.label for irrep in real_irreps(group)]
    shares = [powers(group, part) for part in _sides(network).values()]

    def words(neuron: int) -> tuple[str, ...]:
        found = [share[:, neuron] for share in shares]
        return tuple("no weights" if np.isnan(s).any() else f"{labels[s.argmax()]}: {s.max():.1%}" for s in found)

    return words


def _waves(group: Group, names: list[str], sides: dict[str, Float[np.ndarray, "order units"]]) -> pl.DataFrame:
    """The band-limited curves through weights on a cycle; none for other groups, whose elements have no such order."""
    if group.family != "cyclic" or group.order % 2 == 0:
        return _long([], {})
    x = np.arange(0, group.order - 1 + 1e-9, 1 / FINE)
    curves = {
        side: np.stack([interpolate_real(column, x) for column in part.T], axis=1) for side, part in sides.items()
    }
    return _long(names, curves, x)


def _long(
    names: list[str],
    sides: dict[str, Float[np.ndarray, "places units"]],
    places: list[str] | np.ndarray | None = None,
) -> pl.DataFrame:
    """One row per number: neuron, side, x, y."""
    rows = [
        {"neuron": name, "side": side, "x": float(x) if isinstance(x, int | float) else x, "y": float(y)}
        for i, name in enumerate(names)
        for side, part in sides.items()
        for x, y in zip(range(len(part)) if places is None else places, part[:, i], strict=True)
    ]
    text = pl.String if isinstance(places, list) else pl.Float64
    return pl.DataFrame(rows, schema={"neuron": pl.String, "side": pl.String, "x": text, "y": pl.Float64})


def _largest(column: Float[np.ndarray, " inputs"]) -> str:
    order = sorted(range(len(column)), key=lambda i: -abs(float(column[i])))[:NAMED]
    return ", ".join(f"{i}: {float(column[i]):.2g}" for i in order)


def _numbers(values: Float[np.ndarray, " classes"]) -> str:
    return ", ".join(f"{float(value):.2g}" for value in values)
