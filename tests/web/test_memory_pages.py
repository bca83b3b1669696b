"""Memory on the dashboard: exact figures, provenance, changes by the commands, each undone as it was made."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands.context import Context
from commands.registry import built_in
from commands.spec import Arguments, Role
from gateway.web.memory_view import key_of
from memory.model import Action, Author, Operation, Origin, Target
from platforms.messages import ChatRef
from tests.web.stage import OPERATOR, OWNER, USER, Stage, Visitor, dashboard_stage
from tests.web.talks import ADAS, talked
from tests.web.wishes import entries, keep

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)>'


async def changed(visitor: Visitor, old: str, new: str, store: str = "user"):
    return await visitor.submit("/memory/edit", store=store, entry=key_of(old), text=new)


def history(stage: Stage) -> list[Author]:
    memory = stage.app.engine.ports.memory
    assert memory is not None
    return [each.author for each in memory.stores.history()]


async def test_files_are_shown_with_exact_figures_dates_and_provenance(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She is a baker.")
        keep(stage, "She lives in Turin.")
        page = (await (await stage.client(OWNER)).get("/memory")).text
        assert "37 of 1,375 characters (2 %)" in page
        assert "0 of 2,200 characters (0 %)" in page
        assert "kept <time" in page
        assert "by an order, telegram:111" in page


async def test_an_entry_written_by_hand_says_so_and_can_be_edited_and_removed(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        (stage.folder / "memories" / "USER.md").write_text("By hand.\n§\nall!")
        ada = await stage.client(OWNER)
        assert "written into the file by hand" in (await ada.get("/memory")).text
        answer = await changed(ada, "By hand.", "By my own hand.")
        assert "✏️ Changed in USER.md" in answer.text
        assert "/memory undo" not in answer.text
        assert entries(stage) == ("By my own hand.", "all!")
        await ada.submit("/memory/remove", store="user", entry=key_of("all!"))
        assert entries(stage) == ("By my own hand.",)


async def test_an_entry_is_added_to_the_file_that_was_chosen(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client(OWNER)
        answer = await ada.submit("/memory", store="memory", text="user: the word stays")
        assert "💾 Kept in MEMORY.md" in answer.text
        assert (entries(stage), entries(stage, Target.MEMORY)) == ((), ("user: the word stays",))
        assert history(stage)[0].who == OWNER


async def test_a_change_is_in_the_history_with_both_texts_and_is_undone_to_the_letter(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She drinks green tea.")
        before = (stage.folder / "memories" / "USER.md").read_bytes()
        ada = await stage.client(OWNER)
        await changed(ada, "She drinks green tea.", "She drinks black tea.")
        page = (await ada.get("/memory/history")).text
        assert '<del class="diff-del">green</del>' in page
        assert '<ins class="diff-add">black</ins>' in page
        name = re.findall(r'<article class="card change" id="([0-9a-f]+)"', page)[0]
        answer = await ada.submit("/memory/undo", id=name)
        assert (stage.folder / "memories" / "USER.md").read_bytes() == before
        assert "taken back" in answer.text
        again = await ada.submit("/memory/undo", id=name)
        assert 'class="flash flash--bad"' in again.text
        assert (stage.folder / "memories" / "USER.md").read_bytes() == before


async def test_an_entry_that_changed_since_it_was_shown_is_neither_edited_nor_removed(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She drinks tea.")
        ada = await stage.client(OWNER)
        (stage.folder / "memories" / "USER.md").write_text("She drinks tea. And coffee.")
        edited = await changed(ada, "She drinks tea.", "She drinks water.")
        removed = await ada.submit("/memory/remove", store="user", entry=key_of("She drinks tea."))
        for answer in (edited, removed):
            assert "The entry changed since it was shown, or is gone" in answer.text
        assert entries(stage) == ("She drinks tea. And coffee.",)


async def test_an_edit_passes_the_checks_of_the_command_and_keeps_what_was_typed(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She drinks tea.")
        ada = await stage.client(OWNER)
        form = await ada.get("/memory/edit", params={"store": "user", "entry": key_of("She drinks tea.")})
        assert 'data-rest="0" data-limit="1375"' in form.text
        answer = await changed(ada, "She drinks tea.", "z" * 1376)
        assert (answer.status_code, "z" * 1376 in answer.text, "Not saved." in answer.text) == (422, True, True)
        empty = await changed(ada, "She drinks tea.", " ")
        assert (empty.status_code, "remove the entry instead" in empty.text) == (422, True)
        assert entries(stage) == ("She drinks tea.",)


async def test_trouble_with_a_file_is_shown_and_the_other_file_too(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "The shop is shut on Mondays.", Target.MEMORY)
        (stage.folder / "memories" / "USER.md").write_bytes(b"\xff\xfe")
        page = (await (await stage.client(OWNER)).get("/memory")).text
        assert "It cannot be read; until then nothing is written to it." in page
        assert 'class="flash flash--bad"' in page
        assert "The shop is shut on Mondays." in page
        (stage.folder / "memories" / "USER.md").write_text("w" * 1400)
        page = (await (await stage.client(OWNER)).get("/memory")).text
        assert "is over its limit by 25 characters" in page


async def test_text_that_would_run_is_only_text(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, HOSTILE)
        ada = await stage.client(OWNER)
        query = f"store=user&entry={key_of(HOSTILE)}"
        for path in ("/memory", "/memory/history", f"/memory/edit?{query}"):
            page = (await ada.get(path)).text
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "&lt;script&gt;" in page
        answer = await ada.submit("/memory/remove", store="user", entry=key_of(HOSTILE))
        assert "<script>alert" not in answer.text
        assert "Removed from USER.md" in answer.text


async def test_a_change_leads_to_the_message_that_it_came_from(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        memory = stage.app.engine.ports.memory
        assert memory is not None
        author = Author(Origin.REVIEW, session="no-such-session", message="review:1", chat=OWNER)
        memory.stores.apply(Target.USER, [Operation(Action.ADD, content="She is a baker.")], author)
        name = memory.stores.history(1)[0].id
        ada = await stage.client(OWNER)
        ada.follow_redirects = False
        answer = await ada.get(f"/memory/history/{name}/source")
        assert (answer.status_code, answer.headers["location"]) == (303, "/sessions/no-such-session")
        assert (await ada.get("/memory/history/0000/source")).headers["location"] == "/memory/history"


async def test_it_leads_to_the_very_message_of_the_turn(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        store, memory = stage.app.engine.house.store, stage.app.engine.ports.memory
        assert memory is not None
        rows = await store.turns.messages(ADAS)
        said = next(each for each in rows if each.row.role == "user" and each.turn_id is not None)
        author = Author(Origin.FOREGROUND, session=ADAS, message=f"turn:{said.turn_id}", chat=OWNER)
        memory.stores.apply(Target.USER, [Operation(Action.ADD, content="She has a machine.")], author)
        ada = await stage.client(OWNER)
        answer = await ada.get(f"/memory/history/{memory.stores.history(1)[0].id}/source")
        assert answer.status_code == 200
        assert str(answer.url).endswith(f"/sessions/{ADAS}?at={said.id}#m{said.id}")
        assert f'id="m{said.id}"' in answer.text


async def test_an_order_about_an_entry_that_is_gone_is_about_no_other(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She drinks tea. And coffee.")
        ports, registry = stage.app.engine.ports, built_in()
        context = Context(Role.OWNER, "web", ports, registry, chat=ChatRef.parse(OWNER), who=OWNER)
        memory, forget = registry.get("memory"), registry.get("forget")
        assert memory is not None
        assert forget is not None
        edit = memory.action("edit")
        assert edit is not None
        assert forget.handler is not None
        gone = {"id": "user", "entry": "She drinks tea.", "text": "She drinks water."}
        edited = await edit.handler(context, Arguments(gone))
        removed = await forget.handler(context, Arguments({"text": "She drinks tea.", "store": "user"}))
        assert (edited.ok, removed.ok, entries(stage)) == (False, False, ("She drinks tea. And coffee.",))


@pytest.mark.parametrize("who", [OPERATOR, USER])
async def test_whoever_does_not_own_the_files_sees_and_changes_nothing_of_them(tmp_path: Path, who: str):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, "She is a baker.")
        visitor = await stage.client(who)
        answers = [
            await visitor.get(path) for path in ("/memory", "/memory/history", f"/memory/history/{name}/source")
        ]
        answers += [
            await visitor.submit("/memory", store="user", text="I am the owner."),
            await visitor.submit("/memory/remove", store="user", entry=key_of("She is a baker.")),
            await visitor.submit("/memory/undo", id=name),
            await changed(visitor, "She is a baker.", "She is a thief."),
        ]
        assert entries(stage) == ("She is a baker.",)
        assert not any("She is a baker." in each.text for each in answers)


async def test_with_files_for_each_person_everybody_sees_their_own(tmp_path: Path):
    async with dashboard_stage(tmp_path, config={"memory": {"scope": "person"}}) as stage:
        keep(stage, "She is a baker.")
        mallory = await stage.client(USER)
        await mallory.submit("/memory", store="user", text="I grow roses.")
        page = (await mallory.get("/memory")).text
        assert ("I grow roses." in page, "She is a baker." in page) == (True, False)
        assert entries(stage) == ("She is a baker.",)
