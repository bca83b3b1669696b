"""The journey's pages without JavaScript: everything is read, edited, deleted and brought back by plain forms."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from gateway.config.paths import Profile
from gateway.web.journey import PER_PAGE, Wish, list_page
from memory.journey.model import Node, Timeline
from memory.model import Author, Origin, Target
from memory.skills.model import SkillAction, SkillOperation
from tests.web.galaxy import ROOM, galaxy
from tests.web.stage import OPERATOR, OWNER, USER, Stage, dashboard_stage
from tests.web.wishes import DEPLOY, entries, keep

UNDO = re.compile(r'action="(/journey/[^"]+/undo)">\s+<input[^>]+>\s+<button[^>]+>Undo this change')

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)> {{ 7*7 }} "\'& </textarea></template>'


WAS = re.compile(r'/delete">\s*<input[^>]+>\s*<input type="hidden" name="was" value="([^"]*)">')


def delete_form(page: str) -> str:
    """The text that the form which deletes says that it showed."""
    found = WAS.search(page)
    assert found is not None
    return html.unescape(found[1])


async def sky(stage: Stage, query: str = "") -> dict[str, dict[str, object]]:
    """What the map is drawn from: the nodes by their ids."""
    told = (await (await stage.client()).get(f"/journey.json{query}")).json()
    return {row[0]: dict(zip(told["fields"], row, strict=True)) for row in told["nodes"]}


async def test_what_was_learnt_is_listed_newest_first_with_its_date(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "Ada drinks green tea.")
        keep(stage, "The shop opens at nine.", Target.MEMORY)
        page = (await (await stage.client()).get("/journey")).text
        assert page.index("The shop opens at nine.") < page.index("Ada drinks green tea.")
        assert "2 things" in page
        assert 'aria-current="page">Journey</a>' in page


async def test_the_map_is_told_the_same_oldest_first_in_compact_rows_with_what_joins_them(tmp_path: Path):
    async with dashboard_stage(tmp_path, config={"skills": {"write_approval": False}}) as stage:
        skills = stage.app.engine.ports.skills
        assert skills is not None
        skills.store.apply([SkillOperation(SkillAction.CREATE, "deploy", DEPLOY)], Author(Origin.FOREGROUND))
        name = keep(stage, "The skill deploy is used on Fridays.")
        told = (await (await stage.client()).get("/journey.json")).json()
        assert told["fields"][:4] == ["id", "kind", "title", "text"]
        assert [row[:2] for row in told["nodes"]] == [["skill:deploy", "skill"], [name, "user"]]
        assert told["edges"] == [[0, 1, "named"]]
        page = (await (await stage.client()).get("/journey/skill:deploy")).text
        assert "The skill deploy is used on Fridays.</a>" in page
        assert "11. Write down what was odd." in page  # the whole file, to be edited


async def test_a_skill_is_put_away_and_brought_back(tmp_path: Path):
    async with dashboard_stage(tmp_path, config={"skills": {"write_approval": False}}) as stage:
        skills = stage.app.engine.ports.skills
        assert skills is not None
        skills.store.apply([SkillOperation(SkillAction.CREATE, "deploy", DEPLOY)], Author(Origin.FOREGROUND))
        ada = await stage.client()
        assert "Put away" in (await ada.submit("/journey/skill:deploy/delete")).text
        assert (await sky(stage, "?gone=1"))["skill:deploy"]["state"] == "archived"
        await ada.submit("/journey/skill:deploy/undo")
        assert (await sky(stage))["skill:deploy"]["state"] == "kept"


async def test_a_text_is_edited_and_the_edit_taken_back(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, "Ada drinks green tea.")
        ada = await stage.client()
        page = (await ada.get(f"/journey/{name}")).text
        assert ">\nAda drinks green tea.</textarea>" in page
        answer = await ada.submit(
            f"/journey/{name}/edit", text="Ada drinks black tea,\r\nno sugar.", was="Ada drinks green tea."
        )
        assert entries(stage) == ("Ada drinks black tea,\nno sugar.",)
        assert answer.url.path == "/journey"
        assert "Changed in USER.md" in answer.text
        undo = re.search(
            r'action="(/journey/[^"]+/undo)">\s+<input[^>]+>\s+<button[^>]+>Undo this change', answer.text
        )
        assert undo is not None
        assert "Taken back" in (await ada.submit(undo[1])).text
        assert entries(stage) == ("Ada drinks green tea.",)


async def test_what_changed_since_it_was_shown_is_not_overwritten_and_nothing_typed_is_lost(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, "Ada drinks green tea.")
        ada, phone = await stage.client(), await stage.client()
        await phone.submit(f"/journey/{name}/edit", text="Ada drinks coffee.", was="Ada drinks green tea.")
        late = await ada.submit(f"/journey/{name}/edit", text="Ada drinks <mate>.", was="Ada drinks green tea.")
        assert late.status_code == 422
        assert "It was changed meanwhile; nothing was written." in late.text
        assert "Ada drinks &lt;mate&gt;.</textarea>" in late.text
        assert entries(stage) == ("Ada drinks coffee.",)


async def test_what_changed_since_it_was_shown_is_not_deleted(tmp_path: Path):
    async with dashboard_stage(tmp_path, config={"skills": {"write_approval": False}}) as stage:
        skills = stage.app.engine.ports.skills
        assert skills is not None
        skills.store.apply([SkillOperation(SkillAction.CREATE, "deploy", DEPLOY)], Author(Origin.FOREGROUND))
        name = keep(stage, "Ada drinks green tea.")
        ada, phone = await stage.client(), await stage.client()
        shown = {each: delete_form((await ada.get(f"/journey/{each}")).text) for each in (name, "skill:deploy")}
        assert shown == {name: "Ada drinks green tea.", "skill:deploy": DEPLOY}
        await phone.submit(f"/journey/{name}/edit", text="Ada drinks coffee.", was="Ada drinks green tea.")
        late = await ada.submit(f"/journey/{name}/delete", was=shown[name].replace("\n", "\r\n"))
        assert "It was changed meanwhile; nothing was written." in late.text
        assert entries(stage) == ("Ada drinks coffee.",)
        done = await ada.submit("/journey/skill:deploy/delete", was=DEPLOY.replace("\n", "\r\n"))
        assert "Put away" in done.text


async def test_a_skill_with_line_ends_of_its_own_is_compared_as_well(tmp_path: Path):
    async with dashboard_stage(tmp_path, config={"skills": {"write_approval": False}}) as stage:
        skills = stage.app.engine.ports.skills
        assert skills is not None
        skills.store.apply([SkillOperation(SkillAction.CREATE, "deploy", DEPLOY)], Author(Origin.FOREGROUND))
        file = skills.library.root / "deploy" / "SKILL.md"
        file.write_bytes(DEPLOY.replace("\n", "\r\n").encode())
        ada = await stage.client()
        shown = delete_form((await ada.get("/journey/skill:deploy")).text).replace("\r\n", "\n")
        assert shown == DEPLOY  # as a browser reads it
        file.write_bytes(DEPLOY.replace("Build", "Bake").replace("\n", "\r\n").encode())
        text, was = DEPLOY.replace("Push", "Put"), shown.replace("\n", "\r\n")
        late = await ada.submit("/journey/skill:deploy/edit", text=text, was=was)
        assert (late.status_code, "It was changed meanwhile" in late.text) == (422, True)
        file.write_bytes(DEPLOY.replace("\n", "\r\n").encode())
        assert "Changed" in (await ada.submit("/journey/skill:deploy/edit", text=text, was=was)).text
        assert "5. Put the image." in file.read_text()


async def test_dates_that_no_clock_shows_do_not_break_a_page(tmp_path: Path):
    def mangle(profile: Profile) -> None:
        galaxy(3)(profile)
        journal = profile.memories / "journal.jsonl"
        dates = iter(("0001-01-01T00:00", "9999-12-31T23:59", "1969-02-28T00:00"))
        journal.write_text(re.sub(r'(?<="time": ").{16}', lambda _: next(dates), journal.read_text()))

    for zone in ("America/New_York", "Pacific/Kiritimati"):
        config = {"gateway": {"timezone": zone, "drain_seconds": 1}}
        async with dashboard_stage(tmp_path / zone, config=config, before=mangle) as stage:
            ada = await stage.client()
            paths = ("/memory", "/memory/history", "/journey", "/journey.json", "/journey/0000000a")
            assert [(await ada.get(path)).status_code for path in paths] == [200] * len(paths)
            journey = stage.app.engine.ports.journey
            assert journey is not None
            timeline = await journey.timeline()
            assert len(timeline.nodes) == 3
            assert (await journey.drawn(timeline, [])).startswith(b"\x89PNG")


async def test_every_change_makes_another_list_wherever_it_is(tmp_path: Path):
    """What is open beside the list is looked at again when the list is another one."""
    async with dashboard_stage(tmp_path) as stage:
        keep(stage, "The shop opens at nine.")
        gone = keep(stage, "Ada drinks green tea.")
        keep(stage, "Grace prefers short answers.")
        ada = await stage.client()
        query = "/journey?q=grace"
        before = (await ada.get(query)).text.partition("star-list")[2]
        assert (await ada.get(query)).text.partition("star-list")[2] == before
        await ada.submit(f"/journey/{gone}/delete")
        assert (await ada.get(query)).text.partition("star-list")[2] != before


async def test_an_empty_text_is_asked_for_again(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, "Ada drinks green tea.")
        answer = await (await stage.client()).submit(f"/journey/{name}/edit", text="  \r\n ")
        assert (answer.status_code, "the text is empty" in answer.text) == (422, True)
        assert entries(stage) == ("Ada drinks green tea.",)


async def test_what_is_deleted_leaves_the_list_stays_among_what_is_gone_and_can_be_brought_back(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, "Ada drinks green tea.")
        ada = await stage.client()
        answer = await ada.submit(f"/journey/{name}/delete")
        assert "Removed from USER.md" in answer.text
        assert "Nothing was learnt yet." in answer.text
        assert await sky(stage) == {}
        assert (await sky(stage, "?gone=1"))[name]["state"] == "removed"
        gone = (await ada.get("/journey?gone=1")).text
        assert "star-line--gone" in gone
        page = (await ada.get(f"/journey/{name}")).text
        assert ("Bring back" in page, "<textarea" in page) == (True, False)
        await ada.submit(f"/journey/{name}/undo")
        assert entries(stage) == ("Ada drinks green tea.",)


async def test_the_list_is_filtered_and_paged_by_plain_addresses(tmp_path: Path):
    async with dashboard_stage(tmp_path, config=ROOM, before=galaxy(120)) as stage:
        ada = await stage.client()
        page = (await ada.get("/journey")).text
        assert page.count("data-star=") == PER_PAGE
        assert ("120 things" in page, "1 of 3" in page) == (True, True)
        last = (await ada.get("/journey?page=3")).text
        assert last.count("data-star=") == 120 - 2 * PER_PAGE
        assert (await ada.get("/journey?page=999999999999")).text.count("data-star=") == PER_PAGE
        assert (await ada.get("/journey?page=4")).text.count("data-star=") == 120 - 2 * PER_PAGE
        found = (await ada.get("/journey", params={"q": "(NO. 7).", "kind": "nonsense"})).text
        assert found.count("data-star=") == 1
        people = (await ada.get("/journey?kind=user&page=1")).text
        assert 0 < people.count("mark--user") - people.count("mark--memory") <= PER_PAGE


async def test_hostile_texts_are_text_everywhere(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, HOSTILE)
        ada = await stage.client()
        for path in ("/journey", f"/journey/{name}", "/journey?q=%3Cscript%3Ealert(9)%3C/script%3E&undo=%3Cb%3E"):
            page = (await ada.get(path)).text
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "7*7" in page or "q=" in path
            assert "<b>" not in page
        told = await ada.get("/journey.json")
        assert told.headers["content-type"] == "application/json"
        assert json.loads(told.text)["nodes"][0][3] == HOSTILE
        assert "49" not in (await ada.get(f"/journey/{name}")).text.split("<h1>")[1].split("</h1>")[0]


async def test_only_operators_see_it_and_forms_need_their_token(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = keep(stage, "Ada drinks green tea.")
        mallory, bob = await stage.client(USER), await stage.client(OPERATOR)
        paths = ("/journey", "/journey.json", f"/journey/{name}", f"/journey/{name}/source")
        async with stage.stranger() as nobody:
            for path in paths:
                assert (await mallory.get(path)).status_code == 403
                assert "green tea" not in (await nobody.get(path)).text
        for does in ("edit", "delete", "undo"):
            answer = await mallory.submit(f"/journey/{name}/{does}", text="Mallory owns the house.")
            assert answer.status_code == 403
            assert (await bob.post(f"/journey/{name}/{does}", data={"text": "No token."})).status_code == 403
        assert entries(stage) == ("Ada drinks green tea.",)


async def test_what_nobody_learnt_is_not_found(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client(OWNER)
        assert (await ada.get("/journey/ffffffff")).status_code == 404
        answer = await ada.submit("/journey/ffffffff/delete")
        assert "Nothing that was learnt has the id" in answer.text


async def test_where_it_was_said_is_said_to_be_gone_when_it_is(tmp_path: Path):
    async with dashboard_stage(tmp_path, config=ROOM, before=galaxy(1)) as stage:
        ada = await stage.client()
        answer = await ada.get("/journey/0000000a/source")
        assert answer.url.path in ("/sessions/session-0", "/journey/0000000a")


def test_a_list_of_nothing_has_one_page() -> None:
    page = list_page(Timeline((), ()), Wish(), "0")
    assert (page.number, page.count, page.rows, page.newer, page.older) == (1, 1, [], "", "")


def test_a_page_keeps_the_wish_in_the_addresses_of_its_neighbours() -> None:
    nodes = tuple(Node(f"{n:08x}", "user", f"tea {n}", "tea & more", float(n), float(n)) for n in range(120))
    page = list_page(Timeline(nodes, ()), Wish("TEA &", "user"), "2")
    assert (page.newer, page.older) == (
        "/journey?q=TEA+%26&kind=user&page=1",
        "/journey?q=TEA+%26&kind=user&page=3",
    )
    assert page.words == "120 things that fit"
