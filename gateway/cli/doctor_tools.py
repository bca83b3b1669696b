"""What `innkeeper doctor` says of MCP servers: whether they can be started, and what they offered last. None is
reached: a running gateway's `/status` says how they are doing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec

from gateway.cli.doctor import Finding, Patient


def tools(who: Patient) -> Iterator[Finding]:
    """Nothing where no server is configured."""
    servers = who.loaded.settings.mcp_servers if who.loaded is not None else {}
    wanted = {name: each for name, each in servers.items() if each.enabled}
    if not wanted:
        return
    if find_spec("mcp") is None:
        yield Finding(
            "problem", "MCP servers are configured, and the library is missing", "pip install innkeeper[mcp]"
        )
        return
    from gateway.tools.mcp.shelf import FOLDER, KnownTools

    known = KnownTools(who.profile.cache / FOLDER)
    for name, server in sorted(wanted.items()):
        path = server.env.get("PATH")
        if server.command is not None and shutil.which(server.command, path=path) is None:
            yield Finding("problem", f"{name}: there is no program {server.command}", f"mcp_servers.{name}.command")
            continue
        listed = known.of(name, server)
        if listed is None:
            yield Finding(
                "ok", f"{name} is configured and was not reached yet; /status of a running gateway says more"
            )
            continue
        asked = sum(
            server.rule(each.name) == "ask" or (server.rule(each.name) == "auto" and not each.reads)
            for each in listed
            if server.offers(each.name)
        )
        yield Finding("ok", f"{name} offered {len(listed)} tools when it was last reached; {asked} wait for a yes")
