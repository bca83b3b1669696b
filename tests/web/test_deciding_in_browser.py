"""Deciding in a browser, on a phone and on a desk: approve, reject, read a diff, edit an entry, undo; and by keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.looks import looked_at, too_wide
from tests.web.stage import DESK, OWNER, PHONE, Chromium, dashboard_stage, shot
from tests.web.wishes import entries, keep, much_to_decide, pending, skill_pending, wish_to_add

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SIZES = [pytest.param(PHONE, True, id="390"), pytest.param(DESK, False, id="1280")]


@pytest.mark.parametrize(("size", "dark"), SIZES)
async def test_one_write_is_approved_and_another_rejected_and_the_memory_file_changes(
    tmp_path: Path, chromium: Chromium, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        patch, added = much_to_decide(stage)
        page = await stage.browser(OWNER, size, dark=dark)
        await page.get_by_role("link", name="Approvals", exact=True).first.click()
        await shot(page, f"approvals-{size[0]}")
        assert "owned" not in await page.title()

        await page.locator(f"#w-memory-{patch}").get_by_role("button", name="Approve").click()
        await page.get_by_text("Approved: patch").wait_for()
        await page.locator(f"#w-memory-{added}").get_by_role("button", name="Reject").click()
        await page.get_by_text("Rejected: add").wait_for()
        assert pending(stage).resolver.pendings.ids() == [
            each.id for each in pending(stage).resolver.pendings.waiting()
        ]
        assert not {patch, added} & set(pending(stage).resolver.pendings.ids())

        await page.get_by_role("link", name="Memory", exact=True).click()
        await page.get_by_text("She drinks black tea at five, without sugar.").first.wait_for()
        assert "black tea at five" in (stage.folder / "memories" / "USER.md").read_text()
        assert stage.faults == []


@pytest.mark.parametrize(("size", "dark"), SIZES)
async def test_the_diff_of_a_skill_is_read_and_approved(
    tmp_path: Path, chromium: Chromium, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        much_to_decide(stage)
        page = await stage.browser(OWNER, size, dark=dark)
        name = skill_pending(stage).resolver.pendings.ids()[0]
        await page.goto(f"{stage.address}/pending/skills/{name}")
        assert not await page.get_by_text("11. Write down what was odd.").first.is_visible()
        await page.get_by_text("unchanged lines").last.click()
        await page.get_by_text("11. Write down what was odd.").last.wait_for()
        numbers = await page.locator(".line--changed .line-at").first.bounding_box()
        text = await page.locator(".line--changed .line-was").first.bounding_box()
        assert numbers is not None
        assert text is not None
        assert numbers["width"] < text["width"]
        assert await too_wide(page) == 0
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("heading", name="Approved").wait_for()
        await page.get_by_role("link", name="See what it changed").click()
        await page.goto(f"{stage.address}/skills/named/deploy")
        await page.get_by_text("2. Run all tests.").wait_for()
        assert stage.faults == []


@pytest.mark.parametrize(("size", "dark"), SIZES)
async def test_an_entry_is_edited_with_the_count_beside_it_and_undone(
    tmp_path: Path, chromium: Chromium, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        keep(stage, "She drinks green tea.")
        page = await stage.browser(OWNER, size, dark=dark)
        await page.goto(f"{stage.address}/memory")
        await page.get_by_role("link", name="Edit “She drinks green tea.”").click()
        field = page.get_by_label("How it is to read in USER.md")
        await field.fill("She drinks 🍵 tea.")
        await page.get_by_text("With this text: 17/1,375 characters.").wait_for()
        await field.fill("x" * 1380)
        await page.get_by_text("With this text: 1,380/1,375 characters, 5 too many.").wait_for()
        await field.fill("She drinks black tea.")
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("Changed in USER.md").wait_for()
        assert entries(stage) == ("She drinks black tea.",)
        await page.get_by_role("link", name="History", exact=True).click()
        await page.get_by_role("button", name="Undo").first.click()
        await page.get_by_text("taken back").first.wait_for()
        assert entries(stage) == ("She drinks green tea.",)
        assert stage.faults == []


async def test_what_waits_is_edited_and_then_approved(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        name = wish_to_add(stage, "She is a butcher.")
        page = await stage.browser(OWNER, PHONE)
        await page.goto(f"{stage.address}/pending/memory/{name}")
        await page.get_by_role("link", name="Edit").click()
        await page.get_by_label("How it is to read").fill("She is a baker.")
        await page.get_by_text("With this text: 15/1,375 characters.").wait_for()
        await page.get_by_role("button", name="Let it wait like this").click()
        await page.get_by_text("Edited; it stands in place of").wait_for()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("heading", name="Approved").wait_for()
        await looked_at(page, "pending-approved-390")
        assert entries(stage) == ("She is a baker.",)


async def keys_act(page: Page) -> None:
    """A page is read before its script has begun; the line about keys stands there from then on."""
    await page.wait_for_load_state()
    await page.locator(".keys").wait_for()


async def test_keys_act_on_the_write_in_focus_and_on_no_other(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = [wish_to_add(stage, f"Fact {number}.") for number in (1, 2, 3)]
        page = await stage.browser()
        await page.goto(f"{stage.address}/approvals")
        await keys_act(page)
        await page.keyboard.press("a")
        await page.keyboard.press("j")
        await page.keyboard.press("j")
        assert await page.evaluate("document.activeElement.id") == f"w-memory-{names[1]}"
        await page.keyboard.press("k")
        await page.keyboard.press("j")
        await page.keyboard.press("a")
        await page.get_by_text("Approved: add «Fact 2.»").wait_for()
        assert (entries(stage), sorted(pending(stage).resolver.pendings.ids())) == (
            ("Fact 2.",),
            sorted([names[0], names[2]]),
        )
        await keys_act(page)
        await page.keyboard.press("j")
        await page.keyboard.press("r")
        await page.get_by_text("Rejected: add «Fact 1.»").wait_for()
        await keys_act(page)
        await page.keyboard.press("j")
        await page.keyboard.press("e")
        await page.get_by_label("How it is to read").press_sequentially("j a r ")
        assert pending(stage).resolver.pendings.ids() == [names[2]]


async def test_everything_works_without_javascript(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        name = wish_to_add(stage, "She is a baker.")
        page = await stage.browser(OWNER, PHONE, javascript=False)
        await page.goto(f"{stage.address}/pending/memory/{name}/edit")
        await page.get_by_label("How it is to read").fill("She bakes.")
        await page.get_by_role("button", name="Let it wait like this").click()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("link", name="See what it changed").click()
        await page.get_by_role("button", name="Undo").click()
        await page.get_by_text("taken back").first.wait_for()
        assert entries(stage) == ()


async def test_a_page_that_is_open_shows_what_comes_to_wait(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        page = await stage.browser()
        await page.goto(f"{stage.address}/approvals")
        await page.get_by_text("Nothing waits.").wait_for()
        wish_to_add(stage, "She is a baker.")
        await page.get_by_role("heading", name="She is a baker.").wait_for()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_text("Approved: add").wait_for()
        assert entries(stage) == ("She is a baker.",)
