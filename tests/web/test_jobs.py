"""Jobs on the dashboard: what is planned, what came of it, and ordering the same as in a chat, by the same rights."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from commands.cron_ports import Cron, JobView, JobWish
from tests.web.stage import OPERATOR, OWNER, USER, Stage, dashboard_stage

EVIL = "<script>window.hacked=1</script>"


def desk(stage: Stage) -> Cron:
    cron = stage.app.engine.ports.cron
    assert cron is not None
    return cron


async def planned(stage: Stage, name: str, chat: str = "telegram:111", prompt: str = "Say what is new.") -> JobView:
    return await desk(stage).add(JobWish(when="weekdays at 9:00", prompt=prompt, name=name, chat=chat), OWNER)


async def now(stage: Stage, job: JobView) -> JobView:
    found = await desk(stage).get(job.id)
    assert found is not None
    return found


def card(page: str, job: JobView) -> str:
    """The part of the list about one job."""
    found = re.search(rf'<article [^>]*id="job-{job.id}-card".*?</article>', page, re.DOTALL)
    assert found is not None
    return found[0]


async def test_a_job_is_listed_with_its_next_three_runs(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        job = await planned(stage, "morning notes")
        page = (await (await stage.client(OWNER)).get("/jobs")).text
        shown = card(page, job)
        assert "weekdays at 9:00" in shown
        assert re.findall(r"<time [^>]*>(\w{3} \d{4}-\d\d-\d\d 9:00)</time>", shown) == [
            f"{each:%a %Y-%m-%d} 9:00" for each in job.next_runs
        ]
        assert len(job.next_runs) == 3
        assert "telegram:111" in shown
        assert ">active</span>" in shown


async def test_pausing_and_resuming(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        job, ada = await planned(stage, "morning notes"), await stage.client(OPERATOR)
        assert (await ada.get("/jobs")).status_code == 200
        owner = await stage.client(OWNER)
        page = (await owner.submit(f"/jobs/{job.id}/pause", back="/jobs")).text
        assert ">paused</span>" in card(page, job)
        assert "none while it is paused" in card(page, job)
        assert (await now(stage, job)).paused_until == float("inf")
        page = (await owner.submit(f"/jobs/{job.id}/resume", back="/jobs")).text
        assert ">active</span>" in card(page, job)
        page = (await owner.submit(f"/jobs/{job.id}/pause", until="2099-12-24")).text
        assert "paused until" in page
        assert 0 < (await now(stage, job)).paused_until < float("inf")
        page = (await owner.submit(f"/jobs/{job.id}/pause", until="the day after never")).text
        assert 'role="alert"' in page
        history = (await owner.get(f"/jobs/{job.id}")).text
        assert f"by {OWNER}" in history


async def test_removing_and_bringing_back(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        job, ada = await planned(stage, "morning notes"), await stage.client(OWNER)
        page = await ada.submit(f"/jobs/{job.id}/remove", back="/jobs")
        assert page.url.path == f"/jobs/{job.id}"
        assert "Bring it back" in page.text
        assert (await now(stage, job)).removed
        assert f'id="job-{job.id}-card"' not in (await ada.get("/jobs")).text
        page = await ada.submit(f"/jobs/{job.id}/undo")
        assert page.url.path != f"/jobs/{job.id}"
        assert ">morning notes</h1>" in page.text
        assert [each.name for each in await desk(stage).jobs("telegram:111")] == ["morning notes"]


async def test_a_run_that_is_ordered_is_listed_with_what_came_of_it(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        ada = await stage.client(OWNER)
        page = (await ada.submit("/maintenance/database-check/run", dry_run="yes")).text
        assert "It starts." in page or "It is asked for" in page
        for _ in range(100):
            runs = await desk(stage).runs(1, None, None)
            if runs and runs[0].ended:
                break
            await asyncio.sleep(0.05)
        (run,) = await desk(stage).runs(1, None, None)
        assert (run.job, run.state, run.dry) == ("database-check", "silent", True)
        page = (await ada.get("/jobs")).text
        report = page.partition('id="task-database-check-card"')[2].partition('<li id="task-')[0]
        assert ">done</span>" in report
        assert ">dry run</span>" in report
        assert f'<a href="/jobs/{run.job_id}">database-check</a></td>' in page
        assert run.answer.split("\n")[0][:40] in page


async def test_a_proposal_says_what_it_would_do_and_is_decided(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        store, spec = stage.app.engine.house.store, await planned(stage, "plan")
        old = await store.jobs.get(spec.id)
        assert old is not None
        await store.jobs.remove(spec.id, OWNER, 1.0)
        wish = await store.jobs.add(old.spec, "assistant", OWNER, 1.0, enabled=False)
        ada = await stage.client(OWNER)
        page = (await ada.get("/jobs")).text
        assert "The assistant proposes it." in page
        assert '<pre class="text">Say what is new.</pre>' in page
        version = re.search(r'name="version" value="(\d+)"', page)
        assert version is not None
        page = (await ada.submit(f"/jobs/{wish.id}/accept", version=str(int(version[1]) + 1))).text
        assert "It was changed since that card." in page
        assert (await desk(stage).get(wish.id)) is not None
        page = (await ada.submit(f"/jobs/{wish.id}/accept", version=version[1])).text
        assert "Accepted." in page
        accepted = await desk(stage).get(wish.id)
        assert accepted is not None
        assert not accepted.proposed


async def test_hostile_names_and_prompts_are_only_text(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        job = await planned(stage, f"n {EVIL}", prompt=f"p {EVIL}")
        ada = await stage.client(OWNER)
        for path in ("/jobs", f"/jobs/{job.id}"):
            page = (await ada.get(path)).text
            assert "&lt;script&gt;window.hacked" in page
            assert "<script>window" not in page
        assert "<script>window" not in (await ada.submit(f"/jobs/{job.id}/remove")).text


async def test_nobody_sees_or_orders_jobs_of_another_chat(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        adas, nobodys = await planned(stage, "adas"), await planned(stage, "nobodys", chat="")
        bobs, mallorys = (
            await planned(stage, "bobs", chat="telegram:222"),
            await planned(stage, "mallorys", "telegram:333"),
        )
        for who, own in ((OPERATOR, bobs), (USER, mallorys)):
            visitor = await stage.client(who)
            page = (await visitor.get("/jobs")).text
            assert re.findall(r'id="job-(\d+)-card"', page) == [str(own.id)]
            assert "The house's own" not in page
            csrf = await visitor.csrf()
            for each in {adas.id: adas, nobodys.id: nobodys, bobs.id: bobs, mallorys.id: mallorys}.values():
                if each.id == own.id:
                    continue
                assert (await visitor.get(f"/jobs/{each.id}")).status_code == 404
                for action in ("pause", "run", "remove", "resume", "undo", "accept", "decline"):
                    answer = await visitor.post(f"/jobs/{each.id}/{action}", data={"csrf": csrf})
                    assert answer.status_code in (403, 404), (who, action)
                assert await now(stage, each) == each
            answer = await visitor.post("/maintenance/backup/run", data={"csrf": csrf})
            assert answer.status_code == 403
        assert await desk(stage).runs(10, None, None) == []


async def test_a_user_sees_their_job_and_cannot_order_it(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        own = await planned(stage, "mallorys", "telegram:333")
        mallory = await stage.client(USER)
        page = (await mallory.get("/jobs")).text
        assert "<form" not in card(page, own)
        csrf = await mallory.csrf()
        for action in ("pause", "run", "remove"):
            assert (await mallory.post(f"/jobs/{own.id}/{action}", data={"csrf": csrf})).status_code == 403
        assert await now(stage, own) == own
        bob = await stage.client(OPERATOR)
        assert (await bob.post(f"/jobs/{own.id}/burn", data={"csrf": await bob.csrf()})).status_code == 404


async def test_a_form_without_its_token_orders_nothing(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        job, ada = await planned(stage, "morning notes"), await stage.client(OWNER)
        for sent in ({}, {"csrf": "0" * 64}):
            assert (await ada.post(f"/jobs/{job.id}/remove", data=sent)).status_code == 403
        assert await now(stage, job) == job
