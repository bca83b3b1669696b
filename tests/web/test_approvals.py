"""Deciding on the dashboard: exactly what was shown, once, by whoever may; and the truth about what is decided."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from memory.model import Action, Operation, Target
from memory.skills.model import SkillAction, SkillOperation, SkillStaged
from tests.web.stage import OPERATOR, OWNER, USER, dashboard_stage
from tests.web.wishes import (
    WHO,
    entries,
    keep,
    learn_deploy,
    pending,
    seen,
    skill_pending,
    waiting,
    wish,
    wish_for_deploy,
    wish_to_add,
)

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)> {{ 7*7 }} "\'&'


async def test_what_waits_is_shown_in_full_with_its_risks_and_where_it_came_from(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She drinks green tea at four.")
        name = wish(stage, Operation(Action.PATCH, content="black tea", old_text="green tea"))
        page = (await (await stage.client(OPERATOR)).get("/approvals")).text
        assert '<del class="diff-del">green</del>' in page
        assert '<ins class="diff-add">black</ins>' in page
        assert "Wished for after reading text from outside (“document”) that nobody vouches for." in page
        assert "wished for in a conversation, telegram:111" in page
        assert name in page
        assert "USER.md: 29/1,375 characters now, 29/1,375 with it." in page


async def test_approving_makes_the_change_and_the_page_says_who_did_it(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada = await stage.client(OWNER)
        answer = await ada.submit(f"/pending/memory/{name}/approve", seen=seen(stage, name), back="/approvals")
        assert (answer.url.path, "Approved: add «She is a baker.»" in answer.text) == ("/approvals", True)
        assert "Nothing waits." in answer.text
        assert entries(stage) == ("She is a baker.",)
        page = (await ada.get(f"/pending/memory/{name}")).text
        assert "was approved by <strong>telegram:111</strong>" in page
        memory = stage.app.engine.ports.memory
        assert memory is not None
        change = memory.stores.history(1)[0]
        assert f'href="/memory/history?change={change.id}#{change.id}"' in page
        assert (change.author.who, change.author.pending) == (OWNER, name)


async def test_rejecting_changes_nothing(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        bob = await stage.client(OPERATOR)
        answer = await bob.submit(f"/pending/memory/{name}/reject", seen=seen(stage, name))
        assert "was rejected by <strong>telegram:222</strong>" in answer.text
        assert "Nothing was changed." in answer.text
        assert entries(stage) == ()


async def test_of_two_decisions_at_once_one_counts_and_the_other_is_told_so(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada, bob = await stage.client(OWNER), await stage.client(OPERATOR)
        mark = seen(stage, name)
        yes, no = await asyncio.gather(
            ada.submit(f"/pending/memory/{name}/approve", seen=mark),
            bob.submit(f"/pending/memory/{name}/reject", seen=mark),
        )
        kept = entries(stage) == ("She is a baker.",)
        result, who = ("approved", OWNER) if kept else ("rejected", OPERATOR)
        for answer in (yes, no):
            assert f"was {result} by <strong>{who}</strong>" in answer.text
        loser = no if kept else yes
        assert f"was {result} already, by {who}" in loser.text


async def test_what_was_decided_on_the_phone_meanwhile_is_not_decided_again(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada, mark = await stage.client(OWNER), seen(stage, name)
        pending(stage).resolver.reject(name, OPERATOR)
        answer = await ada.submit(f"/pending/memory/{name}/approve", seen=mark, back="/approvals")
        assert answer.url.path == f"/pending/memory/{name}"
        assert "was rejected by <strong>telegram:222</strong>" in answer.text
        assert entries(stage) == ()


async def test_a_write_that_was_edited_in_between_is_looked_at_again(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada, mark = await stage.client(OWNER), seen(stage, name)
        bob = await stage.client(OPERATOR)
        edited = await bob.submit(f"/pending/memory/{name}/edit", seen=mark, text="She is a butcher.")
        heir = edited.url.path.rpartition("/")[2]
        answer = await ada.submit(f"/pending/memory/{name}/approve", seen=mark)
        assert (entries(stage), waiting(stage, heir).changes[0].after) == ((), "She is a butcher.")
        assert "was edited by <strong>telegram:222</strong>" in answer.text
        assert f'href="/pending/memory/{heir}"' in answer.text


@pytest.mark.parametrize("action", ["approve", "reject", "edit"])
async def test_a_write_whose_file_was_changed_is_not_decided_by_what_was_shown_before(tmp_path: Path, action: str):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada, mark = await stage.client(OWNER), seen(stage, name)
        file = stage.folder / "pending" / "memory" / f"{name}.json"
        held = json.loads(file.read_text())
        held["payload"]["changes"][0]["after"] = "She is a thief."
        file.write_text(json.dumps(held))
        answer = await ada.submit(f"/pending/memory/{name}/{action}", seen=mark, text="She is a judge.")
        assert "it changed since it was shown; look again" in answer.text
        assert (entries(stage), waiting(stage, name).changes[0].after) == ((), "She is a thief.")
        assert "She is a thief." in answer.text


async def test_a_decision_that_does_not_say_what_was_shown_is_none(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada = await stage.client(OWNER)
        for action in ("approve", "reject", "edit"):
            answer = await ada.submit(f"/pending/memory/{name}/{action}", text="Another text.")
            assert "did not say what it showed" in answer.text
        assert (entries(stage), pending(stage).resolver.pendings.ids()) == ((), [name])


async def test_an_entry_that_changed_under_a_pending_write_is_not_overwritten(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She drinks green tea.")
        name = wish(stage, Operation(Action.PATCH, content="black tea", old_text="green tea"))
        file = stage.folder / "memories" / "USER.md"
        file.write_text("She drinks green tea at four.")
        ada = await stage.client(OWNER)
        assert "As things are it cannot be carried out" in (await ada.get(f"/pending/memory/{name}")).text
        answer = await ada.submit(f"/pending/memory/{name}/approve", seen=seen(stage, name))
        assert "waits on: The entry changed since this was put aside" in answer.text
        assert file.read_text() == "She drinks green tea at four."


async def test_an_edit_passes_the_same_checks_as_in_the_chat_and_keeps_what_was_typed(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada, path = await stage.client(OWNER), f"/pending/memory/{name}/edit"
        form = (await ada.get(path)).text
        assert 'data-rest="0" data-limit="1375"' in form
        assert "15/1,375 characters" in form
        keep(stage, "y" * 1300)
        too_long = await ada.submit(path, seen=seen(stage, name), text="x" * 73)
        assert (too_long.status_code, "x" * 73 in too_long.text) == (422, True)
        assert "too full for it (1,300/1,375 characters). Free at least 1 character first." in too_long.text
        split = await ada.submit(path, seen=seen(stage, name), text="one\n§\ntwo")
        assert (split.status_code, "would split the entry in two" in split.text) == (422, True)
        assert waiting(stage, name).changes[0].after == "She is a baker."


async def test_the_count_of_an_edit_has_the_separator_and_the_other_entries_in_it(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "1234567890")
        added = wish_to_add(stage, "abc")
        patched = wish(stage, Operation(Action.PATCH, content="12345", old_text="1234567890"))
        ada = await stage.client(OWNER)
        assert 'data-rest="13"' in (await ada.get(f"/pending/memory/{added}/edit")).text
        assert 'data-rest="0"' in (await ada.get(f"/pending/memory/{patched}/edit")).text


async def test_a_removal_has_no_text_to_edit(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "She is a baker.")
        name = wish(stage, Operation(Action.REMOVE, old_text="She is a baker."))
        ada = await stage.client(OWNER)
        assert f"/pending/memory/{name}/edit" not in (await ada.get("/approvals")).text
        assert "has no single text" in (await ada.get(f"/pending/memory/{name}/edit")).text


async def test_a_change_of_a_skill_shows_every_file_side_by_side_and_is_made_as_shown(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        name = wish_for_deploy(stage)
        ada = await stage.client(OWNER)
        page = (await ada.get(f"/pending/skills/{name}")).text
        for path in ("ops/deploy/SKILL.md", "ops/deploy/scripts/push.sh", "ops/deploy/references/rollback.md"):
            assert f'<code class="file-path">{path}</code>' in page
        assert '<ins class="diff-add">all</ins>' in page
        assert "unchanged lines</summary>" in page
        assert "11. Write down what was odd." in page
        gate = skill_pending(stage)
        write = next(each for each in gate.resolver.pendings.waiting() if each.id == name)
        answer = await ada.submit(f"/pending/skills/{name}/approve", seen=gate.resolver.pendings.mark(write))
        assert "was approved by <strong>telegram:111</strong>" in answer.text
        assert "2. Run all tests." in (stage.folder / "skills" / "ops" / "deploy" / "SKILL.md").read_text()
        assert (stage.folder / "skills" / "ops" / "deploy" / "references" / "rollback.md").read_text() == "# Back\n"


async def test_a_change_that_is_too_long_for_the_list_is_decided_on_its_own_page(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        skills = stage.app.engine.ports.skills
        assert skills is not None
        long = SkillOperation(SkillAction.WRITE_FILE, "deploy", "a\n" * 100_000, file="references/long.md")
        outcome = skills.store.apply([long], WHO)
        assert isinstance(outcome, SkillStaged)
        here, short = f"/pending/skills/{outcome.pending_id}", wish_to_add(stage, "She is a baker.")
        ada = await stage.client(OWNER)
        page = (await ada.get("/approvals")).text
        assert "Read it and decide" in page
        assert f'action="{here}/approve"' not in page
        assert f'action="/pending/memory/{short}/approve"' in page
        whole = (await ada.get(here)).text
        assert whole.count("a\n") >= 99_999  # nothing is left out of what is approved
        assert whole.count("<tr") < 20
        assert f'action="{here}/approve"' in whole


@pytest.mark.parametrize("listed", [True, False])
async def test_what_a_dead_process_was_deciding_waits_again_when_somebody_looks(tmp_path: Path, listed: bool):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        folder = stage.profile.pending / "memory"
        (folder / f"{name}.json").rename(folder / f"{name}.approve.telegram%3A222.claimed")
        page = (await (await stage.client(OWNER)).get("/approvals" if listed else f"/pending/memory/{name}")).text
        assert "right now" not in page
        assert f'action="/pending/memory/{name}/approve"' in page


async def test_who_is_no_operator_sees_and_decides_nothing(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        mallory, here = await stage.client(USER), f"/pending/memory/{name}"
        answers = [await mallory.get(path) for path in ("/approvals", here, f"{here}/edit", f"{here}/source")]
        mark = seen(stage, name)
        answers += [
            await mallory.submit(f"{here}/{act}", seen=mark, text="x") for act in ("approve", "reject", "edit")
        ]
        assert [each.status_code for each in answers] == [403] * 7
        assert not any("She is a baker." in each.text for each in answers)
        assert (entries(stage), pending(stage).resolver.pendings.ids()) == ((), [name])


async def test_a_decision_needs_the_token_of_a_page_of_ours(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a baker.")
        ada, path = await stage.client(OWNER), f"/pending/memory/{name}/approve"
        without = await ada.post(path, data={"seen": seen(stage, name)})
        forged = await ada.post(path, data={"seen": seen(stage, name), "csrf": "0" * 64})
        async with stage.stranger() as stranger:
            nobody = await stranger.post(path, data={"seen": seen(stage, name)})
        assert [each.status_code for each in (without, forged, nobody)] == [403, 403, 401]
        assert (await ada.get(path)).status_code == 405
        assert entries(stage) == ()


async def test_text_that_would_run_is_only_text(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, f"{HOSTILE} before")
        added = wish(stage, Operation(Action.ADD, content=HOSTILE), Target.MEMORY)
        wish(stage, Operation(Action.PATCH, content=f"{HOSTILE} after", old_text=f"{HOSTILE} before"))
        ada = await stage.client(OWNER)
        for path in ("/approvals", f"/pending/memory/{added}", f"/pending/memory/{added}/edit"):
            page = (await ada.get(path)).text
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "&lt;script&gt;" in page
            assert "{{ 7*7 }}" in page
        answer = await ada.submit(f"/pending/memory/{added}/approve", seen=seen(stage, added), back="/approvals")
        assert "<script>alert" not in answer.text
        assert HOSTILE in entries(stage, Target.MEMORY)


async def test_a_file_that_is_no_pending_write_can_be_rejected(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        folder = stage.folder / "pending" / "memory"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "0badf11e.json").write_text("{}")
        ada = await stage.client(OWNER)
        assert "It cannot be carried out" in (await ada.get("/approvals")).text
        answer = await ada.submit("/pending/memory/0badf11e/reject", back="/approvals")
        assert "Nothing waits." in answer.text
        assert not (folder / "0badf11e.json").exists()


@pytest.mark.parametrize(
    "path", ["/pending/memory/01234567", "/pending/memory/..%2f..%2fconfig", "/pending/no/01234567"]
)
async def test_what_never_waited_is_not_found(tmp_path: Path, path: str):
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client(OWNER)
        assert (await ada.get(path)).status_code == 404


async def test_many_writes_are_shown_in_pages(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        names = [wish_to_add(stage, f"Fact number {number}.") for number in range(23)]
        ada = await stage.client(OWNER)
        first, second = (await ada.get("/approvals")).text, (await ada.get("/approvals?page=2")).text
        assert sum(f'id="w-memory-{name}"' in first for name in names) == 20
        assert all((f'id="w-memory-{name}"' in first) != (f'id="w-memory-{name}"' in second) for name in names)
