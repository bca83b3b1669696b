"""What files a model may send where: the platform's limit, the open folders, and who may have what is in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from commands.authority import role_of
from commands.spec import Role
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import access_rules
from gateway.state.records import PartDraft, Row
from gateway.tools.send_file import Outlet
from platforms.adapter import Adapter
from platforms.messages import ChatRef, OutFile


def outlet(profile: Profile, settings: Callable[[], Settings], adapters: Mapping[str, Adapter]) -> Outlet:
    """By the settings and platforms of the moment of a call. Files of the machine are for owners."""

    def limit(chat: ChatRef) -> int:
        adapter = adapters.get(chat.platform)
        return adapter.capabilities.sends_files if adapter is not None else 0

    return Outlet(profile.cache / "outgoing", limit, lambda: opened(settings()), trusted(settings))


def trusted(settings: Callable[[], Settings]) -> Callable[[str], bool]:
    """Whether a person (`platform:id`) may have files of the machine, by the settings of that moment: owners may."""

    def trusts(speaker: str) -> bool:
        platform, _, person = speaker.partition(":")
        return bool(person) and role_of(platform, person, access_rules(settings())) is Role.OWNER

    return trusts


def opened(settings: Settings) -> list[Path]:
    """The folders that the owner opened."""
    return [Path(each).expanduser() for each in settings.agent.file_roots]


def files_of(rows: Sequence[Row]) -> list[PartDraft]:
    """What tools of a turn want sent, each as a part of its own."""
    given = [each for row in rows if row.role == "tool" for each in row.files]
    return [PartDraft("", file=OutFile(each.name, each.media_type, each.path)) for each in given]
