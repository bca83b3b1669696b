"""What `innkeeper doctor` looks at by itself: home, settings, secrets, lock, disk, platforms and model hosts."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from gateway.cli.doctor import Check, Finding, Patient
from gateway.cli.doctor_memory import memory
from gateway.cli.doctor_outside import outside
from gateway.cli.doctor_tools import tools

LOW_DISK = 500 * 1024 * 1024  # bytes: a backup and the small model's weights fit
EMBEDDED_PACKAGE = "xllamacpp"


def checks() -> list[Check]:
    """All of them, in the order in which one thing needs the other."""
    return [
        Check("python", _python),
        Check("home", _home),
        Check("disk", _disk),
        Check("settings", _settings),
        Check("effect", _effect),
        Check("secrets", _secrets),
        Check("plugins", _plugins),
        Check("lock", _lock),
        Check("platforms", _platforms),
        Check("access", _access),
        Check("memory", memory),
        Check("outside memory", outside),
        Check("mcp servers", tools),
        Check("model", _model),
        Check("hosts", _hosts),
    ]


def _python(_: Patient) -> Iterator[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield Finding("ok", f"version {version}")


def _home(who: Patient) -> Iterator[Finding]:
    folder = who.profile.folder
    if not folder.is_dir():
        yield Finding("warning", f"{folder} does not exist yet", "`innkeeper setup` makes it")
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("problem", f"{folder} cannot be written", "give this user the right to write there")
    elif folder.stat().st_mode & 0o077:
        yield Finding("warning", f"others on this machine may look into {folder}", f"chmod 700 {folder}")
    else:
        yield Finding("ok", f"{folder} (profile {who.profile.name})")


def _disk(who: Patient) -> Iterator[Finding]:
    place = next((path for path in (who.profile.folder, *who.profile.folder.parents) if path.exists()), None)
    if place is None:
        return
    free = shutil.disk_usage(place).free
    text = f"{free / 1024**3:.1f} GiB free"
    if free < LOW_DISK:
        yield Finding("problem", text, "make room; a full disk stops every write")
    else:
        yield Finding("ok", text)


def _settings(who: Patient) -> Iterator[Finding]:
    if who.problems:
        for problem in who.problems:
            yield Finding("problem", problem, f"edit {who.profile.config}, then `innkeeper config check`")
    elif who.profile.config.exists():
        yield Finding("ok", f"{who.profile.config.name} is valid")
    else:
        yield Finding("warning", f"there is no {who.profile.config.name}; defaults are used", "`innkeeper setup`")


def _effect(who: Patient) -> Iterator[Finding]:
    from gateway.config.not_yet import warnings

    for line in warnings(who.loaded.settings) if who.loaded is not None else ():
        yield Finding("warning", line, "do not rely on it")


def _secrets(who: Patient) -> Iterator[Finding]:
    if not who.profile.env.exists():
        return
    mode = stat.S_IMODE(who.profile.env.stat().st_mode)
    if mode & 0o077:
        yield Finding("problem", f"others may read {who.profile.env} (mode {mode:o})", f"chmod 600 {who.profile.env}")
    else:
        yield Finding("ok", ".env is readable by its owner only")


def _plugins(who: Patient) -> Iterator[Finding]:
    from gateway.clock import SystemClock
    from gateway.config.plugins import installed, turned_off
    from gateway.plugins.judging import judged
    from gateway.tools.loader import ToolHouse

    plugins = installed(who.profile)
    for each in judged(plugins, ToolHouse(who.profile.folder, SystemClock().now)):
        kind, name = each.entry.kind, each.entry.name
        if each.state == "broken":
            advice = f"update it, or `innkeeper plugins disable {name}`"
            yield Finding("problem", f"the {kind} {name} cannot be used: {each.problem}", advice)
        elif each.state == "on" and not each.entry.built_in:
            yield Finding("ok", f"the {kind} {name} of {each.entry.distribution or each.entry.point.value}")
    unknown = [each for each in sorted(turned_off(who.profile)) if not plugins.named(each)]
    for name in unknown:
        advice = f"`innkeeper plugins enable {name}` takes it from the list"
        yield Finding("warning", f"plugins.disabled names {name}, which is not installed", advice)


def _lock(who: Patient) -> Iterator[Finding]:
    from gateway.config.lock import holder

    owner = holder(who.profile)
    if owner is None:
        yield Finding("ok", "no gateway runs in this profile")
    elif owner.pid is None or not owner.visible:
        yield Finding(
            "warning",
            "a process that is not visible from here owns the profile",
            "look for it in other containers that share this folder",
        )
    else:
        yield Finding("ok", f"the gateway runs as process {owner.pid}")


def _platforms(who: Patient) -> Iterator[Finding]:
    from gateway.config.plugins import PLATFORM, installed
    from platforms.registry import manifests, usable

    if who.loaded is None:
        return
    on, known = [], usable(manifests(installed(who.profile).points(PLATFORM)).values())
    for name in who.loaded.settings.platforms:
        values = who.loaded.settings.platform(name)
        if not values.get("token"):
            continue
        if name not in known:
            yield Finding(
                "warning",
                f"{name} has a token, and this version cannot connect to it",
                f"take platforms.{name}.token or its variable away until it can",
            )
            continue
        on.append(name)
        if not values.get("allowed_users"):
            yield Finding(
                "warning",
                f"{name} has a token, and platforms.{name}.allowed_users is empty: no person is let in by name",
                f"innkeeper config set platforms.{name}.allowed_users '[YOUR_ID]'",
            )
        elif "*" in values["allowed_users"]:
            yield Finding(
                "warning",
                f'anybody may talk to the bot on {name} ("*" in allowed_users)',
                "list the people instead, unless that is what you want",
            )
        else:
            yield Finding("ok", f"{name} is on")
    if not on and not any(each.always_on for name, each in known.items() if name != "console"):
        yield Finding("warning", "no platform has a token; only the console works", "`innkeeper setup` asks for one")


def _access(who: Patient) -> Iterator[Finding]:
    if who.loaded is None:
        return
    access = who.loaded.settings.access
    if access.owners:
        yield Finding("ok", f"owners: {', '.join(access.owners)}")


def _model(who: Patient) -> Iterator[Finding]:
    from gateway.config.hosts import CLOUDS, LOCAL
    from gateway.models.main_host import main_host, main_model, unnamed

    if who.loaded is None:
        return
    settings, keys = who.loaded.settings, who.loaded.keys
    host = main_host(settings, keys)
    model = main_model(settings, host)
    if host.kind == LOCAL:
        yield from _embedded(who, model)
    elif host.cloud is not None and not host.api_key:
        yield Finding(
            "problem",
            f"model.provider is {host.name}, and there is no key for it",
            f"put {CLOUDS[host.cloud].variable} into {who.profile.env}",
        )
    elif why := unnamed(host, model):
        yield Finding("problem", why, "innkeeper config set model.model MODEL")
    else:
        yield Finding("ok", f"the main model is {host.name}/{model}")
    if settings.model.provider == "auto" and host.cloud is None and keys:
        named = ", ".join(sorted(keys))
        yield Finding("ok", f"the key for {named} is used where a host is named, not by `model.provider: auto`")


def _embedded(who: Patient, wanted: str) -> Iterator[Finding]:
    from gateway.models.catalogue import entry_named
    from gateway.models.pull import is_present

    if not find_spec(EMBEDDED_PACKAGE):
        yield Finding(
            "problem",
            f"the model runs on this machine, and the package {EMBEDDED_PACKAGE} is not installed",
            "pip install 'innkeeper[local]', or `innkeeper setup` for a host",
        )
        return
    entry = entry_named(wanted)
    if entry is None:
        yield Finding("ok", f"the embedded host runs {wanted}")
    elif is_present(entry, who.profile.models):
        yield Finding("ok", f"the embedded host runs {entry.title}", "")
    else:
        yield Finding(
            "warning",
            f"the weights of {entry.title} are not here yet",
            f"`innkeeper models pull {entry.name}` fetches them; `innkeeper chat` does so by itself",
        )


def _hosts(who: Patient) -> Iterator[Finding]:
    from gateway.config.hosts import KINDS, PREDEFINED

    if who.loaded is None:
        return
    settings = who.loaded.settings
    named = [(f"hosts.{name}", host.kind, host.base_url, host.api_key) for name, host in settings.hosts.items()]
    for key, kind, address, secret in [
        ("model", settings.model.provider, settings.model.base_url, settings.model.api_key),
        *named,
    ]:
        if address is None or kind not in {*PREDEFINED, *KINDS, *settings.hosts, "auto"}:
            continue  # a plugin's kind: only it knows what to ask there
        yield _reached(who, key, kind, address, secret)


def _reached(who: Patient, key: str, kind: str, address: str, secret: str | None) -> Finding:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    target = f"{address}/models"
    if kind == "anthropic":
        headers = {"x-api-key": secret or "", "anthropic-version": "2023-06-01"}
        target = f"{address}/v1/models"
    answer = who.probe(target, headers)
    match answer.status:
        case None:
            return Finding(
                "problem",
                f"{key}: nothing answers at {address} ({answer.reason})",
                f"start that server, or correct {key}.base_url",
            )
        case 401 | 403:
            return Finding("problem", f"{key}: {address} refuses the key ({answer.status})", f"correct {key}.api_key")
        case 404:
            return Finding(
                "warning",
                f"{key}: {address} answers, but has no list of models (404)",
                f"check that {key}.base_url ends as the server wants it, often in /v1",
            )
        case 503:
            return Finding("warning", f"{key}: {address} is loading its model (503)", "wait, and try again")
        case status if status >= 500:
            return Finding(
                "problem", f"{key}: {address} answers with an error ({status})", "look at that server's log"
            )
        case _:
            return Finding("ok", f"{key}: {address} answers")
