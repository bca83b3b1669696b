"""What `innkeeper doctor` says of the outside memory: whether it is installed, and has what it needs. It is not
asked: `innkeeper memory status` does that."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.cli.doctor import Finding, Patient


def outside(who: Patient) -> Iterator[Finding]:
    """Nothing where none is named."""
    from gateway.config.plugins import PROVIDER, installed
    from memory.providers.protocol import ProviderManifest
    from memory.providers.registry import BrokenProvider, Register

    if who.loaded is None or (name := who.loaded.settings.memory.provider) is None:
        return
    match Register(installed(who.profile).points(PROVIDER)).get(name):
        case None:
            yield Finding("problem", f"memory.provider: {name} is not installed", "innkeeper memory providers")
        case BrokenProvider(why=why):
            yield Finding("problem", f"memory.provider: {why}", "update or remove it")
        case ProviderManifest(secrets=secrets, local=local):
            needed = [each.variable for each in secrets if each.required]
            missing = [each for each in needed if not who.loaded.variables.get(each)]
            if missing:
                yield Finding("problem", f"{name} needs {', '.join(missing)}", f"innkeeper memory setup {name}")
                return
            where = "nothing leaves this machine" if local else "what is said goes to its service"
            yield Finding("ok", f"{name} is used, {where}; `innkeeper memory status` asks it")
