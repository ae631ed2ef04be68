"""The numbers that the paper prints: its tables of convergence times and success (Figures 7 and 8, n = 30).

Hinge loss, uniform initialisation, the best of the learning rates {1, 0.1, 0.01, 0.001}, 25 runs, T = 100,000.
"""

from __future__ import annotations

from glassware.foundation.statistics import NEVER

BATCHES = (1, 4, 32, 128, 1024)
KS = (2, 3, 4)

# 10th percentile of the convergence time: five batch sizes at k = 2, at k = 3, at k = 4. "-": fewer than 10% converge.
_TIMES = {
    "i": "628 154 30 20 14 | 6316 2302 318 188 130 | 34972 9080 2032 326 244",
    "ii": "632 170 30 20 20 | 4688 1512 174 124 104 | 17744 4522 806 240 174",
    "iii": "828 294 34 30 30 | 5208 1584 140 100 94 | 17588 4066 614 254 220",
    "iv": "358 64 40 34 34 | 2896 998 104 94 90 | 40588 7244 3350 368 358",
    "v": "3866 408 40 40 40 | 7438 778 94 80 80 | 21768 3608 1326 228 204",
    "vi": "968 164 70 60 50 | 7986 924 110 90 80 | 19380 15018 1598 210 194",
    "vii": "300 60 40 30 30 | 1084 846 94 100 110 | 4712 4388 232 188 168",
    "viii": "464 70 50 50 40 | 1194 314 180 188 212 | 20192 7480 720 568 836",
    "ix": "360 284 40 30 30 | 1092 846 94 100 110 | 5456 4412 252 188 168",
    "x": "308 242 30 30 30 | 758 658 74 74 74 | 14330 1826 222 206 194",
    "xi": "260 78 30 20 20 | 688 582 70 60 60 | 5618 2442 244 210 138",
    "xii": "350 60 40 30 30 | 822 1060 110 128 120 | 2552 3836 384 608 568",
    "xiii": "254 214 30 20 20 | 670 654 70 60 60 | 22142 2950 208 210 138",
    "xiv": "214 174 20 20 20 | 654 528 60 50 50 | 16076 1676 168 150 154",
    "xv": "330 60 20 10 10 | 1054 852 94 20 14 | 3024 2270 234 34 30",
    "*i": "1004 200 30 20 116 | - 12406 3866 678 2570 | - 75072 6392 1006 7666",
    "*ii": "294 50 30 10 30 | - 1626 204 164 140 | - - 5612 5078 1764",
    "*iii": "286 108 44 50 40 | 4204 780 166 110 90 | 20830 6074 486 294 254",
}

TIMES: dict[tuple[str, int, int], float] = {
    (setting, k, batch): NEVER if word == "-" else float(word)
    for setting, line in _TIMES.items()
    for k, group in zip(KS, line.split("|"), strict=True)
    for batch, word in zip(BATCHES, group.split(), strict=True)
}

# Share of runs that converge, where it is below 100%. The last rows of the k = 4 block are out of line in print: a
# share of 8% contradicts a finite 10th percentile. So (xv) and the starred settings have no number at k = 4, and
# neither have (*ii) and (*iii) at smaller k, which are not quoted.
_BELOW = {
    ("ix", 3): (84, 92), ("x", 3): (84, 100),
    ("i", 4): (56, 80), ("iv", 4): (72, 76), ("vi", 4): (52, 84), ("vii", 4): (92, 92), ("viii", 4): (52, 88),
    ("ix", 4): (56, 80), ("x", 4): (88, 100), ("xii", 4): (72, 96), ("xiii", 4): (84, 48), ("xiv", 4): (68, 100),
    ("*i", 2): (80, 76, 76, 84, 88), ("*i", 3): (8, 28, 36, 52, 64),
}  # fmt: skip


def success(setting: str, k: int, batch: int) -> float | None:
    """Printed share of runs that converge; None where it cannot be read."""
    starred = setting.startswith("*")
    if (starred and (setting, k) not in _BELOW) or (setting == "xv" and k == 4):
        return None
    below = _BELOW.get((setting, k), ())
    at = BATCHES.index(batch)
    return below[at] / 100 if at < len(below) else 1.0
