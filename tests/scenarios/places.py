"""Places where people meet the house, each with its memory: who is heard there, and what came to the model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.config.schema import Access, Settings
from gateway.config.sections import Memory
from gateway.models.client import Request
from gateway.tools.tool import Tool
from platforms.messages import ChatKind
from platforms.settings import Section
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn

NOTES, OWNER, ADA, BOB, ROOM = "The well is deep.", "Ada is tall.", "Ada hums.", "Bob is bald.", "Tea is at four."
FILES = {
    "MEMORY.md": NOTES,
    "USER.md": OWNER,
    "people/inprocess-ada.md": ADA,
    "people/inprocess-bob.md": BOB,
    "rooms/inprocess-g2.md": ROOM,
}
FACT, LESSON = "Likes figs.", "The gate squeaks."


class Door(Section):
    """Settings of the in-process platform, with rooms."""

    allowed_users: tuple[str, ...] = ("ada",)
    allowed_chats: tuple[str, ...] = ()
    require_mention: bool = False


ALONE = Door(allowed_chats=("g2",))
"""Ada alone may talk, in any group; everybody may in g2."""
BOTH = Door(allowed_users=("ada", "bob"))


def rules(scope: str = "owner", share: bool = False, door: Door = BOTH, **more: Any) -> Settings:
    memory = Memory.model_validate({"scope": scope, "share": share})
    return settings(platforms={"inprocess": door}, access=Access(owners=("inprocess:ada",)), memory=memory, **more)


@dataclass(frozen=True)
class Spot:
    """Somebody in some chat."""

    chat: str
    sender: str
    door: Door

    @property
    def kind(self) -> ChatKind:
        return ChatKind.GROUP if self.chat.startswith("g") else ChatKind.DIRECT


ADA_ALONE = Spot("c1", "ada", ALONE)
ADA_AND_BOB_MAY = Spot("c1", "ada", BOTH)
GROUP_OF_ADA = Spot("g1", "ada", ALONE)
BOB_ALONE = Spot("c2", "bob", BOTH)
ROOM_OF_ALL = Spot("g2", "bob", ALONE)
GROUP_OF_BOTH = Spot("g2", "bob", BOTH)
ADA_IN_GROUP = Spot("g2", "ada", BOTH)


@asynccontextmanager
async def inn(
    folder: Path, script: Script | ScriptedModel, with_settings: Settings, *, tools: Sequence[Tool] = ()
) -> AsyncIterator[Guesthouse]:
    for name, text in FILES.items():
        path = folder / "memories" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    async with guesthouse(folder, script, with_settings=with_settings, with_memory=True, tools=tools) as house:
        yield house


async def said(house: Guesthouse, text: str, spot: Spot) -> str:
    """Somebody says something; all that answers it."""
    adapter = house.adapter
    before = set(adapter.transcript(spot.chat))
    event = await adapter.say(text, chat=spot.chat, sender=spot.sender, kind=spot.kind)
    await adapter.until(lambda: any(event.event_id in each.event_ids for each in adapter.summaries(spot.chat)))
    return "\n\n".join(seen.text for seen in adapter.transcript(spot.chat) if seen not in before)


def keeps(target: str, content: str) -> Turn:
    return call(target=target, action="add", content=content)


def call(**arguments: Any) -> Turn:
    return Turn(calls=[("memory", arguments)])


def written(folder: Path) -> dict[str, str]:
    """The memory files that are not as they were, with what came."""
    now = {
        str(path.relative_to(folder / "memories")): path.read_text() for path in (folder / "memories").rglob("*.md")
    }
    return {
        name: text.removeprefix(f"{FILES.get(name)}\n§\n") for name, text in now.items() if FILES.get(name) != text
    }


def sent(requests: Sequence[Request]) -> str:
    """All that a model was sent, to the letter: prompts, tools, answers of tools."""
    return "\n".join(repr(each) for each in requests)


def seen(requests: Sequence[Request]) -> set[str]:
    return {name for name, text in FILES.items() if text in sent(requests)}


def offered(request: Request) -> list[str]:
    """The stores that the memory tool is offered for."""
    found = [tool.parameters["properties"]["target"]["enum"] for tool in request.tools if tool.name == "memory"]
    return found[0] if found else []


MINE = {"MEMORY.md", "USER.md"}
SHARED = "MEMORY.md"
HIS, HERS, ITS = "people/inprocess-bob.md", "people/inprocess-ada.md", "rooms/inprocess-g2.md"
