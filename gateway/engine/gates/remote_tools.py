"""The tools of MCP servers put together with the house: servers, the gate before their calls, and how they stand.

Nothing is reached before `begin`; a house without servers has none of this, and loads nothing for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from commands.tool_ports import ServerView, ToolView
from gateway.clock import Clock
from gateway.config.mcp import McpServer
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import owners_heard
from gateway.engine.gates.call_desk import CallDesk, call_resolver
from gateway.engine.gates.call_gate import CallGate, CallRules
from gateway.engine.gates.gatekeeper import SetKey
from gateway.engine.outgoing.delivery import Delivery
from gateway.observability.report import LogReport
from gateway.state.protocols import Store
from gateway.tools.mcp.door import RemoteDoor
from gateway.tools.mcp.server import Report, Server, Servers, Surroundings, servers
from gateway.tools.mcp.shelf import FOLDER, KnownTools
from gateway.tools.send_file import Outlet
from gateway.tools.toolset import More
from platforms.adapter import Adapter


@dataclass(frozen=True, slots=True)
class RemoteTools:
    """`commands.tool_ports.Tools`. `door` is what models call; `aside` makes what was approved, and shows of what it
    brings the text alone."""

    servers: Servers
    desk: CallDesk
    door: RemoteDoor
    aside: RemoteDoor
    set_key: SetKey

    @property
    def more(self) -> More:
        """For the toolset."""
        return self.door.tools

    def views(self) -> list[ServerView]:
        """Each server, how it stands, and its tools with what holds for them."""
        offered = {each.name for each in self.servers.tools}
        return [view(each, self.servers.rules(each.name), offered) for each in self.servers.all]

    def problems(self) -> list[str]:
        return self.servers.problems

    async def put_rule(self, server: str, tool: str, rule: str) -> str:
        """Set what holds for a tool in config.yaml and in force; the empty string, or why that could not be."""
        return await put_rule(self.set_key, server, tool, rule)

    @property
    def words(self) -> str:
        """How they are doing, in a line for /status."""
        return "; ".join(f"{each.name} {each.words}" for each in self.servers.all)

    @property
    def data(self) -> Mapping[str, object]:
        return {each.name: _as_data(each) for each in self.servers.all}


def _as_data(server: Server) -> dict[str, object]:
    """A server for programs. Where it was not looked at here, `seen` is since when it has been so, as far as the
    gateway saw it, in seconds since the epoch; the state is `new` where it never did."""
    now: dict[str, object] = {"state": server.state, "tools": len(server.tools), "why": server.why}
    if server.state != "new" or server.seen is None:
        return now
    return now | {"state": server.seen.state, "why": server.seen.why, "seen": server.seen.since}


class StoredTools:
    """`commands.tool_ports.Tools` for commands that come and go: what is configured, what was offered last, and how
    the gateway last saw it. Reads files."""

    def __init__(self, servers: Servers, set_key: SetKey) -> None:
        self._servers = servers
        self._set_key = set_key

    def views(self) -> list[ServerView]:
        return [view(each, self._servers.rules(each.name)) for each in self._recalled()]

    @property
    def words(self) -> str:
        """For `innkeeper status`."""
        return "; ".join(f"{each.name} {each.words}" for each in self._recalled())

    @property
    def data(self) -> Mapping[str, object]:
        return {each.name: _as_data(each) for each in self._recalled()}

    def _recalled(self) -> Sequence[Server]:
        for each in self._servers.all:
            each.recall()
        return self._servers.all

    def problems(self) -> list[str]:
        return self._servers.problems

    async def put_rule(self, server: str, tool: str, rule: str) -> str:
        return await put_rule(self._set_key, server, tool, rule)


def stored_tools(
    profile: Profile, settings: Settings, store: Store, clock: Clock, set_key: SetKey, *, asleep: bool
) -> tuple[StoredTools | None, CallDesk]:
    """What commands that come and go have; None where no server is configured. `asleep`: no gateway runs."""
    desk = CallDesk(call_resolver(profile.pending / "calls", clock.now, asleep=asleep), store, clock.now, set_key)
    if not any(each.enabled for each in settings.mcp_servers.values()):
        return None, desk
    known = KnownTools(profile.cache / FOLDER)
    around = Surroundings(clock, LogReport("gateway.tools.mcp"), known, {}, None, str, settings.mcp.max_tools)
    return StoredTools(servers(lambda: settings.mcp_servers, around), set_key), desk


async def put_rule(set_key: SetKey, server: str, tool: str, rule: str) -> str:
    """As `RemoteTools.put_rule`."""
    from gateway.errors import InnkeeperError

    try:
        await set_key(f"mcp_servers.{server}.approvals.{tool}", rule)
    except (InnkeeperError, OSError) as error:
        return str(error)
    return ""


def view(server: Server, rules: McpServer, offered: set[str] | None = None) -> ServerView:
    """A server as commands show it; without `offered`, what is offered is told by the rules alone."""
    tools = [
        ToolView(
            name=each.name,
            tool=each.tool,
            about=each.schema.description,
            rule=rules.rule(each.tool) if rules.offers(each.tool) else "deny",
            reads=each.reads,
            offered=rules.offers(each.tool) and (offered is None or each.name in offered),
        )
        for each in server.tools
    ]
    return ServerView(server.name, place(rules), server.state, server.words, tuple(tools), server.problems)


def place(rules: McpServer) -> str:
    """Where a server is, without what may be a secret: of an address the host alone."""
    if rules.command is not None:
        return rules.command
    found = urlsplit(str(rules.url))
    return f"{found.scheme}://{found.netloc.rpartition('@')[2]}"


@dataclass(frozen=True, slots=True)
class Way:
    """What calls and their results have of the house. `mask` takes secrets out of what servers say of themselves."""

    store: Store
    delivery: Delivery
    adapters: Mapping[str, Adapter]
    clock: Clock
    report: Report
    outlet: Outlet | None
    mask: Callable[[str], str]
    set_key: SetKey


async def remembered(remote: RemoteTools | None) -> Callable[[], Awaitable[None]]:
    """Offer what was offered last, before anything is reached; gives back what ends the servers."""
    if remote is None:
        return _nothing
    await remote.servers.remember()
    return remote.servers.close


async def _nothing() -> None:
    return


def remote_tools(
    profile: Profile, settings: Callable[[], Settings], environment: Mapping[str, str], way: Way
) -> RemoteTools | None:
    """By the settings of this moment, until the next start; None where no server is configured."""
    now = settings()
    if not any(each.enabled for each in now.mcp_servers.values()):
        return None
    around = Surroundings(
        clock=way.clock,
        report=way.report,
        known=KnownTools(profile.cache / FOLDER),
        environment=environment,
        folder=str(profile.folder),
        mask=way.mask,
        most=now.mcp.max_tools,
    )
    made = servers(lambda: settings().mcp_servers, around)
    desk = CallDesk(call_resolver(profile.pending / "calls", way.clock.now), way.store, way.clock.now, way.set_key)
    gate = CallGate(CallRules(made.rules, owners_heard(settings)), desk, way.delivery, way.adapters, way.clock)
    room = now.mcp.deferred_chars
    door, aside = RemoteDoor(made, gate, way.outlet, room), RemoteDoor(made, gate, None, room)
    return RemoteTools(made, desk, door, aside, way.set_key)
