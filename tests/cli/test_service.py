"""`innkeeper service`: a unit put in place, asked about and removed; a `systemctl` of the test's own listens."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.config.lock import ProfileLock
from gateway.hosting.health import Platform, Pulse, Queue
from gateway.hosting.probe import Probe
from tests.cli.shell import Shell

SYSTEMCTL = """\
#!/bin/sh
echo "$@" >> "{heard}"
case "$*" in
  *show*) printf '%s\\n' ActiveState=active SubState=running UnitFileState=enabled MainPID=42 StatusText=running ;;
  *"{refuses}"*) echo "Failed to connect to bus: No medium found" >&2; exit 1 ;;
esac
"""


class Machine:
    """A machine with a service manager, or without one."""

    def __init__(self, innkeeper: Shell, folder: Path) -> None:
        self.innkeeper = innkeeper
        self.programs = folder / "bin"
        self.heard_in = folder / "heard"
        self.unit = folder / ".config/systemd/user/innkeeper.service"
        self.programs.mkdir()
        innkeeper.environment |= {"HOME": str(folder), "PATH": str(self.programs)}

    def with_systemd(self, refuses: str = "nothing at all") -> None:
        program = self.programs / "systemctl"
        program.write_text(SYSTEMCTL.format(heard=self.heard_in, refuses=refuses))
        program.chmod(0o755)

    def heard(self) -> list[str]:
        lines = self.heard_in.read_text().splitlines() if self.heard_in.exists() else []
        return [line.removeprefix("--user --no-pager ") for line in lines]


@pytest.fixture
def machine(innkeeper: Shell, tmp_path: Path) -> Machine:
    return Machine(innkeeper, tmp_path)


def test_from_nothing_to_a_service_and_back(machine: Machine) -> None:
    machine.with_systemd()
    innkeeper = machine.innkeeper
    told = innkeeper("service", "install")
    assert told.exit_code == 0
    assert "loginctl enable-linger" in told.stdout
    text = machine.unit.read_text("utf-8")
    assert f'ExecStart="{sys.executable}" "-m" "gateway.cli.main"' in text
    assert f'Environment="INNKEEPER_HOME={innkeeper.home}"' in text
    assert machine.heard() == ["daemon-reload", "enable innkeeper.service", "restart innkeeper.service"]
    again = innkeeper.json("service", "install", "--no-start")
    assert (again["changed"], again["started"]) == (False, False)
    assert innkeeper("service", "uninstall").exit_code == 0
    assert not machine.unit.exists()
    assert machine.heard()[-2:] == ["disable --now innkeeper.service", "daemon-reload"]
    assert innkeeper.json("service", "uninstall")["removed"] is False


def test_each_profile_has_its_own(machine: Machine) -> None:
    machine.with_systemd()
    innkeeper = machine.innkeeper
    assert innkeeper("profile", "create", "cat").exit_code == 0
    assert innkeeper("service", "install", profile="cat").exit_code == 0
    text = machine.unit.with_name("innkeeper-cat.service").read_text("utf-8")
    assert '"--profile" "cat" "run"' in text
    assert not machine.unit.exists()


def test_where_there_is_no_systemd(machine: Machine) -> None:
    told = machine.innkeeper("service", "install")
    assert told.exit_code == 1
    assert f"{sys.executable} -m gateway.cli.main --profile default run" in told.stderr
    assert "Containerfile" in told.stderr
    assert not machine.unit.exists()


def test_a_session_without_a_bus(machine: Machine) -> None:
    machine.with_systemd(refuses="daemon-reload")
    told = machine.innkeeper("service", "install")
    assert told.exit_code == 1
    assert "No medium found" in told.stderr
    assert machine.unit.exists()


def test_settings_that_cannot_start_are_not_put_in_place(machine: Machine) -> None:
    machine.with_systemd()
    (machine.innkeeper.home / "config.yaml").write_text("memroy: {}\n")
    assert machine.innkeeper("service", "install").exit_code == 2
    assert not machine.unit.exists()


def test_status_says_whether_it_runs(machine: Machine) -> None:
    innkeeper = machine.innkeeper
    told = innkeeper("service", "status")
    assert (told.exit_code, "No gateway runs" in told.stdout) == (1, True)
    assert "innkeeper service install" in told.stdout
    machine.with_systemd()
    innkeeper("service", "install")
    with ProfileLock(innkeeper.profile, SystemClock()):
        told = innkeeper("service", "status")
        assert (told.exit_code, "active (running), enabled, running" in told.stdout) == (0, True)
        quiet = innkeeper("service", "status", "--quiet")
        assert (quiet.exit_code, quiet.stdout) == (0, "")


class _Up:
    up = True


class _Down:
    up = False


@contextmanager
def probed(platform: Platform) -> Iterator[int]:
    """A door for probes in a thread of its own; its port."""
    ports: list[int] = []
    opened = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def counts() -> Queue:
        return Queue(1, 2)

    async def serve() -> None:
        async with Probe(Pulse(lambda: {"telegram": platform}, counts), SystemClock()).opened(0) as port:
            ports.append(port)
            opened.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    opened.wait()
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def test_status_asks_the_door_for_probes(machine: Machine) -> None:
    innkeeper = machine.innkeeper
    with ProfileLock(innkeeper.profile, SystemClock()):
        with probed(_Up()) as port:
            (innkeeper.home / "config.yaml").write_text(f"gateway: {{health_port: {port}}}\n")
            told = innkeeper("service", "status")
            assert (told.exit_code, "1 messages and 2 parts wait" in told.stdout) == (0, True)
            innkeeper.environment["INNKEEPER_HEALTH_PORT"] = str(port)
            (innkeeper.home / "config.yaml").write_text("gateway: {drain_seconds: 5}\n")
            told = innkeeper("service", "status")
            assert (told.exit_code, "1 messages and 2 parts wait" in told.stdout) == (0, True)
        silent = json.loads(innkeeper("service", "status", "--json").stdout)
        assert (silent["running"], silent["well"], silent["health"]) == (True, False, None)
        with probed(_Down()) as port:
            (innkeeper.home / "config.yaml").write_text(f"gateway: {{health_port: {port}}}\n")
            told = innkeeper("service", "status")
            assert (told.exit_code, "Health: down" in told.stdout) == (1, True)
