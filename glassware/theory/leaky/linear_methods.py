"""What linear methods on fixed features cannot do with parities: lower bounds.

(Learning Parities with Neural Networks, Theorem 1.) Theorem 1 is about separating every parity exactly on all inputs;
the network's guarantee is about average error. ``hinge_bound`` compares like with like. A hinge loss above 1/2 does not
bound the number of errors, so the methods themselves, solved runs, report accuracies, on the uniform part and on the
leaking part apart.
"""

from __future__ import annotations

import math

import numpy as np

from glassware.theory.boolean import Floats, walsh_hadamard


def forster_bound(n: int, k: int) -> float:
    """Dimensions in which all C(n, k) parities are linearly separable: at least sqrt(C(n, k)).

    Forster's theorem on the sign matrix of parities against inputs. Its rows are orthogonal, so its spectral norm is
    2^(n/2), and sqrt(rows x columns) / norm = sqrt(C(n, k)).
    """
    return math.sqrt(math.comb(n, k))


def hinge_bound(n: int, k: int, features: int, norm: float) -> float:
    """A hinge loss that some parity of the leaking family forces on N features in [-1, 1] and weights of norm B.

    1/2 - (B/2) sqrt(N / C(n, k)): half of the loss is on uniform inputs, where on average over the supports a feature
    correlates with the parity as 1/C(n, k) (in squares).
    """
    return 0.5 - norm / 2 * math.sqrt(features / math.comb(n, k))


def norm_needed(n: int, k: int, features: int, loss: float) -> float:
    """The norm of weights below which ``hinge_bound`` keeps the loss above this one."""
    return (1 - 2 * loss) * math.sqrt(math.comb(n, k) / features)


def feature_energy(values: Floats, k: int) -> float:
    """Mean over supports of |E_D1[f_A psi]|^2, for features (2**n, N) on the whole cube; at most N / C(n, k)."""
    n = len(values).bit_length() - 1
    sizes = np.bitwise_count(np.arange(2**n))
    return float(sum(np.sum(walsh_hadamard(column)[sizes == k] ** 2) for column in values.T) / math.comb(n, k))
