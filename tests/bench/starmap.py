"""The star map with 5,000 things: when the page is first painted, and how many frames a second it draws in headless
Chromium, which has no graphics card here: everything is drawn by the processor."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.bench.figures import percentile
from tests.web.galaxy import ROOM, galaxy
from tests.web.stage import DESK, PHONE, Stage, browser_path, dashboard_stage

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

STARS = 5000
OPENED = 3
SECONDS = 3

MOVES = {
    "panning": "map.camera.pan(12 * Math.sin(frame / 9), 12 * Math.cos(frame / 9))",
    "zooming": "map.camera.zoom(frame % 120 < 60 ? 1.05 : 1 / 1.05)",
    "panning and zooming near": (
        "(map.camera.pan(12 * Math.sin(frame / 9), 5), map.camera.zoom(frame % 60 < 30 ? 1.03 : 1 / 1.03))"
    ),
    "playing": "0",
}
BEFORE = {
    "panning": "map.camera.fit(true)",
    "zooming": "map.camera.fit(true)",
    "panning and zooming near": "map.camera.go(300, 200, 1.2, true)",
    "playing": "(map.camera.fit(true), map.time.go(0), map.toggle())",
}


async def rows() -> list[tuple[str, str]]:
    from playwright.async_api import async_playwright

    out = []
    with tempfile.TemporaryDirectory() as folder:
        async with dashboard_stage(Path(folder), config=ROOM, before=galaxy(STARS)) as stage:
            async with async_playwright() as playwright:
                chromium = await playwright.chromium.launch(
                    executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"]
                )
                for size, name in ((DESK, "1280 px"), (PHONE, "390 px, two pixels a point")):
                    out += await _measured(stage, chromium, size, name)
                await chromium.close()
    return out


async def _measured(stage: Stage, chromium: Browser, size: tuple[int, int], name: str) -> list[tuple[str, str]]:
    context = await chromium.new_context(
        viewport={"width": size[0], "height": size[1]}, device_scale_factor=1 if size == DESK else 2
    )
    page = await context.new_page()
    await page.goto(await stage.link())
    await page.get_by_role("button", name="Log in here").click()
    await page.wait_for_url(f"{stage.address}/")
    first, whole = [], []
    for _ in range(OPENED):
        await page.goto(f"{stage.address}/journey")
        await page.wait_for_selector("#starmap.is-ready")
        first.append(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        whole.append(await page.evaluate("performance.now()"))
    paint = f"{median(first):.0f} ms, the map {median(whole):.0f} ms"
    out = [(f"star map, {STARS:,} things, {name}: first paint", paint)]
    for move in MOVES:
        out.append((f"star map, {STARS:,} things, {name}: {move}", await _frames(page, move)))
    await context.close()
    return out


async def _frames(page: Page, move: str) -> str:
    """Frames a second, and the slowest of a hundred."""
    times: list[float] = await page.evaluate(
        f"""async () => {{
          const {{ maps }} = await import("/static/starmap.js");
          const map = [...maps.values()][0];
          {BEFORE[move]};
          const times = [];
          await new Promise((done) => {{
            let frame = 0;
            const began = performance.now();
            const step = (now) => {{
              times.push(now);
              {MOVES[move]};
              map.wake();
              frame += 1;
              if (performance.now() - began < {SECONDS * 1000}) requestAnimationFrame(step);
              else done();
            }};
            requestAnimationFrame(step);
          }});
          return times;
        }}"""
    )
    gaps = [after - before for before, after in pairwise(times)]
    return f"{1000 * len(gaps) / sum(gaps):.0f} frames a second, p99 {percentile(gaps, 0.99):.0f} ms between two"
