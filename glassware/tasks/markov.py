"""In-context Markov chains: every sequence has a transition matrix of its own, and only its own past helps."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self, TypeAlias

import numpy as np
from pydantic import Field, model_validator

from glassware.foundation.arrays import Array, EitherArray, Float, Int32, Key, LaneValues, UInt32
from glassware.foundation.backend import jnp
from glassware.foundation.draws import draw, unit
from glassware.tasks.doubly_stochastic import doubly_stochastic, numbers_needed
from glassware.tasks.gamma import gamma
from glassware.tasks.maps import follow
from glassware.tasks.task import Kind, Task
from glassware.theory.birkhoff import LARGEST

Prior: TypeAlias = Literal["dirichlet", "doubly-stochastic", "unigram", "mixture", "interpolated", "given"]
# Priors without numbers of their own, on which a model trained on another one can be examined.
TestPrior: TypeAlias = Literal["dirichlet", "doubly-stochastic", "unigram"]
Matrices: TypeAlias = Float[Array, "*batch contexts states"]  # next-token laws, one row per context
Uniforms: TypeAlias = Float[Array, "*batch count"]

# Where the random words of a sequence begin: its matrix, its tokens, and coins that choose between priors.
MATRIX, TOKENS, COINS = 0, 1 << 20, 1 << 21
MOST_CONTEXTS = 4096


class MarkovChain(Task):
    """x_1 .. x_{t+1} from a Markov chain whose transition matrix is drawn anew for each sequence; predict every x_{p+1}
    from x_1 .. x_p.

    Attributes:
        states: k.
        length: t, the tokens that a model sees.
        prior: the law of the transition matrix. ``dirichlet``: independent rows. ``doubly-stochastic``: uniform among
            matrices whose columns sum to 1 too, so that all tokens are equally frequent (k up to 5). ``unigram``: all
            rows equal, so that only frequencies matter. ``mixture``: doubly stochastic with probability ``share``, else
            unigram. ``interpolated`` (k = 2): rows (a, 1-a) and (b, 1-b) in random order, b = (1-q) a + q (1-a).
            ``given``: always ``matrix``.
        alpha: of the Dirichlet rows, one number per state; all 1 unless given.
        order: n. The next token depends on the last n-1: 2 is a Markov chain, 3 a chain on pairs (``dirichlet`` only).
        share: of doubly stochastic sequences in a ``mixture``.
        q: of the ``interpolated`` prior; 0 is ``unigram``, 1 doubly stochastic.
        matrix: k rows of k probabilities (``given`` only).
        start: the law of x_1: ``stationary``, that of the chain itself, or ``uniform``.
        test_prior: the law of the matrices of held-out chains, where it is not ``prior``.

    >>> import glassware as gw
    >>> gw.MarkovChain(states=3, length=100).input_shape
    (100,)
    """

    name: Literal["markov-chain"] = "markov-chain"
    states: Annotated[int, Field(ge=2, le=64)]
    length: Annotated[int, Field(ge=2, le=10_000)] = 100
    prior: Prior = "dirichlet"
    # Of smaller parameters all of a row's gamma variables may be 0 in float32, which makes no law.
    alpha: tuple[Annotated[float, Field(ge=0.1, le=1e3)], ...] | None = None
    order: Annotated[int, Field(ge=2, le=8)] = 2
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    q: Annotated[float, Field(ge=0, le=1)] | None = None
    matrix: tuple[tuple[Annotated[float, Field(ge=0, le=1)], ...], ...] | None = None
    start: Literal["stationary", "uniform"] = "stationary"
    test_prior: TestPrior | None = None

    kind: ClassVar[Kind] = "sequence"
    measure: ClassVar[str] = "cross_entropy"
    # Names of their own: studies of other tasks compute columns that are called alpha, q or share.
    column: ClassVar = {
        **{field: f"prior_{field}" for field in ("alpha", "share", "q", "matrix")},
        "order": "chain_order",
        "start": "chain_start",
    }

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        owners = {"alpha": "dirichlet", "share": "mixture", "q": "interpolated", "matrix": "given"}
        for field, prior in owners.items():
            if getattr(self, field) is not None and self.prior != prior:
                raise ValueError(f"{field} belongs to the prior '{prior}', not '{self.prior}'")
            if getattr(self, field) is None and self.prior == prior and field != "alpha":
                raise ValueError(f"the prior '{prior}' needs {field}")
        if self.alpha is not None and len(self.alpha) != self.states:
            raise ValueError(f"alpha needs one number for each of {self.states} states, not {len(self.alpha)}")
        for prior in (self.prior, self.test_prior or self.prior):
            if self.order > 2 and prior != "dirichlet":
                raise ValueError(f"chains of order {self.order} have the prior 'dirichlet', not '{prior}'")
        if self.contexts > MOST_CONTEXTS:
            raise ValueError(f"{self.states} states to the power {self.order - 1} are more than {MOST_CONTEXTS}")
        if self.order > self.length:
            raise ValueError(f"length must be at least the order {self.order}, not {self.length}")
        for prior in (self.prior, self.test_prior or self.prior):
            if prior in ("doubly-stochastic", "mixture") and self.states > LARGEST:
                raise ValueError(f"the prior '{prior}' is drawn exactly for up to {LARGEST} states, not {self.states}")
        if self.prior == "interpolated" and self.states != 2:
            raise ValueError(f"the prior 'interpolated' is for 2 states, not {self.states}")
        if self.matrix is not None:
            _check_stochastic(self.matrix, self.states)
        return self

    @property
    def input_shape(self) -> tuple[int, ...]:
        return (self.length,)

    @property
    def classes(self) -> int:
        return self.states

    @property
    def contexts(self) -> int:
        """What the next token can depend on: k^(n-1). After context c and token x comes (c k + x) mod k^(n-1)."""
        return self.states ** (self.order - 1)

    def raw(self, key: Key, index: UInt32[EitherArray, " *batch"]) -> tuple[Int32[Array, "*batch tokens"], Matrices]:
        """Tokens x_1 .. x_{t+1}, and the matrix they come from."""
        index = jnp.asarray(index, jnp.uint32)
        matrix = self._matrix(key, index)
        return self._tokens(key, index, matrix), matrix

    def held_out(
        self, key: Key, index: UInt32[EitherArray, " *batch"]
    ) -> tuple[Int32[Array, "*batch tokens"], Matrices]:
        """The same for held-out chains, which may have a prior of their own."""
        return (self if self.test_prior is None else self.with_prior(self.test_prior)).raw(key, index)

    def inputs(  # type: ignore[override]
        self, values: LaneValues, raw: tuple[Int32[Array, "*batch tokens"], Matrices]
    ) -> Int32[Array, "*batch {self.length}"]:
        return raw[0][..., :-1]

    def targets(
        self, values: LaneValues, raw: tuple[Int32[Array, "*batch tokens"], Matrices]
    ) -> Int32[Array, "*batch {self.length}"]:
        return raw[0][..., 1:]

    def truth(self, raw: tuple[Int32[Array, "*batch tokens"], Matrices]) -> Float[Array, "*batch states"]:
        """The law of x_{t+1} given the sequence and its matrix."""
        tokens, matrix = raw
        past = tokens[..., self.length - self.order + 1 : self.length]
        place = jnp.sum(past * self._digits(), axis=-1)
        return jnp.take_along_axis(matrix, place[..., None, None], axis=-2)[..., 0, :]

    def with_prior(self, prior: Prior) -> MarkovChain:
        """Chains of the same length, states and order under another prior that needs no numbers of its own."""
        chains = {"states": self.states, "length": self.length, "order": self.order, "start": self.start}
        return MarkovChain(prior=prior, **chains)  # type: ignore[arg-type]

    def _digits(self) -> Int32[np.ndarray, " tokens"]:
        """Weights of the last n-1 tokens, oldest first, in the number of their context."""
        return (self.states ** np.arange(self.order - 2, -1, -1)).astype(np.int32)

    def _matrix(self, key: Key, index: UInt32[Array, " *batch"]) -> Matrices:
        k, prior = self.states, self.prior
        if prior == "given":
            return jnp.broadcast_to(jnp.asarray(self.matrix, jnp.float32), (*index.shape, k, k))
        if prior == "dirichlet":
            return self._rows(key, index, self.contexts)
        if prior == "unigram":
            return jnp.repeat(self._rows(key, index, 1), k, axis=-2)
        if prior == "doubly-stochastic":
            return _doubly_stochastic(key, index, k)
        coin = uniforms(key, index, COINS, 1)[..., None]
        if prior == "mixture":
            both = _doubly_stochastic(key, index, k), jnp.repeat(self._rows(key, index, 1), k, axis=-2)
            return jnp.where(coin < (self.share or 0.0), *both)
        a = uniforms(key, index, MATRIX, 1)
        q = self.q or 0.0
        rows = jnp.concatenate([a, (1 - q) * a + q * (1 - a)], axis=-1)
        rows = jnp.where(coin[..., 0] < 0.5, rows, rows[..., ::-1])
        return jnp.stack([rows, 1 - rows], axis=-1)

    def _rows(self, key: Key, index: UInt32[Array, " *batch"], rows: int) -> Matrices:
        """Independent Dirichlet rows: gamma variables over their sum, which for alpha = 1 are exponential."""
        shape = (*index.shape, rows, self.states)
        if self.alpha is None:
            drawn = -jnp.log(uniforms(key, index, MATRIX, rows * self.states)).reshape(shape)
        else:
            alpha = np.tile(np.array(self.alpha, np.float32), rows)
            drawn = gamma(lambda first, count: uniforms(key, index, MATRIX + first, count), alpha).reshape(shape)
        return drawn / jnp.sum(drawn, axis=-1, keepdims=True)

    def _tokens(self, key: Key, index: UInt32[Array, " *batch"], matrix: Matrices) -> Int32[Array, "*batch tokens"]:
        """The chain, by composing its random steps: each is a map from contexts to contexts.

        Sequences lie along the last axis meanwhile, which compilers make vectors of.
        """
        k, past = np.uint32(self.states), self.order - 1
        u = _uniforms_first(key, index, TOKENS, self.length + 1)
        if self.start == "stationary":
            first = _pick(stationary(self._lifted(matrix)), u[0]).astype(jnp.uint32)
        else:
            first = (u[0] * self.contexts).astype(jnp.uint32)
        # A step from each context, at every position at once; then how each prefix of steps moves the first context.
        ends = jnp.moveaxis(_ends(matrix), (-2, -1), (0, 1))  # (contexts, states - 1, *batch)
        token = jnp.sum(u[None, 1 : self.length + 2 - past, None] >= ends[:, None], axis=2, dtype=jnp.uint32)
        contexts = jnp.arange(self.contexts, dtype=jnp.uint32).reshape(-1, *[1] * u.ndim)
        later = follow((contexts * k + token) % np.uint32(self.contexts), first) % k
        digits = self._digits().astype(np.uint32).reshape(-1, *[1] * first.ndim)
        tokens = jnp.concatenate([first // digits % k, later])
        return jnp.moveaxis(tokens, 0, -1).astype(jnp.int32)

    def _lifted(self, matrix: Matrices) -> Float[Array, "*batch contexts contexts"]:
        """The chain on contexts."""
        if self.order == 2:
            return matrix
        contexts, k = np.arange(self.contexts), self.states
        reached = (contexts[:, None] * k + np.arange(k)) % self.contexts
        lands = (reached[:, :, None] == contexts).astype(np.float32)
        return jnp.einsum("...ck,ckd->...cd", matrix, lands)


def uniforms(key: Key, index: UInt32[Array, " *batch"], first: int, count: int) -> Uniforms:
    """``count`` uniform numbers per example, from the words at ``first`` on."""
    places = jnp.uint32(first) + jnp.arange(-(-count // 2), dtype=jnp.uint32)
    words = draw(key, index[..., None], places)
    return unit(jnp.stack(words, axis=-1).reshape(*index.shape, -1)[..., :count])


def _uniforms_first(key: Key, index: UInt32[Array, " *batch"], first: int, count: int) -> Float[Array, "{count} ..."]:
    """The same numbers, with the examples last."""
    places = jnp.uint32(first) + jnp.arange(-(-count // 2), dtype=jnp.uint32)
    words = draw(key, index, places.reshape(-1, *[1] * index.ndim))
    return unit(jnp.stack(words, axis=1).reshape(-1, *index.shape)[:count])


def stationary(chain: Float[Array, "*batch contexts contexts"]) -> Float[Array, "*batch contexts"]:
    """pi with pi P = pi, by elimination without subtractions (Grassmann, Taksar, Heyman): exact to rounding even for
    chains that mix slowly."""
    size = chain.shape[-1]
    columns = []
    for last in range(size - 1, 0, -1):
        leave = jnp.sum(chain[..., last, :last], axis=-1)
        into = chain[..., :last, last] / leave[..., None]
        chain = chain[..., :last, :last] + into[..., None] * chain[..., last : last + 1, :last]
        columns.append(into)
    law = jnp.ones((*chain.shape[:-2], 1), chain.dtype)
    for into in reversed(columns):
        law = jnp.concatenate([law, jnp.sum(law * into, axis=-1, keepdims=True)], axis=-1)
    return law / jnp.sum(law, axis=-1, keepdims=True)


def _doubly_stochastic(key: Key, index: UInt32[Array, " *batch"], k: int) -> Matrices:
    return doubly_stochastic(uniforms(key, index, MATRIX + (1 << 10), numbers_needed(k)), k)


def _pick(law: Float[Array, "*#batch states"], u: Float[Array, " *#batch"]) -> Int32[Array, " *batch"]:
    """The state in whose share of [0, 1) u lies."""
    return jnp.sum(u[..., None] >= _ends(law), axis=-1).astype(jnp.int32)


def _ends(law: Float[Array, "*batch states"]) -> Float[Array, "*batch ends"]:
    """Where the shares of [0, 1) end; the last ends at 1, whatever rounding says."""
    return jnp.cumsum(law, axis=-1)[..., :-1]


def _check_stochastic(matrix: tuple[tuple[float, ...], ...], states: int) -> None:
    if len(matrix) != states or any(len(row) != states for row in matrix):
        raise ValueError(f"matrix needs {states} rows of {states} probabilities")
    for place, row in enumerate(matrix):
        if abs(sum(row) - 1) > 1e-6:
            raise ValueError(f"row {place} of the matrix sums to {sum(row):g}, not to 1")
