"""Plain minimisation of cross-entropy + lambda |theta|^r over weights, knowing nothing of representations."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax


def _minimise(forward, backward, shapes, labels, nu, lam, r, seed, scale):
    sizes = [np.prod(shape) for shape in shapes]
    cuts = np.cumsum(sizes)[:-1]

    def value(flat):
        weights = [part.reshape(shape) for part, shape in zip(np.split(flat, cuts), shapes, strict=True)]
        scores, kept = forward(weights)
        points = np.arange(len(labels))
        loss = np.mean(logsumexp(scores, axis=1) - scores[points, labels])
        outer = softmax(scores, axis=1)
        outer[points, labels] -= 1
        grads = backward(weights, kept, outer / len(labels))
        squares = sum(np.sum(w**2, axis=0) for w in weights)
        power = np.sum(squares ** (nu / 2))
        factor = lam * r * power ** (r / nu - 1) * squares ** (nu / 2 - 1)
        grads = [g + factor * w for g, w in zip(grads, weights, strict=True)]
        return loss + lam * power ** (r / nu), np.concatenate([g.ravel() for g in grads])

    start = scale * np.random.default_rng(seed).standard_normal(sum(sizes))
    settings = {"maxiter": 2000, "maxfun": 4000, "ftol": 1e-13, "gtol": 1e-9, "maxcor": 30}
    found = minimize(value, start, jac=True, method="L-BFGS-B", options=settings)
    return found.fun, [part.reshape(shape) for part, shape in zip(np.split(found.x, cuts), shapes, strict=True)]


def fit_group(table, neurons, lam, r=3.0, seed=0, scale=0.5):
    """Objective and weights (u, v, w), each (order, neurons), of a square network on a multiplication table."""
    n = len(table)
    a, b = np.divmod(np.arange(n * n), n)

    def forward(weights):
        u, v, w = weights
        hidden = u[a] + v[b]
        return hidden**2 @ w.T, hidden

    def backward(weights, hidden, outer):
        inner = (2 * hidden * (outer @ weights[2])).reshape(n, n, -1)
        return inner.sum(axis=1), inner.sum(axis=0), outer.T @ hidden**2

    return _minimise(forward, backward, [(n, neurons)] * 3, table[a, b], 3, lam, r, seed, scale)


def fit_parity(x, labels, degree, neurons, lam, seed=0, scale=0.5):
    """Objective and weights u (n, neurons), w (2, neurons) of a network of x^degree units."""

    def forward(weights):
        hidden = x @ weights[0]
        return hidden**degree @ weights[1].T, hidden

    def backward(weights, hidden, outer):
        inner = degree * hidden ** (degree - 1) * (outer @ weights[1])
        return x.T @ inner, outer.T @ hidden**degree

    shapes = [(x.shape[1], neurons), (2, neurons)]
    return _minimise(forward, backward, shapes, labels, degree + 1, lam, degree + 1, seed, scale)
