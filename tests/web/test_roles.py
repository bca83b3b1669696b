"""What a person finds on the dashboard by their role: each page that is named to them opens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.web.stage import OPERATOR, OWNER, USER, Visitor, dashboard_stage
from tests.web.talks import talked

EVERY = {"Home", "Approvals", "Memory", "Skills", "Journey", "Sessions", "Jobs", "Health"}
OF_OPERATORS = EVERY - {"Memory", "Journey"}
PERSONAL = {"memory": {"scope": "person"}}


async def named(visitor: Visitor) -> dict[str, str]:
    """The navigation: titles and paths."""
    page = (await visitor.get("/")).text
    nav = re.search(r'<nav aria-label="Pages".*?</nav>', page, re.DOTALL)
    assert nav is not None
    return {title: path for path, title in re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', nav[0])}


@pytest.mark.parametrize(
    ("who", "config", "pages"),
    [
        (OWNER, {}, EVERY),
        (OPERATOR, {}, OF_OPERATORS),
        (OPERATOR, PERSONAL, EVERY),
        (USER, {}, {"Home", "Skills", "Sessions", "Jobs"}),
        (USER, PERSONAL, {"Home", "Memory", "Skills", "Sessions", "Jobs"}),
        ("shell", {}, EVERY),
        (OWNER, {"memory": {"memory_enabled": False, "user_profile_enabled": False}}, None),
    ],
)
async def test_what_the_navigation_names_opens(
    tmp_path: Path, who: str, config: dict[str, object], pages: set[str] | None
):
    async with dashboard_stage(tmp_path, config=config) as stage:
        visitor = await stage.client(who)
        found = await named(visitor)
        if pages is not None:
            assert set(found) == pages
        assert {path: (await visitor.get(path)).status_code for path in found.values()} == dict.fromkeys(
            found.values(), 200
        )


async def test_the_first_page_of_a_user_leads_to_what_is_there(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        mallory = await stage.client(USER)
        page = (await mallory.get("/")).text
        main = page[page.index("<main") :]
        links = set(re.findall(r'<a href="([^"]+)"', main))
        assert links == {"/skills", "/sessions", "/jobs"}
        assert "What is there to see" not in main


async def test_the_first_page_of_an_operator_has_no_card_about_what_is_not_theirs(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        assert 'id="home-memory"' not in (await (await stage.client(OPERATOR)).get("/")).text
        assert 'id="home-memory"' in (await (await stage.client(OWNER)).get("/")).text


async def test_a_mark_stands_apart_from_the_title_before_it(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        ada = await stage.client(OWNER)
        for path in ("/", "/sessions"):
            page = (await ada.get(path)).text
            assert re.search(r'A long one</a>\s+<span class="badge badge--good">open', page), path
            assert not re.search(r'\w</(a|code|strong|span)><span class="badge', page), path
