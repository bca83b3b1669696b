"""Deciding in a browser, on a phone and on a desk: approve, reject, read a diff, edit an entry, undo; and by keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory.model import Action, Operation, Target
from tests.web.stage import DESK, OWNER, PHONE, Stage, dashboard_stage, shot
from tests.web.wishes import entries, keep, learn_deploy, pending, skill_pending, wish, wish_for_deploy, wish_to_add

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.browser

SIZES = [pytest.param(PHONE, True, id="390"), pytest.param(DESK, False, id="1280")]
REMOVED = "She used to live in Milan, and moved to Turin with her bakery in the spring of 2024."


async def faults(page: Page) -> Sequence[str]:
    """What axe calls serious or worse."""
    from axe_playwright_python.async_playwright import Axe

    found = (await Axe().run(page)).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in ("serious", "critical")
    ]


async def looked_at(page: Page, name: str, size: tuple[int, int]) -> None:
    """The page is kept as a picture, holds no serious fault, and is not wider than its window."""
    await shot(page, f"{name}-{size[0]}")
    assert await faults(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]


def house(stage: Stage) -> tuple[str, str]:
    """What there is to decide: a wish to patch and one to add, and a change of a skill; the first two ids."""
    keep(stage, "She drinks green tea at four, without sugar.")
    keep(stage, REMOVED)
    keep(stage, "The shop runs on port 8080.\nIts logs lie in /var/log/shop.", Target.MEMORY)
    patch = wish(stage, Operation(Action.PATCH, content="black tea at five", old_text="green tea at four"))
    added = wish_to_add(stage, "<script>document.title = 'owned'</script> She pays by card.")
    wish(stage, Operation(Action.REMOVE, old_text=REMOVED))
    learn_deploy(stage)
    wish_for_deploy(stage)
    return patch, added


@pytest.mark.parametrize(("size", "dark"), SIZES)
async def test_one_write_is_approved_and_another_rejected_and_the_memory_file_changes(
    tmp_path: Path, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path) as stage:
        patch, added = house(stage)
        page = await stage.browser(OWNER, size, dark=dark)
        await page.get_by_role("link", name="Approvals", exact=True).first.click()
        await looked_at(page, "approvals", size)
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
        await looked_at(page, "memory", size)
        assert "black tea at five" in (stage.folder / "memories" / "USER.md").read_text()
        assert stage.faults == []


@pytest.mark.parametrize(("size", "dark"), SIZES)
async def test_the_diff_of_a_skill_is_read_and_approved(tmp_path: Path, size: tuple[int, int], dark: bool):
    async with dashboard_stage(tmp_path) as stage:
        house(stage)
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
        await looked_at(page, "skill-diff", size)
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("heading", name="Approved").wait_for()
        await page.get_by_role("link", name="See what it changed").click()
        await looked_at(page, "skill-history", size)
        await page.goto(f"{stage.address}/skills/named/deploy")
        await page.get_by_text("2. Run all tests.").wait_for()
        await looked_at(page, "skill", size)
        assert stage.faults == []


@pytest.mark.parametrize(("size", "dark"), SIZES)
async def test_an_entry_is_edited_with_the_count_beside_it_and_undone(
    tmp_path: Path, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path) as stage:
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
        await looked_at(page, "memory-edit", size)
        await page.get_by_role("button", name="Save").click()
        await page.get_by_text("Changed in USER.md").wait_for()
        assert entries(stage) == ("She drinks black tea.",)
        await page.get_by_role("link", name="History", exact=True).click()
        await looked_at(page, "memory-history", size)
        await page.get_by_role("button", name="Undo").first.click()
        await page.get_by_text("taken back").first.wait_for()
        assert entries(stage) == ("She drinks green tea.",)
        assert stage.faults == []


async def test_what_waits_is_edited_and_then_approved(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        name = wish_to_add(stage, "She is a butcher.")
        page = await stage.browser(OWNER, PHONE)
        await page.goto(f"{stage.address}/pending/memory/{name}")
        await page.get_by_role("link", name="Edit").click()
        await page.get_by_label("How it is to read").fill("She is a baker.")
        await page.get_by_text("With this text: 15/1,375 characters.").wait_for()
        await looked_at(page, "pending-edit", PHONE)
        await page.get_by_role("button", name="Let it wait like this").click()
        await page.get_by_text("Edited; it stands in place of").wait_for()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_role("heading", name="Approved").wait_for()
        await looked_at(page, "pending-approved", PHONE)
        assert entries(stage) == ("She is a baker.",)


async def keys_act(page: Page) -> None:
    """A page is read before its script has begun; the line about keys stands there from then on."""
    await page.wait_for_load_state()
    await page.locator(".keys").wait_for()


async def test_keys_act_on_the_write_in_focus_and_on_no_other(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
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


async def test_everything_works_without_javascript(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
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


async def test_a_page_that_is_open_shows_what_comes_to_wait(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        page = await stage.browser()
        await page.goto(f"{stage.address}/approvals")
        await page.get_by_text("Nothing waits.").wait_for()
        wish_to_add(stage, "She is a baker.")
        await page.get_by_role("heading", name="She is a baker.").wait_for()
        await page.get_by_role("button", name="Approve").click()
        await page.get_by_text("Approved: add").wait_for()
        assert entries(stage) == ("She is a baker.",)
