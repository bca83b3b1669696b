"""The star map as a test sees it: opened, asked about itself, and what there is on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory.model import Target
from tests.web.stage import Stage
from tests.web.wishes import keep

if TYPE_CHECKING:
    from playwright.async_api import Page

SAID = (
    "Ada drinks green tea.",
    "The shop opens at nine.",
    "Backups run at night; Kenji looks at them on Mondays.",
    "Grace prefers short answers.",
    "The cat is called Mochi.",
    "Invoices go to the office in Kyoto.",
    "The garden needs water every other day.",
)


def on_the_map(does: str) -> str:
    """A function of the page that answers an expression about `map`, found through the page's own module."""
    return f"""async () => {{
      const {{ maps }} = await import("/static/starmap.js");
      const map = [...maps.values()][0];
      return {does};
    }}"""


async def the_map(page: Page, does: str) -> Any:
    """What an expression about `map` comes to."""
    return await page.evaluate(on_the_map(does))


async def until(page: Page, does: str) -> None:
    """Wait until an expression about `map` is true."""
    await page.wait_for_function(on_the_map(does))


async def opened(stage: Stage, page: Page) -> None:
    """The journey's page, with its map drawn."""
    await page.goto(f"{stage.address}/journey")
    await page.wait_for_selector("#starmap.is-ready")
    await rested(page)


async def rested(page: Page) -> None:
    """Wait until the map asks for no more frames."""
    await until(page, "!map.asked && Boolean(map.drawn)")


async def place_of(page: Page, name: str) -> tuple[float, float]:
    """Where on the screen a star stands."""
    at = f"map.sky.placeOf.get('{name}')"
    x, y = await the_map(page, f"map.camera.toScreen(map.sky.x[{at}], map.sky.y[{at}])")
    box = await page.locator(".sky canvas").bounding_box()
    assert box is not None
    return box["x"] + x, box["y"] + y


def learn(stage: Stage) -> list[str]:
    """Some entries; their ids."""
    return [keep(stage, text, Target.USER if number % 3 == 0 else Target.MEMORY) for number, text in enumerate(SAID)]
