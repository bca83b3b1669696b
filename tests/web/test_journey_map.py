"""The star map in a browser: played, read, changed and taken back by mouse, finger and keys; what a frame costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.charts import SAID, learn, opened, place_of, rested, the_map, until
from tests.web.galaxy import ROOM, galaxy
from tests.web.looks import faults
from tests.web.stage import DESK, PHONE, Chromium, dashboard_stage, shot
from tests.web.wishes import entries, keep

if TYPE_CHECKING:
    pass

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(("size", "dark"), [(PHONE, False), (DESK, True)], ids=["phone", "desk"])
async def test_it_is_played_and_a_star_is_read_edited_and_taken_back(
    tmp_path: Path, chromium: Chromium, size: tuple[int, int], dark: bool
):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page = await stage.browser(size=size, dark=dark)
        await opened(stage, page)
        look = f"{'dark' if dark else 'light'}_{size[0]}"
        await shot(page, f"journey_{look}")
        assert await faults(page) == []
        # Played from the first to the last.
        await page.get_by_label("Speed").select_option("4")
        await page.get_by_role("button", name="Play").click()
        assert await page.get_by_role("button", name="Pause").count() == 1
        assert await page.get_by_label("Time", exact=True).input_value() == "0"
        await page.wait_for_function("() => document.querySelector('[data-part=slider]').value === '7'")
        await page.get_by_role("button", name="Play").wait_for()
        # Read by a click on its star.
        await rested(page)
        await page.mouse.click(*await place_of(page, names[0]))
        card = page.locator("#star")
        await card.wait_for()
        assert await card.get_by_role("heading").inner_text() == SAID[0]
        assert "somebody's order" in await card.inner_text()
        assert await faults(page) == []
        await shot(page, f"journey_star_{look}")
        # Edited, and taken back by the button beside the line that says so.
        await card.get_by_text("Edit", exact=True).click()
        await card.get_by_label("As it should read").fill("Ada drinks black tea.")
        await card.get_by_role("button", name="Save").click()
        await page.get_by_text("Changed in USER.md").wait_for()
        assert entries(stage)[0] == "Ada drinks black tea."
        await page.get_by_role("button", name="Undo this change").click()
        await page.get_by_text("Taken back").wait_for()
        assert entries(stage)[0] == SAID[0]
        assert stage.faults == []


async def test_keys_move_it_read_a_star_and_the_focus_comes_back(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page = await stage.browser()
        await opened(stage, page)
        await page.get_by_role("application").focus()
        before = await the_map(page, "map.camera.aim.scale")
        await page.keyboard.press("+")
        await page.keyboard.press("ArrowRight")
        assert await the_map(page, "map.camera.aim.scale") > before
        assert await the_map(page, "map.camera.aim.x") > 0
        await page.keyboard.press("0")
        assert await the_map(page, "[map.camera.aim.x, map.camera.aim.scale]") == [0, before]
        await page.keyboard.press("PageDown")
        await page.keyboard.press("PageDown")
        assert (await page.locator("[data-part=aloud]").inner_text()).startswith(SAID[1])
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.activeElement.id") == "star"
        assert await page.locator("#star").get_attribute("data-star") == names[1]
        await page.keyboard.press("Escape")
        assert await page.evaluate("document.activeElement.tagName") == "CANVAS"
        assert not await page.locator("#star").is_visible()
        await page.keyboard.press("Space")
        assert await the_map(page, "map.time.playing")
        assert stage.faults == []


async def test_focus_in_the_list_lights_the_star_and_the_filter_dims_the_others(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page = await stage.browser()
        await opened(stage, page)
        await page.get_by_role("link", name=SAID[4]).focus()
        assert await the_map(page, "map.sky.nodes[map.pointed].id") == names[4]
        await page.get_by_label("Words").fill("KYOTO")
        await page.get_by_role("heading", name="1 thing that fits").wait_for()
        assert await the_map(page, "Array.from(map.matching)") == [0, 0, 0, 0, 0, 1, 0]
        assert page.url.endswith("/journey?q=KYOTO")
        await page.get_by_role("link", name=SAID[5]).click()
        assert await page.locator("#star").get_by_role("heading").inner_text() == SAID[5]
        assert page.url.endswith("/journey?q=KYOTO")
        assert stage.faults == []


async def test_drag_wheel_and_two_fingers(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        learn(stage)
        page = await stage.browser()
        await opened(stage, page)
        box = await page.locator(".sky canvas").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        sky = await the_map(page, "map.camera.toWorld(100, 100)")
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x + 30, y + 20, steps=3)
        await page.mouse.up()
        await rested(page)
        assert await the_map(page, "map.camera.toWorld(130, 120)") == pytest.approx(sky, abs=0.01)
        pointer = f"map.camera.toWorld({x + 30 - box['x']}, {y + 20 - box['y']})"
        under = await the_map(page, pointer)
        await page.mouse.wheel(0, -200)
        await until(page, "map.camera.aim.scale > map.camera.fitting")
        await rested(page)
        assert await the_map(page, pointer) == pytest.approx(under, abs=0.2)
        before = await the_map(page, "map.camera.now.scale")
        await page.evaluate(
            """([x, y]) => {
              const canvas = document.querySelector(".sky canvas");
              canvas.setPointerCapture = () => {}; // these fingers are made up
              const touch = (name, id, dx) => canvas.dispatchEvent(new PointerEvent(name, {
                pointerId: id, pointerType: "touch", clientX: x + dx, clientY: y, bubbles: true }));
              touch("pointerdown", 7, -40); touch("pointerdown", 8, 40);
              touch("pointermove", 7, -60); touch("pointermove", 8, 60);
              touch("pointerup", 7, -60); touch("pointerup", 8, 60);
            }""",
            [x, y],
        )
        assert await the_map(page, "map.camera.aim.scale") == pytest.approx(1.5 * before, rel=0.01)
        assert stage.faults == []


async def test_hostile_texts_stay_text_on_the_map_and_in_the_card(tmp_path: Path, chromium: Chromium):
    hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script></textarea> \u202egnp.exe'
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        name = keep(stage, hostile.replace("\u202e", ""))
        page = await stage.browser()
        await opened(stage, page)
        await page.mouse.click(*await place_of(page, name))
        assert await page.locator("[data-slot=text]").inner_text() == hostile.replace("\u202e", "")
        assert await page.locator("#star img, #star-list img").count() == 0
        assert await page.locator("#star-edit").input_value() == hostile.replace("\u202e", "")
        await page.get_by_label("Words").fill("<img src=x onerror=alert(1)>")
        await page.get_by_text("Nothing fits this.").wait_for()
        assert "Journey" in await page.title()
        assert stage.faults == []


async def test_what_is_learnt_meanwhile_appears_and_nothing_else_moves(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        learn(stage)
        page = await stage.browser()
        await opened(stage, page)
        places = await the_map(page, "[...map.sky.x, ...map.sky.y]")
        keep(stage, "Mira joined in spring.")
        await page.get_by_role("link", name="Mira joined in spring.").wait_for()
        await until(page, "map.sky.size === 8")
        after = await the_map(page, "[...map.sky.x.slice(0, 7), ...map.sky.y.slice(0, 7)]")
        assert after == places
        assert stage.faults == []


async def test_what_is_erased_or_changed_elsewhere_does_not_stay_on_the_screen(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page, phone = await stage.browser(), await stage.client()
        await opened(stage, page)
        card = page.locator("#star")
        await page.get_by_role("link", name=SAID[0]).click()
        await phone.submit(f"/journey/{names[0]}/edit", text="Ada drinks coffee.", was=SAID[0])
        await card.get_by_role("heading", name="Ada drinks coffee.").wait_for()
        assert await card.locator("[data-slot=text]").inner_text() == "Ada drinks coffee."
        assert await page.locator("#star-edit").input_value() == "Ada drinks coffee."
        was = "[...document.querySelectorAll('#star [name=was]')].map((each) => each.value)"
        assert await page.evaluate(was) == ["Ada drinks coffee."] * 2
        # It is not on the list that is shown, and still is closed when it goes.
        await page.get_by_label("Words").fill("KYOTO")
        await page.get_by_role("heading", name="1 thing that fits").wait_for()
        await phone.submit(f"/journey/{names[0]}/delete")
        await card.wait_for(state="hidden")
        assert "coffee" not in (await card.text_content() or "")
        assert await page.evaluate(was) == ["", ""]
        assert "removed" in await page.locator("[data-part=aloud]").inner_text()
        assert await the_map(page, "map.chosen") == -1
        assert stage.faults == []


async def test_who_is_writing_is_told_that_it_changed_and_loses_nothing(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page, phone = await stage.browser(), await stage.client()
        await opened(stage, page)
        card, box = page.locator("#star"), page.locator("#star-edit")
        await page.get_by_role("link", name=SAID[0]).click()
        await card.get_by_text("Edit", exact=True).click()
        await box.fill("Ada drinks mate.")
        await phone.submit(f"/journey/{names[0]}/edit", text="Ada drinks coffee.", was=SAID[0])
        await card.get_by_role("alert").filter(has_text="It was changed elsewhere").wait_for()
        assert await card.locator("[data-slot=text]").inner_text() == "Ada drinks coffee."
        assert await box.input_value() == "Ada drinks mate."
        assert await faults(page) == []
        # Saved all the same, it is refused, with what was written still there.
        await card.get_by_role("button", name="Save").click()
        await page.get_by_text("nothing was written").wait_for()
        assert await page.get_by_label("As it should read").input_value() == "Ada drinks mate."
        assert entries(stage)[0] == "Ada drinks coffee."
        # And what is gone altogether leaves no more than what was being written.
        await opened(stage, page)
        await page.get_by_role("link", name="Ada drinks coffee.").click()
        await card.get_by_text("Edit", exact=True).click()
        await box.fill("Ada drinks mate.")
        await phone.submit(f"/journey/{names[0]}/delete")
        await card.get_by_role("alert").filter(has_text="It was removed elsewhere").wait_for()
        assert await box.input_value() == "Ada drinks mate."
        assert "coffee" not in (await card.text_content() or "")
        assert await card.get_by_role("button", name="Save").is_disabled()
        assert not await card.get_by_role("button", name="Delete").is_visible()
        assert await faults(page) == []
        await card.get_by_role("button", name="Close").click()
        # The next one is opened as ever.
        await page.get_by_role("link", name=SAID[3]).click()
        assert await box.input_value() == SAID[3]
        assert not await card.get_by_role("alert").is_visible()
        await card.get_by_text("Edit", exact=True).click()
        assert await card.get_by_role("button", name="Save").is_enabled()
        assert stage.faults == [each for each in stage.faults if "422" in each]


async def test_what_changed_since_it_was_opened_is_not_deleted_from_the_card(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page, phone = await stage.browser(), await stage.client()
        await opened(stage, page)
        await page.route("**/journey.json*", lambda route: route.abort())  # the map learns nothing new
        await page.get_by_role("link", name=SAID[0]).click()
        await phone.submit(f"/journey/{names[0]}/edit", text="Ada drinks coffee.", was=SAID[0])
        await page.locator("#star").get_by_role("button", name="Delete").click()
        await page.get_by_text("nothing was written").wait_for()
        assert entries(stage)[0] == "Ada drinks coffee."


async def test_the_filter_leaves_lines_that_are_meant_for_the_next_page(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        names = learn(stage)
        page = await stage.browser()
        await opened(stage, page)
        await page.evaluate(
            """(path) => fetch(path, { method: "POST", redirect: "manual", body: new URLSearchParams({
              csrf: document.querySelector("meta[name=csrf-token]").content }) })""",
            f"/journey/{names[0]}/delete",
        )
        await page.get_by_label("Words").fill("KYOTO")
        await page.get_by_role("heading", name="1 thing that fits").wait_for()
        await page.reload()
        assert await page.get_by_text("Removed from USER.md").count() == 1


async def test_without_javascript_there_is_the_list_and_no_dead_map(tmp_path: Path, chromium: Chromium):
    async with dashboard_stage(tmp_path, chromium=chromium) as stage:
        learn(stage)
        page = await stage.browser(javascript=False)
        await page.goto(f"{stage.address}/journey")
        assert not await page.locator("#starmap").is_visible()
        await page.get_by_role("link", name=SAID[0]).click()
        await page.get_by_label("As it should read").fill("Ada drinks water.")
        await page.get_by_role("button", name="Save").click()
        assert entries(stage)[0] == "Ada drinks water."


async def test_a_frame_costs_no_more_with_thousands_of_stars(tmp_path: Path, chromium: Chromium):
    """What is drawn, compared and asked in a frame is bounded at every distance; a map at rest draws nothing."""
    async with dashboard_stage(tmp_path, chromium=chromium, config=ROOM, before=galaxy(5000)) as stage:
        page = await stage.browser()
        await opened(stage, page)
        assert await the_map(page, "map.sky.size") == 5000
        await shot(page, "journey_5000_light_1280")
        for closer in (1, 1.5, 2, 3, 5, 8, 13, 21, 34):
            drawn = await the_map(
                page,
                f"""(() => {{
                  const star = 3000;
                  const {{ camera, sky }} = map;
                  camera.go(sky.x[star], sky.y[star], camera.fitting * {closer}, true);
                  map.tick(performance.now());
                  return map.drawn;
                }})()""",
            )
            assert drawn["calls"] <= 1500, (closer, drawn)
            assert drawn["asked"] <= 1800, (closer, drawn)
            assert drawn["edges"] <= 900, (closer, drawn)
            assert 0 < drawn["labels"] <= 40, (closer, drawn)
            await page.mouse.move(500, 400)
            assert await the_map(page, "(map.starAt(300, 300), map.sky.grid.asked)") <= 200
        # In the midst of playing: what is lit already is one picture, the newest are drawn by themselves.
        drawn = await the_map(
            page, "(map.camera.fit(true), map.time.go(2500), map.tick(performance.now()), map.drawn)"
        )
        assert (drawn["layered"], 0 < drawn["stars"] <= 400) == (True, True), drawn
        painted = await the_map(page, "map.painter.scene.layer.made")
        assert (
            await the_map(
                page, "(map.camera.pan(9, 9, true), map.tick(performance.now()), map.painter.scene.layer.made)"
            )
            == painted
        )
        await rested(page)
        frames = await the_map(page, "map.frames")
        await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert await the_map(page, "map.frames") == frames
        assert stage.faults == []
