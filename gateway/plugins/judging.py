"""What each announced entry is good for, as the register of its door finds it. Imports what was announced, and no
more; what the owner turned off is not imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Literal

from commands.registry import built_in
from gateway.config.plugins import COMMAND, HOST, PLATFORM, PROVIDER, TOOL, Announced, Plugins
from gateway.models.kinds import HostKind, read
from gateway.tools.loader import ToolHouse, plugin_tools
from memory.providers.protocol import ProviderManifest
from memory.providers.registry import BrokenProvider, Register
from platforms.manifest import PlatformManifest
from platforms.registry import BrokenPlugin, manifests

State = Literal["on", "off", "broken"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One entry. `about` says in a line what it is or brings; `problem` why it cannot be used."""

    entry: Announced
    state: State
    about: str = ""
    problem: str = ""


def at_the_shell(entry: Announced) -> list[str]:
    """Names and aliases of the commands that an entry brings to the shell; a name of the house's chat commands is not
    among them, for with that it is not offered at all. Imports it."""
    known = {spec.name for spec in built_in([])}
    registry = built_in(Plugins((entry,)).points(COMMAND))
    fresh = [spec for spec in registry if spec.name not in known and spec.shell and not spec.hidden]
    return [name for spec in fresh for name in (spec.name, *spec.aliases)]


Told = tuple[str, str]
"""(what it is, what is wrong with it)."""


def judged(plugins: Plugins, house: ToolHouse) -> list[Judged]:
    """Every entry. Of two that bear one name at one door the first has it, and the other is broken."""
    holders: dict[tuple[str, str], Announced] = {}
    found = []
    for entry in plugins.entries:
        if entry.off:
            found.append(Judged(entry, "off"))
            continue
        holder = holders.setdefault((entry.kind, entry.name), entry)
        if holder is not entry and entry.kind not in (COMMAND, TOOL):  # these have names of their own
            whose = "what comes with the house" if holder.built_in else holder.distribution or holder.point.value
            found.append(Judged(entry, "broken", "", f"the name {entry.name} belongs to {whose}"))
            continue
        (point,) = Plugins((entry,)).points(entry.kind)
        about, problem = _JUDGES[entry.kind](point, house)
        found.append(Judged(entry, "broken" if problem else "on", about, problem))
    return found


def _platform(point: EntryPoint, _: ToolHouse) -> Told:
    for found in manifests([point]).values():
        if isinstance(found, BrokenPlugin):
            return "", found.why
        if isinstance(found, PlatformManifest):
            always = "always on" if found.always_on else "on when it has a token"
            return f"a chat platform, {always}", ""
    return "", "nothing was announced"


def _command(point: EntryPoint, _: ToolHouse) -> Told:
    known = {spec.name for spec in built_in([])}
    registry = built_in([point])
    names = [f"/{spec.name}: {spec.help}" for spec in registry if spec.name not in known]
    return "; ".join(names), "; ".join(registry.problems)


def _tool(point: EntryPoint, house: ToolHouse) -> Told:
    found = plugin_tools(house, [point])
    names = ", ".join(each.name for each in found.tools)
    return f"for models: {names}" if names else "", "; ".join(found.problems)


def _host(point: EntryPoint, _: ToolHouse) -> Told:
    found = read(point)
    return (found.about, "") if isinstance(found, HostKind) else ("", found.why)


def _provider(point: EntryPoint, _: ToolHouse) -> Told:
    found = Register([point]).get(point.name)
    if isinstance(found, ProviderManifest):
        return found.about, ""
    return "", found.why if isinstance(found, BrokenProvider) else "nothing was announced"


_JUDGES: dict[str, Callable[[EntryPoint, ToolHouse], Told]] = {
    PLATFORM: _platform,
    COMMAND: _command,
    TOOL: _tool,
    HOST: _host,
    PROVIDER: _provider,
}
