"""What `innkeeper doctor` says of memory: files that cannot be used, texts that the threat scan withholds from the
prompt, and what waits for a yes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gateway.cli.doctor import Finding, Patient


def memory(who: Patient) -> Iterator[Finding]:
    """The files of the profile, as they are now."""
    from gateway.agent.scopes import target_of
    from gateway.engine.gates.gatekeeper import memories
    from memory.files import FileTrouble, read
    from memory.scan.scanner import scan

    loaded = who.loaded
    if loaded is None or not who.profile.folder.is_dir():
        return
    kept = memories(who.profile, lambda: loaded.settings, time.time)
    stores, quiet = kept.shelf.own, True
    others = [(name, kept.shelf.holding(target_of(name), name)) for name in kept.shelf.others()]
    for line in [line for each in (stores, *(each for _, each in others)) for line in each.problems()]:
        quiet = False
        yield Finding("problem", line, "mend the file by hand; it is plain text")
    texts = [(who.profile.soul.name, who.profile.soul), (who.profile.agents.name, who.profile.agents)]
    texts += [(target.file_name, stores.path(target)) for target in stores.enabled]
    texts += [(name, each.path(target)) for name, each in others for target in each.enabled]
    for name, path in texts:
        try:
            found = scan(read(path) or "")
        except FileTrouble as error:
            quiet = False
            yield Finding("problem", str(error), "save it as UTF-8 text")
            continue
        for each in found[:3]:
            quiet = False
            text = f"{name} is withheld from the prompt, in part or whole: {each.rule}, «{each.span}»"
            yield Finding("warning", text, f"write it differently; `innkeeper memory scan --file {path}` shows all")
    waiting = len(kept.pendings.ids())
    if waiting:
        yield Finding("ok", f"{waiting} writes wait for a yes", "`innkeeper memory pending` lists them")
    elif quiet:
        yield Finding("ok", "the files can be used, and nothing waits")
