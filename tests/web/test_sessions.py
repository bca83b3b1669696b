"""Stored sessions on the dashboard: listed, searched, read, taken away, and nobody else's."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from commands.search_ports import FoundView, SearchTrouble
from commands.spec import Role
from gateway.state.search import SqliteSearch
from gateway.web.pages import Pages, Person, Visit
from gateway.web.sessions import routes
from platforms.messages import ChatRef
from tests.cli.shell import Shell
from tests.fakes.long_ago import EVERYWHERE, LATE, long_ago
from tests.fakes.past import Talk, had
from tests.web.stage import OPERATOR, OWNER, USER, Stage, dashboard_stage
from tests.web.talks import ADAS, BOBS, EVIL, EVIL_CHAT, HOSTILE, LONG, MALLORYS, talked

TITLES = re.compile(r'talkline-title"><a href="([^"]*)">([^<]*)</a>')


def listed(page: str) -> list[str]:
    """The ids of the sessions that a page lists, in order."""
    return [href.removeprefix("/sessions/").partition("?")[0] for href, _ in TITLES.findall(page)]


async def test_sessions_are_listed_by_chat_open_and_pinned(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        assert listed((await ada.get("/sessions")).text) == [LONG, ADAS, MALLORYS, BOBS, HOSTILE]
        assert listed((await ada.get("/sessions?only=open")).text) == [LONG]
        assert listed((await ada.get("/sessions?only=pinned")).text) == [ADAS]
        assert listed((await ada.get("/sessions?chat=telegram:222")).text) == [BOBS]
        assert listed((await ada.get("/sessions?chat=telegram:222&only=pinned")).text) == []
        assert listed((await ada.get("/sessions?only=nonsense&page=x")).text) == [LONG, ADAS, MALLORYS, BOBS, HOSTILE]
        assert "There are no older ones." in (await ada.get("/sessions?page=2")).text


async def test_a_long_list_is_leafed_through(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await had(stage.app.engine.house.store, *(Talk(f"s{number:02}", 60 - number) for number in range(30)))
        ada = await stage.client(OWNER)
        first = (await ada.get("/sessions")).text
        following = re.search(r'href="([^"]+)">Older<', first)
        assert following is not None
        second = (await ada.get(following[1].replace("&amp;", "&"))).text
        assert listed(first) + listed(second) == [f"s{number:02}" for number in range(29, -1, -1)]
        assert ">Newer<" in second
        assert ">Older<" not in second


async def test_searching_is_a_form_and_marks_what_was_found(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        page = (await ada.get("/sessions", params={"q": "espresso"})).text
        assert sorted(listed(page)) == [ADAS, BOBS, MALLORYS]
        assert "Descale the <mark>espresso</mark>" in page
        assert 'name="q" value="espresso"' in page
        hit = re.search(rf'href="(/sessions/{ADAS}\?at=(\d+)#m(\d+))"', page)
        assert hit is not None
        assert hit[2] == hit[3]
        assert f'id="m{hit[2]}"' in (await ada.get(hit[1].partition("#")[0])).text
        assert sorted(listed((await ada.get("/sessions", params={"q": "espresso -bob"})).text)) == [ADAS, MALLORYS]
        assert listed((await ada.get("/sessions", params={"q": '"espresso for Bob"'})).text) == [BOBS]
        assert listed((await ada.get("/sessions", params={"q": "espresso", "chat": "telegram:333"})).text) == [
            MALLORYS
        ]
        nothing = (await ada.get("/sessions", params={"q": "xylophone"})).text
        assert "Nothing was found." in nothing
        odd = (await ada.get("/sessions", params={"q": '") OR 1=1 --'})).text
        assert 'id="results"' in odd


async def test_results_come_alone_for_who_searches_while_typing(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        alone = (await ada.get("/sessions?q=espresso", headers={"X-Fragment": "results"})).text
        assert alone.lstrip().startswith('<section id="results"')
        assert sorted(listed(alone)) == [ADAS, BOBS, MALLORYS]
        assert "<html" not in alone


async def test_many_hits_go_on_where_the_page_ended(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        talks = [Talk(f"s{number:02}", 60 - number, say="the same espresso") for number in range(20)]
        await had(stage.app.engine.house.store, *talks)
        ada = await stage.client(OWNER)
        first = (await ada.get("/sessions?q=espresso")).text
        more = re.search(r'href="([^"]+)">More<', first)
        assert more is not None
        second = (await ada.get(more[1].replace("&amp;", "&"))).text
        assert len(listed(first)) == 15
        assert sorted(listed(first) + listed(second)) == [f"s{number:02}" for number in range(20)]


async def test_a_search_that_stopped_before_the_end_says_so_and_goes_on(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await long_ago(store := stage.app.engine.house.store)
        store.search = SqliteSearch(store.database, LATE)
        ada = await stage.client(OWNER)
        page = (await ada.get("/sessions", params={"q": f'"{EVERYWHERE}"'})).text
        while not listed(page):
            assert "The search stopped before the end" in page
            assert "Nothing was found" not in page
            more = re.search(r'href="([^"]+)">Go on<', page)
            assert more is not None
            page = (await ada.get(more[1].replace("&amp;", "&"))).text
        assert listed(page) == ["old"]


class Broken:
    """A finder whose index is damaged."""

    async def find(
        self, query: str, keys: tuple[str, ...] | None, *, limit: int, more: str | None = None
    ) -> FoundView:
        raise SearchTrouble("The search index is <damaged>.")

    async def around(self, session_id: str, message_id: int, window: int, keys: tuple[str, ...] | None) -> None:
        raise SearchTrouble("The search index is <damaged>.")

    async def asked(self, item_id: int, key: str | None) -> str:
        return ""


async def test_a_search_that_cannot_be_made_is_an_error_and_not_nothing_found(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        engine = stage.app.engine
        ports = replace(engine.ports, finder=Broken())
        pages = Pages(ports, stage.app.registry, engine.house.clock, engine.house.settings, lambda: UTC)
        shown = Starlette(routes=routes(pages))

        async def with_ada(scope: Scope, receive: Receive, send: Send) -> None:
            visit = Visit(Person(OWNER, Role.OWNER, "Ada"), "session", "token")
            await shown(scope | {"innkeeper.visit": visit}, receive, send)

        async with AsyncClient(transport=ASGITransport(with_ada), base_url="http://inn") as ada:
            page = (await ada.get("/sessions?q=espresso")).text
        assert '<p class="flash flash--bad" role="alert">The search index is &lt;damaged&gt;.</p>' in page
        assert "Nothing was found" not in page


async def test_a_transcript_folds_calls_names_files_and_marks_what_nobody_vouches_for(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        page = (await ada.get(f"/sessions/{ADAS}")).text
        assert "Descale the espresso" in page
        assert '<span class="badge filename">manual &lt;b&gt;.pdf</span>' in page
        folded = re.search(r'<details class="call">.*?</details>', page, re.DOTALL)
        assert folded is not None
        assert "<code>session_search</code>" in folded[0]
        assert ">from the web</span>" in folded[0]
        assert "&#34;query&#34;: &#34;espresso&#34;,\n" in folded[0]
        assert "&#34;number&#34;: 0," in folded[0]
        assert "&#34;number&#34;: 79," not in folded[0]
        whole = re.search(r'href="([^"#]+)#(m\d+-text)" data-whole="\2"', folded[0])
        assert whole is not None
        all_of_it = (await ada.get(whole[1])).text
        assert f'id="{whole[2]}"' in all_of_it
        assert "&#34;number&#34;: 79," in all_of_it
        assert "data-whole" not in all_of_it


async def test_a_long_transcript_comes_in_pages_and_a_message_is_found_on_its_own(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        said = re.compile(r"word (\d+) of many<")
        last = (await ada.get(f"/sessions/{LONG}")).text
        assert "Page 3 of 3" in last
        assert [int(each) for each in said.findall(last)] == list(range(60, 90))
        pages = [(await ada.get(f"/sessions/{LONG}?page={number}")).text for number in (1, 2, 3)]
        assert [int(each) for page in pages for each in said.findall(page)] == list(range(90))
        anchor = re.findall(r'<li id="m(\d+)"', pages[0])[4]
        assert f'<li id="m{anchor}"' in (await ada.get(f"/sessions/{LONG}?at={anchor}")).text
        assert (await ada.get(f"/sessions/{LONG}?at=99999999&page=nonsense")).status_code == 200
        assert (await ada.get(f"/sessions/{LONG}/messages/999999")).status_code == 404


async def test_calls_and_their_answers_are_never_on_two_pages(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await had(stage.app.engine.house.store, Talk("calls", None, turns=40, tool=True))
        ada = await stage.client(OWNER)
        pages = [(await ada.get(f"/sessions/calls?page={number}")).text for number in (1, 2, 3)]
        assert [page.count("<code>memory</code>") for page in pages] == [page.count("It answered") for page in pages]
        assert sum(page.count("<code>memory</code>") for page in pages) == 40
        assert "<code>a tool</code>" not in "".join(pages)


async def test_an_export_is_what_the_shell_exports(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada, shell = await stage.client(OWNER), Shell(stage.folder)
        for kind in ("md", "jsonl"):
            answer = await ada.get(f"/sessions/{ADAS}/export?format={kind}")
            printed = await asyncio.to_thread(shell, "sessions", "export", ADAS, "--format", kind)
            assert answer.content == printed.stdout_bytes
            assert len(answer.content) > 1000
            assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{ADAS}.{kind}"
        assert (await ada.get(f"/sessions/{ADAS}/export?format=exe")).status_code == 404


async def test_a_session_is_named_and_pinned(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada, archive = await stage.client(OWNER), stage.app.engine.ports.archive
        page = await ada.submit(f"/sessions/{LONG}/title", title=f"  {EVIL}\n ")
        assert "is now called" in page.text
        assert EVIL not in page.text
        (session,) = await archive.find(LONG, None)
        assert session.title == EVIL
        page = await ada.submit(f"/sessions/{LONG}/title", title="")
        assert 'role="alert">title is missing.' in page.text
        page = await ada.submit(f"/sessions/{LONG}/pin", pinned="yes")
        assert "stays, whatever its age" in page.text
        assert (await archive.find(LONG, None))[0].pinned
        await ada.submit(f"/sessions/{LONG}/pin", pinned="no")
        assert not (await archive.find(LONG, None))[0].pinned


async def test_hostile_titles_chats_and_messages_are_only_text(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        for path in ("/sessions", "/sessions?q=evil", f"/sessions/{HOSTILE}", f"/sessions?q={EVIL}&chat={EVIL}"):
            page = (await ada.get(path)).text
            assert "&lt;script&gt;window.hacked" in page, path
            assert "<script>window" not in page, path
            assert "<img" not in page, path
        named = await ada.get("/sessions", params={"chat": EVIL_CHAT.key})
        assert listed(named.text) == [HOSTILE]


async def forbidden(stage: Stage, who: str, own: str) -> None:
    """Whoever is no owner sees their own chat, as they do there, and nothing of anybody else's."""
    theirs = {ADAS, BOBS, MALLORYS, LONG, HOSTILE} - {own}
    visitor = await stage.client(who)
    page = (await visitor.get("/sessions")).text
    assert listed(page) == [own]
    assert "Everything that was said" not in page
    assert listed((await visitor.get("/sessions?q=espresso")).text) == [own]
    for chat in ("telegram:111", "telegram:-5", EVIL_CHAT.key):
        for words in ("", "espresso"):
            assert listed((await visitor.get("/sessions", params={"chat": chat, "q": words})).text) == []
    archive, csrf = stage.app.engine.ports.archive, await visitor.csrf()
    for each in theirs:
        before = await archive.find(each, None)
        rows = await archive.rows(each)
        for path in ("", "/export", "/export?format=jsonl", f"/messages/{rows[0]}", f"?at={rows[0]}"):
            assert (await visitor.get(f"/sessions/{each}{path}")).status_code == 404, path
        for path, field in (("title", "title"), ("pin", "pinned")):
            answer = await visitor.post(f"/sessions/{each}/{path}", data={"csrf": csrf, field: "yes"})
            assert answer.status_code == 404
        assert await archive.find(each, None) == before
    foreign = (await archive.rows(ADAS))[0]
    assert (await visitor.get(f"/sessions/{own}/messages/{foreign}")).status_code == 404
    assert (await visitor.get(f"/sessions/{own}")).status_code == 200
    assert "is now called «mine»" in (await visitor.submit(f"/sessions/{own}/title", title="mine")).text


async def test_a_user_sees_nothing_of_others(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        await forbidden(stage, USER, MALLORYS)


async def test_an_operator_sees_nothing_of_others(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        await forbidden(stage, OPERATOR, BOBS)


async def test_a_talk_that_was_taken_to_another_chat_is_not_that_chats_alone(tmp_path: Path):
    """Ada went on in Mallory's chat with what she had said elsewhere: Mallory reads none of it."""
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        house = stage.app.engine.house
        await house.store.sessions.resume(ADAS, "telegram:333", ChatRef("telegram", "333"), house.clock.now())
        mallory = await stage.client(USER)
        assert listed((await mallory.get("/sessions")).text) == [MALLORYS]
        assert (await mallory.get(f"/sessions/{ADAS}")).status_code == 404


async def test_who_is_not_logged_in_sees_no_session(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage, stage.stranger() as nobody:
        await talked(stage)
        for path in ("/sessions", "/sessions?q=espresso", f"/sessions/{ADAS}", f"/sessions/{ADAS}/export"):
            answer = await nobody.get(path, headers={"X-Fragment": "results"})
            assert answer.status_code == 401, path
            assert "espresso machine" not in answer.text, path
