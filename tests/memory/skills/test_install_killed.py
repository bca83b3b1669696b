"""Installing, updating and seeding, killed at each step on the disk: the next start finds the old skill or the new
one, and takes neither for somebody's own work."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.skills.install import Done, Installer, Origins, Same
from memory.skills.parcel import Parcel, parcel_of
from memory.skills.seeding import Seeds
from tests.memory.skills.shed import ADA, Shed, skill

STEPS = ("os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod")
FROM = Origins("https://example.org/deploy.zip")


def made(body: str, *references: str) -> Parcel:
    files = {"SKILL.md": skill("deploy", body=body), **{f"references/{each}": f"{each}\n" for each in references}}
    return parcel_of({path: text.encode() for path, text in files.items()})


OLD = made("1. Old.\n", "a", "b")
NEW = made("2. New.\n", "b", "c")


def installer(home: Path) -> Installer:
    shed = Shed(home)
    return Installer(shed.library, shed.store, lambda: shed.time)


def seeds(home: Path, it: Parcel) -> Seeds:
    shed = Shed(home)
    return Seeds(shed.library, shed.store, lambda: shed.time, lambda: (it,))


def dies(at: int, work: Callable[[], object]) -> bool:
    """Do the work in a process of its own that kills itself before step `at`; whether it came to that."""
    child = os.fork()
    if child == 0:
        steps = itertools.count()

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            made = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & os.O_CREAT)
            if (made or event in STEPS) and next(steps) == at:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(hook)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def rounds(folder: Path, stride: int, before: Callable[[Path], object], work: Callable[[Path], object]) -> list[Path]:
    """A home for each step at which the work was killed, repaired as a start does."""
    homes = []
    for at in itertools.count(0, stride):
        home = folder / f"{at}"
        before(home)
        killed = dies(at, lambda home=home: work(home))  # type: ignore[misc]  # called at once
        Shed(home).store.repair()
        homes.append(home)
        if not killed:
            assert at > 10
            return homes
    raise AssertionError


def whole(home: Path) -> str:
    """Which of the two is in place."""
    library = Shed(home).library
    if library.get("deploy") is None:
        return "none"
    body = library.view("deploy").rpartition("\n\n")[2].strip()
    return f"{body} {' '.join(path[-1] for path in library.files('deploy'))}"


@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_an_update_is_all_or_nothing_and_can_be_done_again(stride: int, tmp_path: Path) -> None:
    found = set()
    for home in rounds(
        tmp_path,
        stride,
        lambda home: installer(home).install(OLD, FROM, ADA),
        lambda home: installer(home).update(NEW, FROM, ADA),
    ):
        found.add(whole(home))
        assert installer(home).installed()[0].state == "unmodified"
        assert installer(home).update(NEW, FROM, ADA) in (Done("deploy"), Same("deploy"))
        assert whole(home) == "2. New. b c"
    assert found == {"1. Old. a b", "2. New. b c"}


@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_a_first_install_is_all_or_nothing(stride: int, tmp_path: Path) -> None:
    found = set()
    for home in rounds(
        tmp_path,
        stride,
        lambda home: Shed(home).put("x/SKILL.md"),
        lambda home: installer(home).install(OLD, FROM, ADA),
    ):
        found.add(whole(home))
        assert installer(home).install(OLD, FROM, ADA) in (Done("deploy"), Same("deploy"))
        assert installer(home).update(NEW, FROM, ADA) == Done("deploy")
    assert found == {"none", "1. Old. a b"}


@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_an_upgrade_of_a_bundled_one_is_made_up_for(stride: int, tmp_path: Path) -> None:
    for home in rounds(
        tmp_path, stride, lambda home: seeds(home, OLD).sow(ADA), lambda home: seeds(home, NEW).sow(ADA)
    ):
        done = seeds(home, NEW).sow(ADA)
        assert (done.kept, done.gone, done.taken, done.failed) == ((), (), (), None)
        assert whole(home) == "2. New. b c"
