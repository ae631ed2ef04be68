"""How far a fit is: told as networks finish, and asked whether another one may start."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from glassware.foundation.quantities import about, clock_text


class Watch:
    """The progress of one fit, shared by the threads that train its networks.

    Args:
        time_limit: seconds from now after which no further network is started.
        verbose: whether to print a line per network.
        callback: called with the number of networks done and planned; True ends the fit early.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        verbose: bool | int = False,
        callback: Callable[[int, int], object] | None = None,
    ) -> None:
        self.time_limit, self.verbose, self.callback = time_limit, bool(verbose), callback
        self.started = self._training = time.monotonic()
        self.done = self.planned = self._before = 0
        self._ended = False
        self._lock = threading.Lock()

    def plan(self, networks: int) -> None:
        """So many more networks are about to be trained."""
        self.planned += networks
        self._training, self._before = time.monotonic(), self.done

    def over(self) -> bool:
        """Whether no further network should be started."""
        late = self.time_limit is not None and time.monotonic() - self.started > self.time_limit
        return self._ended or late

    def finished(self) -> None:
        """One network is trained."""
        with self._lock:
            self.done += 1
            if self.verbose:
                now = time.monotonic()
                left = (now - self._training) / (self.done - self._before) * (self.planned - self.done)
                print(
                    f"network {self.done} of {self.planned}, {clock_text(now - self.started)},"
                    f" about {about(left)} left",
                    flush=True,
                )
            if self.callback is not None and self.callback(self.done, self.planned):
                self._ended = True
