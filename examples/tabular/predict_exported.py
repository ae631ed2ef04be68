"""Predictions of a model written by ``model.export("model.npz")``: NumPy is all that this file needs.

On the command line: ``python predict_exported.py model.npz rows.csv``.
"""

import csv
import json
import sys

import numpy as np


def encode(model, table):
    """Columns as they come (numbers, text with None, dates), one array each, as the numbers that networks read."""
    found = []
    for values, how in zip(table, json.loads(str(model["codings"])), strict=True):
        if how["kind"] == "number":
            found.append(np.asarray(values, float)[:, None])
        elif how["kind"] == "moment":
            time = np.asarray(values, "M8[us]")
            parts = {
                "month": time.astype("M8[M]").astype(int) % 12 + 1,
                "weekday": (time.astype("M8[D]").astype(int) + 3) % 7,
                "hour": time.astype("M8[h]").astype(int) % 24,
            }
            numbers = np.column_stack([time.astype(int) / 1e6, *(parts[part] for part in how["parts"])])
            found.append(np.where(np.isnat(time)[:, None], np.nan, numbers))
        else:
            levels = {level: place for place, level in enumerate(how["levels"])}
            place = np.array([levels.get("<missing>" if value is None else str(value), -1) for value in values])
            if how["kind"] == "flags":
                found.append((place[:, None] == np.arange(len(levels)))[:, len(levels) == 2 :].astype(float))
            elif how["kind"] == "ranks":
                found.append(np.where(place < 0, np.nan, place)[:, None])
            else:
                found.append(np.array(how["means"])[place])
    x = np.hstack(found)
    return np.hstack([x, np.isnan(x[:, model["gaps"]])])


def focus(how, x):
    """The few columns that screening kept, and for every set it found a score by bins, and a product."""
    found = [x[:, how["kept"]]]
    for one in how["sets"]:
        z = np.where(np.isnan(x[:, one["columns"]]), one["fill"], x[:, one["columns"]])
        bins = [np.searchsorted(edges, known, side="right") for edges, known in zip(one["edges"], z.T, strict=True)]
        found.append(np.array(one["scores"])[tuple(bins)])
    for one in how["products"]:
        z = np.clip((x[:, one["columns"]] - one["centre"]) / one["spread"], -how["far"], how["far"])
        found.append(np.nan_to_num(z.prod(axis=1))[:, None])
    return np.hstack(found)


def read(view, x):
    """What networks read of the encoded columns: pieces of them, or scaled columns."""
    x = np.where(np.isnan(x), view["fill"], x)
    if "begin" in view:
        begin, end = 0.5 * view["begin"], 0.5 * view["end"]
        return np.clip((0.5 * x[:, view["columns"]] - begin) / (end - begin), 0.0, 1.0) - view["centre"]
    z = (x - view["centre"]) / view["spread"]
    if view["kind"] == "signs":
        return np.sign(z)
    if view["kind"] == "mixed":
        z = np.clip(z, -1e150, 1e150)
        z = z / np.sqrt(1.0 + np.square(z / 3.0))
        scores = zip((x * view["unit"]).T, view["knots"], view["scores"], strict=True)
        z = 0.5 * (z + np.column_stack([np.interp(*one) for one in scores]))
    return z


def predict(model, table):
    """The probability of each of ``model["classes"]``, or numbers, one row per row and one column per target."""
    x, total = encode(model, table), 0.0
    networks = json.loads(str(model["networks"]))  # of each the view it reads, and how many layers it has
    views = {place: {} for place, _ in networks}
    for name in model:
        if name.startswith("view"):
            views[int(name[4 : name.index(".")])][name[name.index(".") + 1 :]] = model[name]
    if "focus" in model:
        x = focus(json.loads(str(model["focus"])), x)
    seen = {place: read(view, x) for place, view in views.items()}
    for network, (place, layers) in enumerate(networks):
        z = seen[place]
        for layer in range(layers):
            z = (np.maximum(z, 0.0) if layer else z) @ model[f"w{network}.{layer}"] + model[f"b{network}.{layer}"]
        if "classes" in model:
            z = np.exp(z - z.max(axis=1, keepdims=True))
            z = z / z.sum(axis=1, keepdims=True)
        total = total + z / len(networks)
    return total if "classes" in model else (total * model["spread"] + model["centre"]) * model["unit"]


if __name__ == "__main__":
    stored = dict(np.load(sys.argv[1]))
    with open(sys.argv[2], newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = [how["kind"] for how in json.loads(str(stored["codings"]))]
    given = {"number": lambda word: float(word or "nan"), "moment": lambda word: word or "NaT"}
    columns = [
        [given.get(kind, lambda word: word or None)(row[name]) for row in rows]
        for name, kind in zip(stored["columns"], kinds, strict=True)
    ]
    for answer in predict(stored, columns):
        print(*answer, sep=",")
