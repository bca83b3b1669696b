"""Sessions, jobs and health in Chromium: by hand, at a phone's width and a desk's, without script too."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.async_api import expect

from gateway.state.records import Row
from platforms.messages import ChatRef
from tests.web.stage import DESK, OWNER, PHONE, Chromium, dashboard_stage, follows, shot
from tests.web.talks import ADAS, BUDGETS, LONG, furnished, talked

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SIZES = pytest.mark.parametrize(("name", "size", "dark"), [("1280", DESK, False), ("390", PHONE, True)])


@SIZES
async def test_searching_as_one_types(
    tmp_path: Path, chromium: Chromium, name: str, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        await talked(stage)
        page = await stage.browser(OWNER, size, dark=dark)
        await page.goto(f"{stage.address}/sessions")
        await shot(page, f"sessions-{name}")
        field = page.get_by_role("searchbox", name="Search what was said")
        await field.press_sequentially("espresso")
        results = page.locator("#results")
        await expect(results.locator("mark")).to_have_text(["espresso"] * 3)
        await expect(field).to_be_focused()
        assert page.url == f"{stage.address}/sessions?q=espresso"
        await expect(page.locator("#live-says")).to_have_text("3 sessions.")
        await shot(page, f"search-{name}")
        await field.press_sequentially(" -bob")
        await expect(results.get_by_role("link")).to_have_count(2)
        await field.fill("xylophone")
        await expect(results).to_contain_text("Nothing was found.")
        await field.fill("")
        await expect(results.get_by_role("link", name="A long one")).to_be_visible()
        await field.fill("window.hacked")
        await results.get_by_role("link", name="<script>").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
        assert await page.evaluate("window.hacked") is None
        assert stage.faults == []


@SIZES
async def test_reading_a_transcript_and_unfolding_a_call(
    tmp_path: Path, chromium: Chromium, name: str, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        await talked(stage)
        page = await stage.browser(OWNER, size, dark=dark)
        await page.goto(f"{stage.address}/sessions")
        await page.get_by_role("link", name="The espresso machine").click()
        call = page.locator("details.call").first
        answer = call.locator("pre").last
        await expect(answer).to_be_hidden()
        await call.locator("summary").focus()
        await page.keyboard.press("Enter")
        await expect(answer).to_contain_text('"number": 0,')
        await shot(page, f"transcript-{name}")
        await expect(answer).not_to_contain_text('"number": 79,')
        await call.get_by_role("link", name="Show all").click()
        await expect(answer).to_contain_text('"number": 79,')
        await expect(answer).to_be_focused()
        assert page.url == f"{stage.address}/sessions/{ADAS}"
        assert stage.faults == []


async def test_what_goes_wrong_or_on_meanwhile(tmp_path: Path, chromium: Chromium):
    """A search that fails says so; a link to a message alone finds its page; what is unfolded stays so when the talk
    goes on."""
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        await talked(stage)
        store, page = stage.app.engine.house.store, await stage.browser()
        await page.goto(f"{stage.address}/sessions")
        await follows(page)
        await page.route("**/sessions?q=*", lambda route: route.abort())
        await page.get_by_role("searchbox").fill("espresso")
        await expect(page.locator("#results").get_by_role("alert")).to_contain_text("The search could not be made")
        await page.unroute("**/sessions?q=*")
        await page.get_by_role("button", name="Search").click()
        await expect(page.locator("#results mark")).to_have_count(3)

        first = (await store.turns.ids(LONG))[0]
        await page.goto(f"{stage.address}/sessions/{LONG}#m{first}")
        await expect(page.locator(f"#m{first}")).to_be_in_viewport()
        assert page.url == f"{stage.address}/sessions/{LONG}?at={first}#m{first}"

        await page.goto(f"{stage.address}/sessions/{ADAS}")
        await follows(page)
        answer = page.locator("details.call pre").last
        await page.locator("details.call summary").first.click()
        await page.get_by_role("link", name="Show all").click()
        await expect(answer).to_contain_text('"number": 79,')
        chat = ChatRef("telegram", "111")
        await store.sessions.resume(ADAS, chat.key, chat, time.time())
        turn = await store.turns.begin(ADAS, chat, [], [], time.time())
        await store.turns.finish(turn, "answered", time.time(), rows=[Row("assistant", "one word more")])
        await expect(page.locator("#transcript")).to_contain_text("one word more")
        await expect(answer).to_contain_text('"number": 79,')
        await expect(answer).to_be_visible()


@SIZES
async def test_pausing_a_job(tmp_path: Path, chromium: Chromium, name: str, size: tuple[int, int], dark: bool):
    async with dashboard_stage(tmp_path, chromium=chromium, config=BUDGETS) as stage:
        await furnished(stage)
        page = await stage.browser(OWNER, size, dark=dark)
        await page.goto(f"{stage.address}/jobs")
        await shot(page, f"jobs-{name}")
        card = page.get_by_role("article", name="morning notes")
        sure = card.get_by_role("button", name="Yes, pause it")
        await expect(sure).to_be_hidden()
        await card.locator("summary", has_text="Pause").click()
        await shot(page, f"jobs-asks-{name}")
        await sure.click()
        await expect(page.get_by_role("status").first).to_contain_text("Paused")
        await expect(card.get_by_text("paused", exact=True)).to_be_visible()
        await card.get_by_role("button", name="Resume").click()
        await expect(card.get_by_text("active", exact=True)).to_be_visible()
        await card.get_by_role("link", name="morning notes").click()
        await expect(page.get_by_role("heading", name="Changes")).to_be_visible()
        await shot(page, f"job-{name}")
        await page.goto(f"{stage.address}/health")
        await shot(page, f"health-{name}")
        assert stage.faults == []


async def test_all_of_it_works_without_script(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        await furnished(stage)
        page = await stage.browser(javascript=False)
        await page.goto(f"{stage.address}/sessions")
        await page.get_by_role("searchbox").fill("espresso")
        await page.get_by_role("button", name="Search").click()
        await expect(page.locator("#results mark")).to_have_count(3)
        await page.get_by_role("link", name="The espresso machine").click()
        await page.locator("details.call summary").first.click()
        await page.get_by_role("link", name="Show all").first.click()
        await expect(page.locator("pre").last).to_contain_text('"number": 79,')
        await page.goto(f"{stage.address}/jobs")
        card = page.get_by_role("article", name="morning notes")
        await card.locator("summary", has_text="Remove").click()
        await card.get_by_role("button", name="Yes, remove it").click()
        await page.get_by_role("button", name="Bring it back").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("morning notes")


async def test_searching_leaves_lines_that_are_meant_for_the_next_page(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        await talked(stage)
        page = await stage.browser()
        await page.goto(f"{stage.address}/sessions")
        await page.evaluate(
            """(path) => fetch(path, { method: "POST", redirect: "manual", body: new URLSearchParams({
              title: "Beans", csrf: document.querySelector("meta[name=csrf-token]").content }) })""",
            f"/sessions/{ADAS}/title",
        )
        await page.get_by_role("searchbox").fill("espresso")
        await page.locator("#results mark").first.wait_for()
        await page.reload()
        await expect(page.locator(".flash--good")).to_have_count(1)
