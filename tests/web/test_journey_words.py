"""What is written on the star map: nothing lies on anything else, and nothing is written twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory.model import Target
from tests.web.charts import SAID, learn, opened, place_of, rested, the_map, until
from tests.web.galaxy import ROOM, galaxy
from tests.web.stage import DESK, PHONE, Chromium, dashboard_stage
from tests.web.wishes import keep

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MORE = (
    "The oven was mended in May.",
    "Mira is allergic to nuts.",
    "The van is inspected every autumn.",
    "Rye bread sells out on Saturdays.",
)

LYING = """(() => {
  map.tick(performance.now());
  const { words } = map.painter;
  const { camera, sky } = map;
  const meet = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
  const found = [];
  words.written.forEach(({ text, box, star }, at) => {
    for (let each = 0; each < sky.size; each += 1) {
      const [x, y] = camera.toScreen(sky.x[each], sky.y[each]);
      if (each !== star && meet(box, [x - 2, y - 2, x + 2, y + 2])) found.push(`${text} / star ${each}`);
    }
    for (const other of words.written.slice(at + 1)) {
      if (meet(box, other.box)) found.push(`${text} / ${other.text}`);
    }
    for (const other of map.painter.reserved) if (meet(box, other)) found.push(`${text} / the page`);
    if (box[0] < 0 || box[1] < 0 || box[2] > camera.width || box[3] > camera.height) found.push(`${text} / the edge`);
  });
  return found;
})()"""
"""What lies on something else in a frame."""


async def written(page: Page) -> list[str]:
    found: list[str] = await the_map(
        page, "(map.tick(performance.now()), map.painter.words.written.map((each) => each.text))"
    )
    return found


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
async def test_nothing_is_written_on_a_star_on_other_words_or_on_the_buttons(
    tmp_path: Path, chromium: Chromium, size: tuple[int, int]
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        learn(stage)
        page = await stage.browser(size=size)
        await opened(stage, page)
        for number, text in enumerate(MORE):
            keep(stage, text, Target.USER if number % 2 else Target.MEMORY)
            await until(page, f"map.sky.size === {len(SAID) + number + 1}")
            await rested(page)
            assert await the_map(page, LYING) == [], number
            assert {"Memory", "About people"} <= set(await written(page)), number
        assert len(await written(page)) >= len(SAID)  # most have room for their titles
        await the_map(page, "map.move((camera) => camera.zoom(2))")
        await rested(page)
        assert await the_map(page, LYING) == []


async def test_the_star_that_is_chosen_and_pointed_at_bears_its_title_once(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page = await stage.browser()
        await opened(stage, page)
        await page.mouse.click(*await place_of(page, names[0]))
        await page.locator("#star").wait_for()
        await rested(page)
        assert await the_map(page, "map.chosen >= 0 && map.chosen === map.pointed")
        assert (await written(page)).count(SAID[0]) == 1
        assert await the_map(page, LYING) == []


async def test_among_thousands_every_arm_has_its_name(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium, config=ROOM, before=galaxy(5000)) as stage:
        for size in (DESK, PHONE):
            page = await stage.browser(size=size)
            await opened(stage, page)
            said = await written(page)
            assert {"Memory", "About people"} <= set(said), size
            assert len(said) >= 6, size
            assert [each for each in await the_map(page, LYING) if "star" not in each] == [], size
            bright = await the_map(
                page,
                f"(() => {{ const big = new Set(map.sky.heaviest.slice(0, 40)); return {LYING}"
                ".filter((each) => big.has(Number(each.split('/ star ')[1]))); })()",
            )
            assert bright == [], size
