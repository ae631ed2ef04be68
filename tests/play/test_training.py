"""What the page shows is what the library computes, and one training is all there ever is."""

import base64
import os
import resource
import signal
import sys
import time

import numpy as np
import pytest

import glassware as gw
from glassware.play.child import MEMORY
from glassware.play.session import Session
from glassware.play.settings import SEEDS
from tests.play.conftest import LONG, QUICK, follow, gone

ENDED = lambda said, frames: said["ended"]
BEGUN = lambda said, frames: len(frames) > 1
LATER = QUICK.model_copy(update={"first": 3})


def whole(frames, lane, name):
    """One network's curve, put together from what frames brought."""
    return [point for frame in frames for point in frame["lanes"].get(str(lane), {name: []})[name]]


def test_the_numbers_are_those_of_the_library(session):
    number = session.start(LATER)
    frames, said = follow(session, number, ENDED, seed=4)
    assert said["sorry"] == ""
    rows = gw.sweep([run.model_copy(update={"probes": ("first_layer",)}) for run in LATER.runs()])
    assert len({row["steps_to_success"] for row in rows.iter_rows(named=True)}) > 2  # lanes must not be mixed up
    for lane, row in enumerate(rows.iter_rows(named=True)):
        assert whole(frames, lane, "step") == row["curve_step"]
        assert whole(frames, lane, "test") == [round(value, 6) for value in row["curve_test_error"]]
        assert whole(frames, lane, "train") == [round(value, 6) for value in row["curve_train_error"]]
        assert said["lanes"][lane] == {"success": row["steps_to_success"], "diverged": None}
        assert frames[-1]["lanes"][str(lane)]["success"] == row["steps_to_success"]
        assert said["supports"][lane] == row["support"]
        sizes, on = np.abs(np.array(row["first_layer"]).reshape(QUICK.width, QUICK.n)).max(axis=0), row["support"]
        assert frames[-1]["lanes"][str(lane)]["on"] == pytest.approx(sizes[on].max(), abs=1e-6)
        assert frames[-1]["lanes"][str(lane)]["off"] == pytest.approx(np.delete(sizes, on).max(), abs=1e-6)
        picture = session.look(number, 0, lane)["picture"]
        coarse = np.frombuffer(base64.b64decode(picture["data"]), np.int8).reshape(QUICK.n, QUICK.width)
        weights = np.array(row["first_layer"]).reshape(QUICK.width, QUICK.n).T
        assert picture["lane"] == lane
        assert np.abs(coarse / 127 * picture["scale"] - weights).max() <= picture["scale"] / 253
    taken = sum(row["steps_taken"] for row in rows.iter_rows(named=True))
    assert frames[-1]["taken"] == taken == SEEDS * QUICK.steps


def test_networks_that_diverge_are_told(session):
    number = session.start(LONG.model_copy(update={"lr": 10.0, "slow": False}))
    _, said = follow(session, number, ENDED)
    assert all(one["diverged"] and one["success"] is None for one in said["lanes"])
    assert said["sorry"] == ""


def test_a_new_start_replaces_the_old_in_the_same_process(session):
    old = session.start(LONG)
    follow(session, old, BEGUN)
    pid, began = session.pid, time.monotonic()
    new = session.start(QUICK)
    assert session.look(old, 0, 0) == {"number": new, "replaced": True}
    frames, _ = follow(session, new, ENDED)
    assert whole(frames, 0, "step")[-1] == QUICK.steps
    assert session.pid == pid
    assert time.monotonic() - began < 20  # the old one would have taken minutes


def test_slow_motion_pauses_and_changes_no_number(session):
    quick, _ = follow(session, session.start(QUICK), ENDED)
    number = session.start(QUICK.model_copy(update={"slow": True}))
    began = time.monotonic()
    slow, said = follow(session, number, lambda said, frames: len(frames) > 20 or said["ended"])
    assert time.monotonic() - began > 1
    assert not said["ended"]
    assert whole(slow, 7, "test") == whole(quick, 7, "test")[: len(whole(slow, 7, "test"))]
    session.stop(number)
    assert session.look(number, 0, 0)["replaced"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the limits of another process")
def test_the_process_is_bounded(session):
    session.warm()
    follow(session, session.start(QUICK), ENDED)
    assert resource.prlimit(session.pid, resource.RLIMIT_DATA)[0] == MEMORY
    assert len(os.sched_getaffinity(session.pid)) <= SEEDS
    assert os.getpriority(os.PRIO_PROCESS, session.pid) > os.getpriority(os.PRIO_PROCESS, 0)


def test_a_process_that_dies_is_one_sentence_and_is_replaced(session):
    number = session.start(LONG)
    follow(session, number, BEGUN)
    pid = session.pid
    os.kill(pid, signal.SIGKILL)
    _, said = follow(session, number, ENDED)
    assert said["sorry"] == "the process that trains has ended; it may have run out of memory"
    session.warm()
    assert session.pid not in (None, pid)


@pytest.mark.parametrize(
    ("limits", "looks", "sorry"),
    [
        ({"beat": 0.6}, False, "the page was away, and so the training stopped"),
        ({"longest": 0.6}, True, "it took more than 1 seconds; make something smaller"),
    ],
)
def test_it_ends_when_nobody_looks_and_when_it_takes_too_long(limits, looks, sorry):
    session = Session(**limits)
    number = session.start(LONG)
    pid, end = session.pid, time.monotonic() + 20
    while session.pid is not None and time.monotonic() < end:
        if looks:
            session.look(number, 0, 0)
        time.sleep(0.1)
    assert gone(pid)
    assert session.look(number, 0, 0)["sorry"] == sorry
    session.close()


def test_a_process_without_work_ends_though_somebody_looks():
    session = Session(idle=0.6)
    session.warm()
    pid, end = session.pid, time.monotonic() + 20
    while session.pid is not None and time.monotonic() < end:
        session.look(0, 0, 0)
        time.sleep(0.1)
    assert gone(pid, 1)
    session.close()
