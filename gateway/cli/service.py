"""`innkeeper service`: the gateway as a service of this user, and how it is.

Units and systemd are for `gateway.hosting`; here they are ordered and told.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gateway.cli.invocation import FAILED, Invocation

if TYPE_CHECKING:
    from gateway.config.paths import Profile

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

_WITHOUT = """\
There is no systemd here. Let what starts programs on this machine run this, and end it with SIGTERM:
  {command}
A recipe for containers is in the source: gateway/deploy/Containerfile."""

_AT_BOOT = "It starts when you log in. To have it start with the machine: loginctl enable-linger"


@click.group()
def service() -> None:
    """Run the gateway as a service of systemd, and see how it is."""


@service.command()
@click.option("--no-start", is_flag=True, help="Put the unit in place, and do not start it.")
@_json
@click.pass_obj
def install(invocation: Invocation, no_start: bool, as_json: bool) -> None:
    """Write the unit of this profile, with this Python, and start it. Again after moving or upgrading."""
    from gateway.hosting.units import Systemd, put, unit_name

    profile = invocation.prepared()
    systemd = Systemd.found(invocation.environment)
    if systemd is None:
        _without_systemd(profile, as_json)
    invocation.settings()  # a service that cannot start is not put in place
    path, changed = put(profile, sys.executable, invocation.environment)
    name = unit_name(profile)
    if not as_json:
        click.echo(f"{'Wrote' if changed else 'Nothing to change in'} {path}.")
    systemd.enable(name, start=not no_start)
    if as_json:
        _print({"unit": name, "file": str(path), "changed": changed, "started": not no_start})
        return
    click.echo(f"{name} {'is put in place' if no_start else 'runs'}. Its log: journalctl --user -u {name}")
    click.echo(_AT_BOOT)


@service.command()
@_json
@click.pass_obj
def uninstall(invocation: Invocation, as_json: bool) -> None:
    """Stop the service and remove its unit. The profile stays as it is."""
    from gateway.hosting.units import Systemd, unit_name, unit_path

    profile = invocation.profile()
    path, name = unit_path(profile, invocation.environment), unit_name(profile)
    there = path.exists()
    if there:
        systemd = Systemd.found(invocation.environment)
        if systemd is not None:
            systemd.disable(name)
        path.unlink(missing_ok=True)
        if systemd is not None:
            systemd.forget()
    if as_json:
        _print({"unit": name, "file": str(path), "removed": there})
    else:
        click.echo(f"Removed {path}." if there else f"There is no {path}: nothing to remove.")


@service.command()
@click.option("-q", "--quiet", is_flag=True, help="Say nothing: the exit code tells.")
@_json
@click.pass_obj
def status(invocation: Invocation, quiet: bool, as_json: bool) -> None:
    """Whether the gateway runs and is well. Exit code 1 when it does not, or is not; so it serves as a probe."""
    found = _found(invocation)
    if as_json:
        _print(found)
    elif not quiet:
        for line in _told(found):
            click.echo(line)
    if not found["well"]:
        raise click.exceptions.Exit(FAILED)


def _found(invocation: Invocation) -> dict[str, Any]:
    """The gateway's process, its health where it has a door for probes, and the unit where there is one."""
    from gateway.config.lock import holder

    profile = invocation.profile()
    owner = holder(profile)
    port = invocation.settings().settings.gateway.health_port
    health = None
    if owner is not None and port:
        from gateway.hosting.asking import ask

        health = ask(port)
    silent = bool(owner is not None and port and health is None)
    down = silent or (health is not None and health["status"] == "down")
    return {
        "profile": profile.name,
        "running": owner is not None,
        "pid": owner.pid if owner is not None else None,
        "health_port": port,
        "health": health,
        "well": owner is not None and not down,
        "unit": _unit(invocation, profile),
    }


def _unit(invocation: Invocation, profile: Profile) -> dict[str, Any] | None:
    """What systemd says of the profile's unit; None where none is installed."""
    from gateway.hosting.units import ServiceFault, Systemd, unit_name, unit_path

    try:
        path = unit_path(profile, invocation.environment)
    except ServiceFault:
        return None
    if not path.exists():
        return None
    systemd = Systemd.found(invocation.environment)
    if systemd is None:
        return {"file": str(path), "fault": "there is no systemd here"}
    try:
        state = systemd.state(unit_name(profile))
    except ServiceFault as error:
        return {"file": str(path), "fault": str(error)}
    return {"file": str(path), "active": state.active, "starts": state.starts, "pid": state.pid, "says": state.words}


def _told(found: dict[str, Any]) -> list[str]:
    where = f"the profile '{found['profile']}'"
    pid = f"process {found['pid']}" if found["pid"] else "a process that is not visible from here"
    lines = [f"The gateway of {where} runs, {pid}." if found["running"] else f"No gateway runs in {where}."]
    health, port = found["health"], found["health_port"]
    if health is not None:
        platforms = ", ".join(f"{name} {state}" for name, state in health["platforms"].items()) or "no platform"
        queue = health["queue"]
        waits = f"; {queue['messages']} messages and {queue['parts']} parts wait" if queue else ""
        lines.append(f"Health: {health['status']} ({platforms}; database {health['store']}{waits}).")
    elif found["running"] and port:
        lines.append(f"Health: nobody answers on port {port}.")
    elif found["running"]:
        lines.append("Health: gateway.health_port is not set, so only the process is seen.")
    unit = found["unit"]
    if unit is None:
        lines.append("It is no service of systemd: innkeeper service install")
    elif "fault" in unit:
        lines.append(f"{unit['file']}: {unit['fault']}")
    else:
        says = f", {unit['says']}" if unit["says"] else ""
        lines.append(f"{unit['file']}: {unit['active']}, {unit['starts']}{says}")
    return lines


def _without_systemd(profile: Profile, as_json: bool) -> NoReturn:
    import shlex

    command = shlex.join([sys.executable, "-m", "gateway.cli.main", "--profile", profile.name, "run"])
    command = f"INNKEEPER_HOME={shlex.quote(str(profile.home))} {command}"
    if as_json:
        _print({"unit": None, "command": command})
    else:
        click.echo(_WITHOUT.format(command=command), err=True)
    raise click.exceptions.Exit(FAILED)


def _print(data: object) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
