"""Formulas inside the proofs of appendix D, in a form that holds and, where it differs, as printed.

Where ``printed`` is a parameter, the formula in the text has a slip: a lost factor, sign or index. The tests show that
the printed form fails and that the other holds. Slips that concern whole objects are with them: the network of Lemma
D.15 (``networks.printed_group``), the bound of Lemma D.13 (``margins.best_neuron_value``), the systems of D.9.2
(``kappa.kappa_solution``), the transform of D.6.3 and the power of Figure 7.4 (``spectra``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from glassware.foundation.arrays import Float
from glassware.theory.margins.characters import hypothesis_sums, real_irreps
from glassware.theory.margins.groups import Group
from glassware.theory.margins.representations import Coefficients

Number: TypeAlias = Float[np.ndarray, "..."]
PerClass: TypeAlias = Float[np.ndarray, " classes"]


def cyclic_weighted_margin(u: Float[np.ndarray, " p"], v: Float[np.ndarray, " p"], w: Float[np.ndarray, " p"]) -> float:
    """Equation D.3: E[psi'] of a neuron on Z_p with uniform tau, 2 / ((p-1) p^2) sum_{j != 0} u^(j) v^(j) w^(-j)."""
    p = len(u)
    first, second, third = np.fft.fft(u), np.fft.fft(v), np.fft.fft(w)
    return float(2 * np.sum((first * second * third.conj())[1:]).real / ((p - 1) * p**2))


def spectrum_budget(p: int, printed: bool = False) -> float:
    """Most that |u^|^2 + |v^|^2 + |w^|^2 can be for a neuron of length 1: p, by Plancherel; the outline prints 1."""
    return 1.0 if printed else float(p)


def cyclic_outputs(p: int, printed: bool = False) -> tuple[float, float]:
    """Right and wrong output of the network of D.6.2 with amplitudes 1: 4 (p - 1) / 2 and -2.

    As printed (p - 1) / 2 and 0: pairs of neurons carry a factor 4, and (p - 1) / 2 cosines add up to -1/2.
    """
    return ((p - 1) / 2, 0.0) if printed else (2.0 * (p - 1), -2.0)


def pair_output(x: Number, y: Number, z: Number, printed: bool = False) -> Number:
    """Two neurons, (x + y)^2 z - (x - y)^2 z = 4 x y z; Lemma D.15 prints x y z."""
    return x * y * z if printed else 4 * x * y * z


def pair_neurons(x: Number, y: Number, z: Number, printed: bool = False) -> Number:
    """The same two neurons written out; D.6.2 prints x, the cosine of a, in the place of y, the cosine of b."""
    y = x if printed else y
    return (x + y) ** 2 * z - (x - y) ** 2 * z


def optimal_coefficient(order: int, d: int, printed: bool = False) -> float:
    """Coefficient of one entry of an irrep in u, v and w of a neuron of length 1: sqrt(d / (3|G|)).

    Lemma D.15 prints 1 / sqrt(3|G|), whose neurons have length d^-1/2, and says of them what holds for length 1.
    """
    return 1 / math.sqrt(3 * order) if printed else math.sqrt(d / (3 * order))


def irrep_scale(d: int, printed: bool = False) -> float:
    """Scale of neurons of length 1, so that an irrep's outputs are d chi up to a constant: d^-1/6.

    Lemma D.16 prints d^(1/3), which belongs to the coefficients that Lemma D.15 prints.
    """
    return d ** (1 / 3) if printed else d ** (-1 / 6)


def trace_product(alpha: Coefficients, beta: Coefficients, gamma: Coefficients, printed: bool = False) -> float:
    """tr(alpha beta gamma^T) as sum_jk (alpha_j . beta_k) gamma_jk: rows of alpha times columns of beta.

    Lemma D.13 calls alpha_j, written out as a row, a column, and beta_k "respectively" the same.
    """
    products = alpha @ beta.T if printed else alpha @ beta
    return float(np.sum(products * gamma))


def weighted_margin_lemma(
    group: Group,
    alpha: Sequence[Coefficients],
    beta: Sequence[Coefficients],
    gamma: Sequence[Coefficients],
    tau: PerClass,
    printed: bool = False,
) -> float:
    """Lemma D.11: E[psi'] of a neuron from its coefficients per irrep, all of type R.

    2 sum_m (1 - sum_n tau_n |C_n| chi_m(C_n) / d_m) tr(alpha_m beta_m gamma_m^T) / d_m^2. The text loses the 2 of the
    square between the margin and u v w, and finds it again in Theorem 7.9.
    """
    _check_real(group)
    total = 0.0
    for irrep, a, b, c in list(zip(real_irreps(group), alpha, beta, gamma, strict=True))[1:]:
        d = irrep.dimension
        total += (1 - irrep.character @ (tau * group.class_sizes) / d) * trace_product(a, b, c) / d**2
    return total if printed else 2 * total


def class_weights(group: Group, printed: bool = False) -> PerClass:
    """Lemma D.14: tau_C = -sum_R d^1.5 chi_R(C) / sum_R d^2.5 for C != e. The statement prints it without the minus."""
    _check_real(group)
    sums = hypothesis_sums(group)
    return np.append(0.0, (1 if printed else -1) * sums[1:] / sums[0])


def sign_weight(group: Group, printed: bool = False) -> float:
    """z_sign in the proof of Lemma D.14, with which z_R = d^1.5 z_sign: 1 / sum d^2.5; printed upside down."""
    _check_real(group)
    total = float(hypothesis_sums(group)[0])
    return total if printed else 1 / total


def character_weight(group: Group, values: PerClass, place: int, printed: bool = False) -> float:
    """z_R of a class function sum_R z_R chi_R: char(R).values / |G|. The proof of Lemma D.14 prints no |G|."""
    product = real_irreps(group)[place].character @ (values * group.class_sizes)
    return float(product if printed else product / group.order)


def total_weight(group: Group, tau: PerClass, printed: bool = False) -> float:
    """What the weights of wrong labels add up to, sum |C| tau_C; the proof of Lemma D.14 sums tau_C alone."""
    return float(np.sum(tau[1:] if printed else (tau * group.class_sizes)[1:]))


def constant_output(group: Group, delta: float, printed: bool = False) -> PerClass:
    """Equation D.16: sum_{n >= 2} d chi_n(C) / Delta^3 at the classes C != e, which is -1 / Delta^3 at all of them.

    The printed middle term multiplies this sum by another -1 / Delta^3.
    """
    _check_real(group)
    total = np.sum([irrep.dimension * irrep.character[1:] for irrep in real_irreps(group)[1:]], axis=0) / delta**3
    return -total / delta**3 if printed else total


def _check_real(group: Group) -> None:
    if any(irrep.type != "R" for irrep in real_irreps(group)):
        raise ValueError(f"{group.name} has irreps that are not real; the lemmas of D.9 are for real ones")
