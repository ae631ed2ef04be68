"""What the paper prints about its sixteen tables: names and sizes (PF-T1), median test errors in percent (PF-T2)."""

from __future__ import annotations

from typing import NamedTuple


class Errors(NamedTuple):
    """Median test errors in percent over the paper's 100 trials, at all, 10% and 1% of the training rows."""

    full: float
    tenth: float
    hundredth: float

    def at(self, fraction: float) -> float:
        """The error at one of the three printed fractions."""
        return {1.0: self.full, 0.1: self.tenth, 0.01: self.hundredth}[fraction]


class Task(NamedTuple):
    """One table of the suite.

    Attributes:
        number: the paper's number, 1 to 16.
        name: OpenML's name.
        features: as printed. The target is counted, so a table has one input column less (E15).
        rows: examples.
        mlp: the paper's best network.
        forest: the paper's best random forest.
        reference_mlp: all training rows, as the benchmark's authors report it.
        reference_forest: likewise.
        reference_best: the best the benchmark's authors report, and the method.
        openml: id of the data set.
    """

    number: int
    name: str
    features: int
    rows: int
    mlp: Errors
    forest: Errors
    reference_mlp: float
    reference_forest: float
    reference_best: tuple[float, str]
    openml: int

    @property
    def columns(self) -> int:
        """Input columns."""
        return self.features - 1


def _task(
    number: int, name: str, features: int, rows: int, errors: str, best: str, openml: int
) -> Task:  # one printed line
    values = [float(value) for value in errors.split()]
    return Task(
        number, name, features, rows, Errors(*values[:3]), Errors(*values[3:6]), values[6], values[7],
        (values[8], best), openml,
    )  # fmt: skip


# Errors: MLP full, 10%, 1%; forest full, 10%, 1%; the benchmark's MLP, forest, best.
TASKS: tuple[Task, ...] = (
    _task(1, "credit", 11, 16714, "24.5 27.8 34.2 22.0 22.9 24.8 22.9 23.6 22.5", "GBT", 44089),
    _task(2, "electricity", 8, 38474, "18.9 23.2 25.1 15.4 18.0 23.0 23.6 13.7 12.8", "XGB", 44120),
    _task(3, "covertype", 11, 566602, "6.3 13.7 23.2 19.1 18.9 21.4 21.6 17.1 17.1", "RF", 44121),
    _task(4, "pol", 27, 10082, "1.4 4.2 12.3 2.1 4.0 10.0 6.3 1.9 1.7", "XGB", 44122),
    _task(5, "house_16H", 17, 13488, "12.7 14.9 20.0 12.4 13.9 17.4 12.1 12.0 11.1", "XGB", 44123),
    _task(6, "MagicTelescope", 11, 13376, "14.6 16.5 23.1 14.8 16.8 21.9 14.6 14.5 13.9", "FTT", 44125),
    _task(7, "bank-marketing", 8, 10578, "20.2 21.8 25.9 19.7 21.1 25.2 20.9 20.1 19.5", "GBT", 44126),
    _task(8, "MiniBooNE", 51, 72998, "7.2 10.0 14.4 7.7 8.6 10.5 6.7 7.3 6.2", "XGB", 44128),
    _task(9, "Higgs", 25, 940160, "26.1 28.7 33.7 28.5 28.7 29.9 31.4 29.1 28.6", "XGB", 44129),
    _task(10, "eye_movements", 21, 7608, "39.9 43.9 46.3 35.8 43.0 47.8 41.8 34.8 33.4", "XGB", 44130),
    _task(11, "Diabetes130US", 8, 71090, "39.1 39.3 40.7 39.1 39.4 40.6 39.5 39.5 39.4", "XGB", 45022),
    _task(12, "jannis", 55, 57580, "23.0 26.1 28.7 22.0 23.8 27.2 25.5 22.7 22.0", "XGB", 45021),
    _task(13, "default-of-credit-card-clients", 21, 13272, "28.7 30.1 33.5 28.2 29.2 31.9 28.9 28.0 28.0", "RF", 45020),
    _task(14, "Bioresponse", 420, 3434, "19.5 28.9 37.6 22.2 29.2 39.8 23.4 20.5 20.5", "RF", 45019),
    _task(15, "california", 9, 20634, "12.2 14.8 20.8 11.2 13.8 18.4 12.9 10.6 9.7", "XGB", 45028),
    _task(16, "heloc", 23, 10000, "27.1 28.0 31.3 27.8 28.6 31.0 27.8 28.1 27.4", "ResNet", 45026),
)

BY_NAME: dict[str, Task] = {task.name: task for task in TASKS}
