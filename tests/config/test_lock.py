"""One process owns a profile, for as long as it lives."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from gateway.config.lock import ProfileLock, holder, start_time
from gateway.errors import ProfileLocked
from tests.config.house import House

HOLD = """
import sys, pathlib
from gateway.config.lock import ProfileLock
from gateway.config.paths import Profile
home = pathlib.Path(sys.argv[1])
ProfileLock(Profile("default", home, home)).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def another_process(house: House) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(house.home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_owns_the_profile(house: House) -> None:
    with another_process(house) as process:
        with pytest.raises(ProfileLocked, match=rf"process {process.pid} since .*profile create NAME") as caught:
            ProfileLock(house.profile).acquire()
        assert caught.value.pid == process.pid
        owner = holder(house.profile)
        assert owner is not None
        assert (owner.pid, owner.visible) == (process.pid, True)
        process.kill()
        process.wait()
        assert holder(house.profile) is None
        with ProfileLock(house.profile) as lock:
            assert lock.held


def test_it_is_given_back(house: House) -> None:
    lock = ProfileLock(house.profile).acquire()
    with pytest.raises(ProfileLocked, match=f"process {os.getpid()}"):
        ProfileLock(house.profile).acquire()
    lock.release()
    lock.release()
    assert holder(house.profile) is None
    with ProfileLock(house.profile):
        assert holder(house.profile) is not None


@pytest.mark.parametrize(
    "left",
    [
        {"pid": 2**22 + 1, "started": 1, "since": 1.0},
        {"pid": os.getpid(), "started": 1, "since": 1.0},
        {"pid": 10**30, "started": 1, "since": 1.0},
        {"pid": "x"},
        [],
        "",
    ],
    ids=["dead", "recycled", "absurd", "no number", "a list", "text"],
)
def test_what_a_dead_process_left_is_taken_over(house: House, left: object) -> None:
    house.profile.lock.write_text(json.dumps(left) if left else "")
    assert holder(house.profile) is None
    with ProfileLock(house.profile):
        record = json.loads(house.profile.lock.read_bytes())
        assert (record["pid"], record["started"]) == (os.getpid(), start_time(os.getpid()))


def test_profiles_run_side_by_side(house: House, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = House(tmp_path_factory.mktemp("other"))
    with ProfileLock(house.profile), ProfileLock(other.profile):
        assert holder(house.profile) is not None
        assert holder(other.profile) is not None
