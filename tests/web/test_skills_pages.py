"""Skills on the dashboard: what there is, what is broken and where, files that stay inside, and what is ordered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.stage import OPERATOR, OWNER, USER, Stage, dashboard_stage
from tests.web.wishes import learn_deploy

SKILL = "---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def put(stage: Stage, name: str, description: str = "What it does.", body: str = "Do it.") -> Path:
    folder = stage.folder / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name=name, description=description, body=body))
    return folder


async def test_skills_are_listed_with_where_they_come_from_and_what_is_broken_with_file_and_line(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        folder = put(stage, "odd")
        (folder / "SKILL.md").write_text("---\nname: odd\ndescription: [\n---\n")
        page = (await (await stage.client(OWNER)).get("/skills")).text
        assert 'href="/skills/named/deploy">ops/deploy</a>' in page
        assert "How the shop is brought out." in page
        assert "Broken, and not used" in page
        assert "<code>odd/SKILL.md:" in page
        assert str(stage.folder) not in page


async def test_a_skill_is_shown_with_its_text_and_its_files(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        ada = await stage.client(OWNER)
        page = (await ada.get("/skills/named/deploy")).text
        assert "11. Write down what was odd." in page
        assert 'href="/skills/named/deploy/file/scripts/push.sh"' in page
        assert "docker push shop" in (await ada.get("/skills/named/deploy/file/scripts/push.sh")).text


@pytest.mark.parametrize(
    "path",
    [
        "/skills/named/deploy/file/../../../../config.yaml",
        "/skills/named/deploy/file/..%2f..%2f..%2fconfig.yaml",
        "/skills/named/deploy/file/%2e%2e/%2e%2e/%2e%2e/config.yaml",
        "/skills/named/deploy/file//etc/passwd",
        "/skills/named/deploy/file/%2fetc%2fpasswd",
        "/skills/named/deploy/file/assets/way-out",
        "/skills/named/deploy/file/assets/folder-out/config.yaml",
        "/skills/named/deploy/file/scripts/push.sh%00.md",
        "/skills/named/..%2f..%2fskills%2fops%2fdeploy",
        "/skills/named/..",
        "/static/../pages.py",
        "/static/..%2fpages.py",
    ],
)
async def test_no_path_leads_out_of_a_skill(tmp_path: Path, path: str):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        assets = stage.folder / "skills" / "ops" / "deploy" / "assets"
        assets.mkdir()
        (assets / "way-out").symlink_to(stage.folder / "config.yaml")
        (assets / "folder-out").symlink_to(stage.folder)
        ada = await stage.client(OWNER)
        answer = await ada.get("/", extensions={"target": path.encode()})  # as it is: httpx would make it shorter
        assert answer.status_code == 404
        assert "api_key" not in answer.text
        assert "root:" not in answer.text


async def test_text_that_would_run_is_only_text(tmp_path: Path):
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    async with dashboard_stage(tmp_path) as stage:
        put(stage, "greet", f"Says hello. {hostile}", hostile)
        ada = await stage.client(OWNER)
        for path in ("/skills", "/skills/named/greet"):
            page = (await ada.get(path)).text
            assert "<script>alert" not in page
            assert "<img" not in page
            assert "&lt;script&gt;" in page


async def test_a_skill_is_pinned_put_away_and_brought_back_by_the_commands(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        file = stage.folder / "skills" / "ops" / "deploy" / "SKILL.md"
        before = file.read_bytes()
        bob = await stage.client(OPERATOR)
        pinned = await bob.submit("/skills/named/deploy/order", order="pin")
        assert '<span class="badge badge--good">pinned</span>' in pinned.text
        assert "pinned</span>" not in (await bob.submit("/skills/named/deploy/order", order="unpin")).text
        away = await bob.submit("/skills/named/deploy/order", order="archive")
        assert ("Put away: deploy." in away.text, file.exists()) == (True, False)
        shelf = (await bob.get("/skills/archived")).text
        place = shelf.split('name="place" value="')[1].split('"')[0]
        back = await bob.submit("/skills/restore", place=place)
        assert "Brought back: deploy." in back.text
        assert file.read_bytes() == before


async def test_a_change_of_a_skill_is_in_the_history_and_can_be_taken_back(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        skills = stage.app.engine.ports.skills
        assert skills is not None
        name = skills.store.history()[0].id
        ada = await stage.client(OWNER)
        page = (await ada.get("/skills/history")).text
        assert (f'id="{name}"' in page, "ops/deploy/scripts/push.sh new" in page) == (True, True)
        answer = await ada.submit("/skills/undo", id=name)
        assert "Taken back: deploy." in answer.text
        assert not (stage.folder / "skills" / "ops" / "deploy" / "SKILL.md").exists()


async def test_who_is_no_operator_reads_skills_and_orders_nothing(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        mallory = await stage.client(USER)
        page = (await mallory.get("/skills/named/deploy")).text
        assert "Put away" not in page
        answers = [await mallory.submit("/skills/named/deploy/order", order="archive")]
        answers += [await mallory.submit("/skills/undo", id="x"), await mallory.submit("/skills/restore", place="x")]
        answers += [await mallory.get("/skills/history"), await mallory.get("/skills/archived")]
        assert [each.status_code for each in answers] == [403] * 5
        assert (stage.folder / "skills" / "ops" / "deploy" / "SKILL.md").exists()


async def test_an_order_that_there_is_not_is_none(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        learn_deploy(stage)
        ada = await stage.client(OWNER)
        assert (await ada.submit("/skills/named/deploy/order", order="remove")).status_code == 400
        assert (await ada.get("/skills/named/nobody")).status_code == 404
