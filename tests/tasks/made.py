"""A task of a few examples, all of them listed: sums of two digits."""

from typing import Any, ClassVar, Literal

import jax.numpy as jnp
import numpy as np

from glassware.tasks import Kind, Task

DIGITS = 5


class Sums(Task):
    """The digits a and b, one-hot, labelled (a + b) mod 5: 25 examples, example a * 5 + b."""

    name: Literal["sums"] = "sums"

    kind: ClassVar[Kind] = "class"

    @property
    def input_shape(self) -> tuple[int, ...]:
        return (2 * DIGITS,)

    @property
    def classes(self) -> int:
        return DIGITS

    @property
    def domain(self) -> int:
        return DIGITS**2

    def raw(self, key: Any, index: Any) -> Any:
        return index

    def inputs(self, values: Any, raw: Any) -> Any:
        one_hot = lambda digit: (digit[:, None] == jnp.arange(DIGITS, dtype=jnp.uint32)).astype(jnp.float32)
        return jnp.concatenate([one_hot(raw // DIGITS), one_hot(raw % DIGITS)], axis=1)

    def targets(self, values: Any, raw: Any) -> Any:
        return ((raw // DIGITS + raw % DIGITS) % DIGITS).astype(jnp.int32)


def numbers(x: np.ndarray) -> np.ndarray:
    """Which examples these inputs are."""
    return np.argmax(x[:, :DIGITS], axis=1) * DIGITS + np.argmax(x[:, DIGITS:], axis=1)


def plainly(number: Any) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and classes of examples, by hand."""
    a, b = np.divmod(np.asarray(number, int), DIGITS)
    return np.concatenate([np.eye(DIGITS)[a], np.eye(DIGITS)[b]], axis=1), (a + b) % DIGITS
