"""The star map under fingers: one scrolls the page, two move and zoom the map, a tap opens a card that is seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.web.charts import SAID, learn, opened, place_of, rested, the_map, until
from tests.web.stage import PHONE, Chromium, Stage, dashboard_stage

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


class Fingers:
    """What a screen reports of fingers: `move` puts them down, moves them in steps, and lifts them."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def move(self, *ways: tuple[tuple[float, float], tuple[float, float]], steps: int = 8) -> None:
        link = await self._page.context.new_cdp_session(self._page)

        async def report(kind: str, points: list[tuple[float, float]]) -> None:
            told = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
            await link.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

        for count in range(1, len(ways) + 1):
            await report("touchStart", [start for start, _ in ways[:count]])
        for step in range(1, steps + 1):
            share = step / steps
            await report("touchMove", [(a + (c - a) * share, b + (d - b) * share) for (a, b), (c, d) in ways])
        await report("touchEnd", [])
        await link.detach()


async def on_the_phone(stage: Stage) -> tuple[Page, Fingers, float, float]:
    """The map on a phone, and the middle of it."""
    page = await stage.browser(size=PHONE, touch=True)
    await opened(stage, page)
    box = await page.locator(".sky canvas").bounding_box()
    assert box is not None
    return page, Fingers(page), box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_one_finger_scrolls_the_page_and_leaves_the_map(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        learn(stage)
        page, fingers, x, y = await on_the_phone(stage)
        assert await page.get_by_text("One finger scrolls the page").is_visible()
        before = await the_map(page, "[map.camera.aim.x, map.camera.aim.y, map.camera.aim.scale]")
        await fingers.move(((x, y + 100), (x, y - 150)), steps=12)
        await page.wait_for_function("window.scrollY > 100")
        await rested(page)
        after = await the_map(page, "[map.camera.aim.x, map.camera.aim.y, map.camera.aim.scale]")
        assert after == pytest.approx(before, abs=2)
        assert await the_map(page, "map.hands.held.size") == 0
        assert stage.faults == []


async def test_two_fingers_zoom_and_move_the_map_and_not_the_page(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        learn(stage)
        page, fingers, x, y = await on_the_phone(stage)
        scale = await the_map(page, "map.camera.aim.scale")
        await fingers.move(((x, y - 40), (x, y - 80)), ((x, y + 40), (x, y + 80)))
        await until(page, f"map.camera.aim.scale > {1.5 * scale}")
        above = await the_map(page, "map.camera.aim.y")
        await fingers.move(((x - 40, y), (x - 40, y + 60)), ((x + 40, y), (x + 40, y + 60)))
        await until(page, f"map.camera.aim.y < {above} - 1")
        sideways = await the_map(page, "map.camera.aim.x")
        await fingers.move(((x, y), (x - 60, y)))  # one finger sideways is nothing that a page does
        await until(page, f"map.camera.aim.x > {sideways} + 1")
        assert await page.evaluate("[window.scrollY, window.visualViewport.scale]") == [0, 1]
        assert stage.faults == []


async def test_the_card_of_a_star_that_is_tapped_or_clicked_comes_into_view(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page, _, _, _ = await on_the_phone(stage)
        card = page.locator("#star")
        await page.touchscreen.tap(*await place_of(page, names[0]))
        await expect(card.get_by_role("heading", name=SAID[0])).to_be_in_viewport()
        await expect(card.locator("[data-slot=text]")).to_be_in_viewport()
        await card.get_by_role("button", name="Close").click()
        await page.evaluate("window.scrollTo(0, 0)")
        await page.mouse.click(*await place_of(page, names[3]))
        await expect(card.get_by_role("heading", name=SAID[3])).to_be_in_viewport()
        # The next one, with the card open already and the map scrolled back to.
        await page.evaluate("window.scrollTo(0, 0)")
        await page.mouse.click(*await place_of(page, names[4]))
        await expect(card.get_by_role("heading", name=SAID[4])).to_be_in_viewport()
        await expect(card.locator("[data-slot=text]")).to_be_in_viewport()
        # And by keys: the card is seen, and Escape leads back to the map.
        await card.get_by_role("button", name="Close").click()
        await page.evaluate("window.scrollTo(0, 0)")
        await page.get_by_role("application").focus()
        await page.keyboard.press("PageUp")
        await page.keyboard.press("Enter")
        await expect(card.locator("[data-slot=text]")).to_be_in_viewport()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("application")).to_be_focused()
