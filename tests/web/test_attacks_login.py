"""Attacks on who somebody is: forged, old and revoked cookies, forms from elsewhere, links used twice, rights that
are not theirs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest
from itsdangerous import URLSafeTimedSerializer
from starlette.responses import Response

from commands.dashboard_ports import DashboardTrouble
from gateway.state.login_records import Login
from gateway.state.store import SqliteStore
from gateway.web.cookies import SECONDS, Cookies, Ticket
from gateway.web.links import Links, path_of
from gateway.web.secret import signing_key
from tests.fakes.clock import FakeClock
from tests.web.stage import OPERATOR, OWNER, TOKEN, USER, Stage, Visitor, dashboard_stage
from tests.web.wishes import seen, waiting, wish_to_add


def cookie_of(visitor: Visitor) -> tuple[str, str]:
    """The one cookie of somebody who is logged in."""
    ((name, value),) = visitor.cookies.items()
    return name, value


async def with_cookie(stage: Stage, name: str, value: str) -> int:
    """How the first page answers to this cookie."""
    async with stage.stranger(Cookie=f"{name}={value}") as somebody:
        return (await somebody.get("/")).status_code


async def test_a_cookie_that_we_did_not_sign_is_nobodys(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client()
        name, value = cookie_of(ada)
        payload, _, signature = value.partition(".")
        forged = URLSafeTimedSerializer("guessed", salt="innkeeper.dashboard.session").dumps({"s": "x", "w": OWNER})
        other_salt = URLSafeTimedSerializer(signing_key(stage.profile.dashboard_key)).dumps({"s": "x", "w": OWNER})
        for wrong in ("", "x", payload, f"{payload}.{signature[:-2]}", f"{payload}x.{signature}", forged, other_salt):
            assert await with_cookie(stage, name, wrong) == 401, wrong
        assert await with_cookie(stage, "innkeeper", value) == 401
        assert await with_cookie(stage, name, value) == 200
        assert await with_cookie(stage, f"{name}=x; {name}", value) == 401  # two of that name


async def test_our_own_signature_alone_opens_nothing(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client(USER)
        name, _ = cookie_of(ada)
        cookies = Cookies(signing_key(stage.profile.dashboard_key), secure=False)
        login = await stage.app.engine.house.store.logins.standing(session_of(ada, cookies), 0.0)
        assert login is not None
        for ticket in (Ticket("no-such-login", OWNER), Ticket(login.id, OWNER)):  # another one's name on it
            made = Response()
            cookies.give(made, ticket)
            value = made.headers["set-cookie"].partition("=")[2].partition(";")[0]
            assert await with_cookie(stage, name, value) == 401


def session_of(visitor: Visitor, cookies: Cookies) -> str:
    """The id of a visitor's login."""
    ticket = cookies.read(cookie_of(visitor)[1])
    assert ticket is not None
    return ticket.session


async def test_a_login_ends_after_two_weeks_and_with_the_logout(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        logins, key = stage.app.engine.house.store.logins, signing_key(stage.profile.dashboard_key)
        cookies = Cookies(key, secure=False)
        ada = await stage.client()
        standing = await logins.standing(session_of(ada, cookies), 0.0)
        assert standing is not None
        assert await logins.standing(standing.id, standing.created_at + SECONDS - 1) == standing
        assert await logins.standing(standing.id, standing.created_at + SECONDS) is None
        await logins.end(standing.id)
        await logins.begin(Login(standing.id, OWNER, OWNER, 3, 0.0, 1.0))  # over since 1970
        assert (await ada.get("/")).status_code == 401

        bob = await stage.client(OPERATOR)
        name, value = cookie_of(bob)
        answer = await bob.submit("/logout")
        assert "logged out" in answer.text
        assert name not in bob.cookies
        assert await with_cookie(stage, name, value) == 401  # who kept the cookie has nothing


async def test_signing_everybody_out_ends_all_and_takes_links_back(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada, bob, link = await stage.client(), await stage.client(OPERATOR), await stage.link()
        assert await stage.dashboard.sign_out_all() == 2
        for each in (ada, bob):
            assert (await each.get("/")).status_code == 401
        assert (await stage.stranger().login(link)).status_code == 410


async def test_who_loses_rights_loses_the_login_with_them(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada, bob, eve = await stage.client(), await stage.client(OPERATOR), await stage.client(USER)
        assert (await eve.get("/memory")).status_code in (200, 403)
        _settle(stage, owners=["telegram:444"], operators=[], users=[111])
        await asyncio.to_thread(stage.app.watcher.check, True)
        assert (await ada.get("/")).status_code == 401  # may still talk, and is an owner no more
        assert (await bob.get("/")).status_code == 401  # may not even talk
        assert (await eve.get("/")).status_code == 401
        _settle(stage, owners=[OWNER], operators=[], users=[111, 333])
        await asyncio.to_thread(stage.app.watcher.check, True)
        for each in (ada, bob, eve):
            assert (await each.get("/")).status_code == 401  # it was ended, and does not come back


async def test_rights_are_those_of_this_moment(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        eve, ada = await stage.client(USER), await stage.client()
        assert (await eve.get("/approvals")).status_code == 403
        _settle(stage, owners=["telegram:444"], operators=[OWNER, USER], users=[111, 222, 333])
        await asyncio.to_thread(stage.app.watcher.check, True)
        assert (await eve.get("/approvals")).status_code == 200
        assert "operator" in (await ada.get("/")).text


def _settle(stage: Stage, *, owners: list[str], operators: list[str], users: list[int]) -> None:
    """Other people in config.yaml."""
    now = json.loads(stage.profile.config.read_text())
    now["access"] = {"owners": owners, "operators": operators}
    now["platforms"]["telegram"]["allowed_users"] = users
    stage.profile.config.write_text(json.dumps(now))


async def test_a_user_cannot_decide_whatever_they_send(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "Mallory is an owner.")
        eve = await stage.client(USER)
        token = await eve.csrf()
        for path in (f"/pending/memory/{name}/approve", f"/pending/memory/{name}/reject", "/approvals"):
            answer = await eve.post(path, data={"csrf": token, "seen": seen(stage, name)})
            assert answer.status_code in (403, 404, 405), path
        assert (await eve.get("/approvals")).status_code == 403
        assert waiting(stage, name).id == name


async def test_a_form_without_the_token_of_this_login_changes_nothing(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She likes tea.")
        ada, bob = await stage.client(), await stage.client(OPERATOR)
        path, mark = f"/pending/memory/{name}/approve", seen(stage, name)
        for token in ("", "x", await bob.csrf(), (await ada.csrf())[:-1]):
            assert (await ada.post(path, data={"csrf": token, "seen": mark})).status_code == 403
        token = await ada.csrf()
        assert (await ada.post(path, params={"csrf": token}, data={"seen": mark})).status_code == 403
        twice = f"csrf={token}&csrf={token}&seen={mark}"
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        assert (await ada.post(path, content=twice, headers=kind)).status_code == 403
        assert (await ada.post(path, json={"csrf": token, "seen": mark})).status_code == 403
        assert (await ada.post("/logout")).status_code == 403
        assert waiting(stage, name).id == name
        assert (await ada.post(path, data={"seen": mark}, headers={"X-CSRF-Token": token})).status_code == 200


async def test_a_form_from_elsewhere_changes_nothing_even_with_the_token(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She likes tea.")
        ada = await stage.client()
        path, form = f"/pending/memory/{name}/approve", {"csrf": await ada.csrf(), "seen": seen(stage, name)}
        port = stage.address.rpartition(":")[2]
        others = ("https://evil.example", "null", "", "http://127.0.0.1", f"http://evil.example:{port}")
        near = (f"https://127.0.0.1:{port}", f"{stage.address}.evil.example", f"http://localhost:{port}")
        for origin in (*others, *near):
            assert (await ada.post(path, data=form, headers={"Origin": origin})).status_code == 403, origin
        del ada.headers["Origin"]
        assert (await ada.post(path, data=form)).status_code == 403
        for site in ("cross-site", "same-site", "none"):
            assert (await ada.post(path, data=form, headers={"Sec-Fetch-Site": site})).status_code == 403, site
        assert waiting(stage, name).id == name
        assert (await ada.post(path, data=form, headers={"Sec-Fetch-Site": "same-origin"})).status_code == 200


async def test_nobody_is_logged_in_by_a_form_from_elsewhere(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        token = httpx.URL(await stage.link()).path.rpartition("/")[2]
        async with stage.stranger() as somebody:
            answer = await somebody.post("/login", data={"token": token}, headers={"Origin": "https://evil.example"})
            assert (answer.status_code, list(somebody.cookies)) == (403, [])
            assert (await somebody.post("/login", data={"token": token})).status_code == 200


async def test_a_link_works_once_and_looking_uses_nothing_up(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        link = httpx.URL(await stage.link())
        async with stage.stranger() as preview, stage.stranger() as ada, stage.stranger() as thief:
            for _ in range(3):
                assert (await preview.get(link.path)).status_code == 200
                assert (await preview.head(link.path)).status_code == 200
            assert list(preview.cookies) == []
            assert (await ada.login(str(link))).status_code == 200
            assert (await thief.get(link.path)).status_code == 410
            assert (await thief.post("/login", data={"token": link.path.rpartition("/")[2]})).status_code == 410
            assert list(thief.cookies) == []


async def test_of_two_who_press_at_once_one_gets_in(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        for _ in range(3):
            token = httpx.URL(await stage.link()).path.rpartition("/")[2]
            several = [stage.stranger() for _ in range(4)]
            answers = await asyncio.gather(*(each.post("/login", data={"token": token}) for each in several))
            assert sorted(answer.status_code for answer in answers) == [200, 410, 410, 410]
            for each in several:
                await each.aclose()


async def test_the_store_knows_no_link_and_no_log_names_one(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        link = await stage.link()
        token = link.rpartition("/")[2]
        assert len(token) >= 43  # 256 bits
        async with stage.stranger() as ada:
            await ada.get(f"/nothing/{token}")
            assert (await ada.login(link)).status_code == 200
            _, value = cookie_of(ada)
        await stage.app.engine.house.store.database.checkpoint()
        key = stage.profile.dashboard_key.read_text()
        for path in [*stage.folder.glob("state.db*"), *stage.profile.logs.glob("*")]:
            held = path.read_bytes()
            assert token.encode() not in held, path
            assert value.encode() not in held, path
            assert key.encode() not in held, path


async def test_a_link_is_too_old_after_ten_minutes(tmp_path: Path) -> None:
    clock = FakeClock()
    store = await SqliteStore.open(tmp_path / "state.db")
    try:
        links = Links(store.logins, clock)
        token, until = await links.make(OWNER, "")
        assert until == clock.now() + 600
        await clock.advance(599)
        assert await links.look(token) is not None
        await clock.advance(1)
        assert await links.look(token) is None
        assert await links.take(token) is None
        assert path_of(token) == f"/login/{token}"
    finally:
        await store.close()


async def test_after_too_many_wrong_links_right_ones_wait_too(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        link = await stage.link()
        async with stage.stranger() as somebody:
            for _ in range(10):
                assert (await somebody.get("/login/nonsense")).status_code == 410
            answer = await somebody.get(httpx.URL(link).path)
            assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (429, True)
            token = link.rpartition("/")[2]
            assert (await somebody.post("/login", data={"token": token})).status_code == 429
            assert TOKEN.search(answer.text) is None


async def test_a_page_elsewhere_cannot_close_the_door_with_pictures_and_frames(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        async with stage.stranger() as browser:
            for kind in ("image", "iframe", "script", "empty"):
                for _ in range(10):
                    answer = await browser.get("/login/nonsense", headers={"Sec-Fetch-Dest": kind})
                    assert answer.status_code == 403, kind
        wrong = await stage.stranger().get("/login/nonsense", headers={"Sec-Fetch-Dest": "document"})
        assert wrong.status_code == 410
        assert (await stage.client()).cookies


async def test_the_page_behind_a_link_says_whose_it_is(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        page = await (await stage.client(OWNER)).get(httpx.URL(await stage.link(OPERATOR)).path)
        assert f"as <strong>{OPERATOR}</strong>" in page.text  # she was sent another one's link


async def test_for_whom_a_link_can_be_made(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        for who in ("telegram:999", "telegram", "telegram:", ":111", ""):
            with pytest.raises(DashboardTrouble, match="may not talk to this bot"):
                await stage.dashboard.link(who, None)
        shell = await stage.client("shell")
        assert "the shell" in (await shell.get("/")).text
