"""Attacks through what is shown and how it is asked for: hostile texts, paths, names, sizes and heads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.web.headers import POLICY
from tests.web.hostile import MARK, looked_at, plant, plant_talk
from tests.web.stage import USER, Chromium, Stage, dashboard_stage
from tests.web.wishes import keep, wish_to_add

PATHS = (
    "/static/../pages.py",
    "/static/%2e%2e/pages.py",
    "/static/..%2fpages.py",
    "/static/..%5cpages.py",
    "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd",
    "/static//etc/passwd",
    "/static/%00app.css",
    "/static/",
    "/static/.",
    "/static/mark.svg/../../pages.py",
    f"/skills/named/{MARK}/file/../../../config.yaml",
    f"/skills/named/{MARK}/file/references/../../../../config.yaml",
    f"/skills/named/{MARK}/file/..%2f..%2f..%2fconfig.yaml",
    f"/skills/named/{MARK}/file/%2e%2e/%2e%2e/%2e%2e/config.yaml",
    f"/skills/named/{MARK}/file//etc/passwd",
    f"/skills/named/{MARK}/file/%00references/evil.md",
    "/skills/named/..%2f..%2fconfig.yaml",
    "/skills/named/%2e%2e/file/config.yaml",
)

OTHERS = (
    "evil.example",
    "evil.example:8765",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "127.0.0.1@evil.example",
    "[::1].evil.example",
    "0.0.0.0",
    "",
    "localhost:8765:1",
    "localhost\t.evil",
)
"""Names that are not ours, as a Host header may give them."""

ELSEWHERE = (
    "/%0d%0aSet-Cookie:%20a=b",
    "/\r\nSet-Cookie: a=b",
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
)


async def raw(stage: Stage, request: bytes) -> bytes:
    """What the server answers to these bytes, until it closes; `none` when it cuts us off."""
    host, _, port = stage.address.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    await writer.drain()
    try:
        async with asyncio.timeout(20):
            return await reader.read()
    except ConnectionResetError:
        return b"HTTP/1.1 none"
    finally:
        writer.close()


async def test_whatever_people_and_models_wrote_stays_text_on_every_page(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        plant(stage)
        await plant_talk(stage)
        seen = await looked_at(await stage.client())
        assert {path: each.wrong for path, each in seen.items() if each.wrong} == {}
        ada, eve = await stage.client(), await stage.client(USER)
        shown = [path for path in seen if MARK in (await ada.get(path)).text]
        assert {"/", "/approvals", "/memory", "/memory/history", "/sessions", "/skills", "/jobs"} <= set(shown)
        for part in ("/pending/memory/", "/sessions/20261130-evil", "/jobs/", "/journey/", "/skills/named/"):
            assert [path for path in shown if path.startswith(part)], part
        told = [path for path in seen if MARK in (await eve.get(path)).text]
        assert [path for path in told if not path.startswith("/skills")] == []  # a user has no business with the rest


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_nothing_hostile_runs_in_a_real_browser(tmp_path: Path, chromium: Chromium) -> None:
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        plant(stage)
        await plant_talk(stage)
        page = await stage.browser()
        for path in ("/", "/approvals", "/memory", "/memory/history", "/skills", "/journey", "/sessions"):
            await page.goto(f"{stage.address}{path}")
            assert await page.evaluate("window.hacked") is None, path
        assert stage.faults == []


async def test_no_path_leads_out_of_the_folders(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        plant(stage)
        ada = await stage.client()
        for path in ("/static/app.css", f"/skills/named/{MARK}/file/references/evil.md"):
            assert (await ada.get(path)).status_code == 200  # these are ways in
        cookie = "; ".join(f"{name}={value}" for name, value in ada.cookies.items())
        for path in PATHS:
            head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
            answer = await raw(stage, head.encode())
            assert answer.split(b" ")[1] in (b"404", b"400", b"405"), (path, answer[:200])
            for secret in (b"root:", b"base_url", b"import annotations"):
                assert secret not in answer.partition(b"\r\n\r\n")[2], path


async def test_only_the_names_of_this_machine_are_answered_at_any_port(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        for host in OTHERS:
            head = f"GET /static/app.css HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            answer = await raw(stage, head.encode())
            assert answer.split(b" ")[1] in (b"421", b"400"), (host, answer[:200])
            assert b"--paper" not in answer
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:9000", "[::1]", "[::1]:9000"):
            head = f"GET /static/app.css HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            assert b"--paper" in await raw(stage, head.encode()), host
        twice = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert (await raw(stage, twice)).split(b" ")[1] in (b"421", b"400")


async def test_too_large_a_body_is_not_read_said_or_unsaid(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client()
        token = await ada.csrf()
        big = "x" * (600 * 1024)
        answer = await ada.post("/logout", data={"csrf": token, "text": big})
        assert answer.status_code == 413

        async def pieces():
            yield f"csrf={token}&text=".encode()
            for _ in range(70):
                yield b"x" * 10_000

        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        assert (await ada.post("/logout", content=pieces(), headers=kind)).status_code == 413
        assert (await ada.get("/")).status_code == 200  # nobody was logged out


async def test_too_long_a_head_is_cut_off(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 200_000 + b"\r\n\r\n"
        assert (await raw(stage, head)).split(b" ")[1] in (b"400", b"431", b"none")


async def test_no_answer_leads_elsewhere_or_gains_a_header(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        plant(stage)
        await plant_talk(stage)
        cron = stage.app.engine.ports.cron
        assert cron is not None
        job = next(each for each in await cron.jobs(None) if each.kind == "prompt")
        ada = await stage.client()
        token = await ada.csrf()
        ada.follow_redirects = False
        waits = wish_to_add(stage, "She bakes.")
        for to in ELSEWHERE:
            for path, fields in (
                ("/memory/undo", {"id": keep(stage, f"An entry {len(to)} {to[:3]}")}),
                ("/skills/undo", {"id": "none"}),
                ("/skills/restore", {"place": "none"}),
                (f"/pending/memory/{waits}/reject", {"seen": "another"}),
                (f"/jobs/{job.id}/pause", {}),
                ("/sessions/20261130-evil/pin", {"pinned": "yes"}),
                ("/journey/none/undo", {}),
            ):
                answer = await ada.post(path, data={"csrf": token, "back": to, "next": to, "to": to, **fields})
                assert answer.status_code == 303, (path, answer.status_code)
                there = answer.headers["location"]
                assert there.startswith("/"), (path, there)
                assert not there.startswith(("//", "/\\")), (path, there)
                assert "a=b" not in str(answer.headers)


async def test_every_answer_bears_the_strict_headers_faults_included(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada, nobody = await stage.client(), stage.stranger()
        answers = [
            await ada.get("/"),
            await ada.get("/static/app.css"),
            await ada.get("/nothing/here"),
            await ada.post("/", data={"csrf": await ada.csrf()}),
            await ada.post("/logout"),
            await nobody.get("/"),
            await nobody.get("/login/nonsense"),
            await nobody.post("/login", data={"token": "x"}),
            await nobody.get("/", headers={"Host": "evil.example"}),
        ]
        assert [each.status_code for each in answers] == [200, 200, 404, 405, 403, 401, 410, 410, 421]
        for answer in answers:
            assert answer.headers["content-security-policy"] == POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "same-origin"
            assert answer.headers["cache-control"] in ("no-store", "no-cache")
            assert "server" not in answer.headers
            for inside in ("Traceback", "starlette", "uvicorn", str(stage.folder)):
                assert inside not in answer.text
        await nobody.aclose()


async def test_a_fault_of_a_page_shows_nothing_of_itself_and_the_others_go_on(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client()
        await stage.app.engine.house.store.database.write(
            lambda db: db.execute("ALTER TABLE sessions RENAME TO gone")
        )
        broken = await ada.get("/sessions")
        assert broken.status_code == 500
        assert broken.headers["content-security-policy"] == POLICY
        for inside in ("sqlite", "no such table", "Traceback", "gone"):
            assert inside not in broken.text
        assert (await ada.get("/static/app.css")).status_code == 200
        log = "".join(path.read_text() for path in stage.profile.logs.glob("*"))
        assert "web.fault" in log
