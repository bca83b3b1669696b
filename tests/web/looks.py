"""How a page looks to everybody: to axe, within its window, to a thumb, and kept as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.async_playwright import Axe

from tests.web.stage import shot

if TYPE_CHECKING:
    from playwright.async_api import Page

SMALL = """(least) => [...document.querySelectorAll("button, summary, select, input:not([type=hidden]), a.button")]
  .filter((each) => each.checkVisibility())
  .map((each) => [each, each.getBoundingClientRect()])
  .filter(([, box]) => box.height < least || box.width < least)
  .map(([each, box]) => `${each.outerHTML.slice(0, 120)} ${box.width} x ${box.height}`)"""


async def faults(page: Page) -> list[str]:
    """What axe finds that keeps people out."""
    found = await Axe().run(page, options={"resultTypes": ["violations"]})
    return [
        f"{each['id']}: {[node['html'][:160] for node in each['nodes'][:3]]}"
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


async def too_wide(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide


async def too_small(page: Page, least: int = 24) -> list[str]:
    """Controls that measure less than this many pixels, in one direction or the other."""
    small: list[str] = await page.evaluate(SMALL, least)
    return small


async def looked_at(page: Page, name: str) -> None:
    """It is kept as a picture as it opens; unfolded, it holds no serious fault, fits, and has targets one can hit."""
    await shot(page, name)
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found = [*await faults(page), *await too_small(page)]
    if wide := await too_wide(page):
        found.append(f"{wide} pixels wider than the window")
    assert not found, f"{name}: {found}"
