"""Where a chat sends its reader on to the dashboard: only when there is a page to be read."""

from __future__ import annotations

from pathlib import Path

from commands.context import Context
from commands.registry import built_in
from commands.reply import CommandReply
from commands.spec import Arguments, Role
from memory.model import Author, Origin
from memory.skills.model import SkillAction, SkillOperation, SkillStaged
from platforms.messages import ChatRef
from tests.web.stage import OWNER, Stage, dashboard_stage

LONG = "---\nname: long\ndescription: Long.\n---\n" + "One more line of many.\n" * 200


async def diff(stage: Stage) -> tuple[str, CommandReply]:
    """A change that is too long for a message: its id, and what `/skills diff` says of it in the owner's chat."""
    ports, registry = stage.app.engine.ports, built_in()
    assert ports.skills is not None
    author = Author(Origin.FOREGROUND, speaker=OWNER, chat=OWNER, flags=("untrusted:document",))
    outcome = ports.skills.store.apply([SkillOperation(SkillAction.CREATE, "long", LONG)], author)
    assert isinstance(outcome, SkillStaged)
    spec = registry.get("skills")
    action = spec.action("diff") if spec is not None else None
    assert action is not None
    context = Context(Role.OWNER, "chat", ports, registry, chat=ChatRef.parse(OWNER), who=OWNER)
    return outcome.pending_id, await action.handler(context, Arguments({"id": outcome.pending_id}))


async def test_a_long_diff_names_its_page_while_the_dashboard_runs(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name, reply = await diff(stage)
        assert f"Side by side: {stage.address}/pending/skills/{name} (/dashboard lets you in)" in reply.text
        page = await (await stage.client(OWNER)).get(f"/pending/skills/{name}")
        assert page.text.count("One more line of many.") == 200


async def test_the_public_address_is_the_one_that_is_named(tmp_path: Path):
    config = {"dashboard": {"port": 0, "public_url": "https://inn.example"}}
    async with dashboard_stage(tmp_path, config=config) as stage:
        name, reply = await diff(stage)
        assert f"Side by side: https://inn.example/pending/skills/{name} " in reply.text


async def test_without_a_dashboard_nothing_is_promised(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await stage.dashboard.close()
        _, reply = await diff(stage)
        assert "Side by side" not in reply.text
        assert reply.file is not None
