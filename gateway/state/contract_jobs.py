"""The part of the suite that every store passes which is about jobs: what they are, and their runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gateway.state.contract import CHAT, HALF, NOON, ODD, ODD_READ, refused
from gateway.state.job_records import UNTIL_RESUMED, Job, JobNameTaken, JobRun, JobSpec
from gateway.state.protocols import Store
from platforms.messages import ChatRef

LEASE = NOON + 10_000
DAILY = JobSpec("Digest", "prompt", '{"v":1}', "Europe/Berlin", "Say what is new", chat_key=CHAT.key)
BACKUP = JobSpec("backup", "maintenance", '{"v":2}', "UTC")


async def made(store: Store, spec: JobSpec = DAILY, at: float = NOON) -> Job:
    return await store.jobs.add(spec, "person", "telegram:7", at)


async def claimed(store: Store, job: Job, at: float = NOON + 60, owner: str = "me") -> JobRun:
    """A run of a moment, as it is done by somebody."""
    noted = await store.job_runs.due(job, at, at)
    assert noted is not None
    run = await store.job_runs.claim(noted.id, owner, LEASE, at)
    assert run is not None
    return run


async def failures(store: Store, job: Job) -> int:
    now = await store.jobs.get(job.id)
    assert now is not None
    return now.failures


async def taken(store: Store, spec: JobSpec, job: Job | None = None) -> bool:
    """Whether the name is refused to a new job, or to this one."""
    try:
        if job is None:
            await made(store, spec)
        else:
            await store.jobs.edit(job.id, spec, "ada", NOON)
    except JobNameTaken as error:
        return "digest" in str(error).lower()
    return False


class JobsContract:
    """What jobs there are."""

    async def test_a_job_comes_back_as_it_was(self, store: Store) -> None:
        spec = replace(DAILY, skills=("news", HALF), model="host/m", silent_unless="rain", budget=5000)
        job = await store.jobs.add(spec, "assistant", "telegram:7", NOON, enabled=False)
        assert job == Job(job.id, spec, "assistant", "telegram:7", False, 0.0, NOON, 0, 0, NOON, NOON)
        assert await store.jobs.get(job.id) == job
        assert await store.jobs.named(" DIGEST") == job
        assert await store.jobs.get(job.id + 1) is None
        odd = await made(store, replace(DAILY, name=ODD, prompt=ODD))
        assert (odd.name, odd.spec.prompt) == (ODD_READ, ODD_READ)
        assert await store.jobs.named(ODD) == odd
        assert [each.id for each in await store.jobs.all()] == [job.id, odd.id]

    async def test_a_name_belongs_to_one_job(self, store: Store) -> None:
        job = await made(store)
        other = await made(store, replace(DAILY, name="other"))
        assert await taken(store, replace(DAILY, name="dIGEST "))
        assert await taken(store, DAILY, other)
        assert not await taken(store, replace(DAILY, name="DIGEST"), job)
        await store.jobs.remove(job.id, "ada", NOON)
        assert not await taken(store, DAILY)

    async def test_a_change_keeps_what_was(self, store: Store) -> None:
        job = await made(store)
        words = replace(DAILY, prompt="Say less")
        once = await store.jobs.edit(job.id, words, "ada", NOON + 1)
        assert once == replace(job, spec=words, version=1, changed_at=NOON + 1), "what is due stays due"
        moved = await store.jobs.edit(job.id, replace(words, zone="UTC"), "bo", NOON + 2)
        assert moved is not None
        assert moved.considered_at == NOON + 2, "times before are not caught up"
        told = [(each.at, each.who, each.what, each.before) for each in await store.jobs.edits(job.id)]
        assert told == [(NOON + 2, "bo", "edited", words), (NOON + 1, "ada", "edited", DAILY)]
        assert await store.jobs.edit(job.id + 1, DAILY, "ada", NOON) is None

    async def test_changes_are_kept_in_a_bounded_number(self, store: Store) -> None:
        job = await made(store)
        for number in range(60):
            await store.jobs.edit(job.id, replace(DAILY, prompt=str(number)), "ada", NOON + number)
        kept = await store.jobs.edits(job.id)
        assert (len(kept), kept[0].before.prompt, kept[-1].before.prompt) == (50, "58", "9")

    async def test_a_pause_and_its_end(self, store: Store) -> None:
        job = await made(store)
        waits = await store.job_runs.due(job, NOON + 60, NOON + 60)
        asked = await store.job_runs.ask(job.id, "ada", NOON + 60)
        assert waits is not None
        assert asked is not None
        paused = await store.jobs.pause(job.id, UNTIL_RESUMED, "ada", NOON + 70)
        assert paused is not None
        assert paused.paused_until == UNTIL_RESUMED
        skipped = await store.job_runs.get(waits.id)
        assert skipped is not None
        assert (skipped.state, skipped.error) == ("skipped", "the job was paused")
        assert (await store.job_runs.standing()).runs == (asked,), "what a person asked for stays"
        resumed = await store.jobs.resume(job.id, "ada", NOON + 500)
        assert resumed is not None
        assert (resumed.paused_until, resumed.considered_at) == (0, NOON + 500)
        assert await store.jobs.resume(job.id, "ada", NOON + 900) == resumed
        assert [each.what for each in await store.jobs.edits(job.id)] == ["resumed", "paused"]

    async def test_a_proposal_waits_for_a_yes(self, store: Store) -> None:
        job = await store.jobs.add(DAILY, "assistant", "telegram:7", NOON, enabled=False)
        assert await store.job_runs.due(job, NOON + 1, NOON + 1) is None
        assert await store.job_runs.ask(job.id, "ada", NOON) is None
        enabled = await store.jobs.enable(job.id, "ada", NOON + 9)
        assert enabled is not None
        assert (enabled.enabled, enabled.considered_at) == (True, NOON + 9)
        assert await store.jobs.enable(job.id, "ada", NOON + 10) == enabled

    async def test_what_is_removed_stays_away(self, store: Store) -> None:
        job = await made(store)
        noted = await store.job_runs.due(job, NOON + 60, NOON + 60)
        gone = await store.jobs.remove(job.id, "ada", NOON + 61)
        assert gone is not None
        assert (gone.removed_at, await store.jobs.get(job.id)) == (NOON + 61, gone)
        assert await store.jobs.all() == []
        assert await store.jobs.named("digest") is None
        assert noted is not None
        assert await store.job_runs.claim(noted.id, "me", LEASE, NOON) is None
        assert await store.job_runs.due(gone, NOON + 90, NOON + 90) is None
        assert await store.job_runs.ask(job.id, "ada", NOON) is None
        for change in (store.jobs.resume, store.jobs.enable, store.jobs.remove):
            assert await change(job.id, "ada", NOON) is None
        assert (await store.jobs.edits(job.id))[0].what == "removed"
        assert await store.jobs.forget(NOON + 61) == 0
        assert await store.jobs.forget(NOON + 62) == 1
        assert await store.jobs.forget(NOON + 62) == 0
        left = await store.jobs.get(job.id)
        assert left is not None
        assert (left.name, left.spec.prompt, left.removed_at) == ("Digest", "", NOON + 61)
        assert await store.job_runs.history(9, job.id) == []
        assert await store.jobs.edits(job.id) == []

    async def test_the_programs_own_jobs(self, store: Store) -> None:
        mine = await made(store)
        assert await store.jobs.seed([BACKUP, replace(DAILY, kind="maintenance")], NOON) == ["Digest"]
        assert await store.jobs.seed([BACKUP], NOON + 1) == []
        backup = await store.jobs.named("backup")
        assert backup is not None
        assert (backup.origin, backup.created_at, backup.version) == ("house", NOON, 0)
        later = replace(BACKUP, schedule='{"v":3}')
        await store.jobs.seed([later], NOON + 2)
        moved = await store.jobs.get(backup.id)
        assert moved is not None
        assert (moved.spec, moved.considered_at) == (later, NOON + 2), "a new version has a new hour"
        own = replace(BACKUP, schedule='{"v":4}')
        await store.jobs.edit(backup.id, own, "ada", NOON + 3)
        await store.jobs.seed([BACKUP], NOON + 4)
        kept = await store.jobs.get(backup.id)
        assert kept is not None
        assert kept.spec == own, "a person's hour stays"
        await store.jobs.remove(backup.id, "ada", NOON + 5)
        assert await store.jobs.seed([BACKUP], NOON + 6) == []
        assert await store.jobs.all() == [mine], "what a person removed stays away"

    async def test_jobs_go_along_when_a_chat_moves(self, store: Store) -> None:
        await made(store)
        await made(store, replace(DAILY, name="other", chat_key="telegram:-1000"))
        await store.sessions.move_chat(CHAT, ChatRef("telegram", "-200"))
        keys = [each.spec.chat_key for each in await store.jobs.all()]
        assert keys == ["telegram:-200", "telegram:-1000"]


class JobRunsContract:
    """Runs."""

    async def test_a_moment_is_noted_once(self, store: Store) -> None:
        job = await made(store)
        run = await store.job_runs.due(job, NOON + 60, NOON + 61)
        assert run is not None
        assert run == JobRun(run.id, job.id, "schedule", NOON + 60, NOON + 61)
        assert run.source == f"job:{run.id}"
        held = await store.job_runs.claim(run.id, "me", LEASE, NOON + 62)
        assert held == replace(
            run, state="claimed", starts=1, epoch=1, owner="me", lease_until=LEASE, started_at=NOON + 62
        )
        assert await store.job_runs.due(job, NOON + 60, NOON + 70) is None
        standing = await store.job_runs.standing()
        assert standing.runs == (held,)
        assert standing.jobs == (replace(job, considered_at=NOON + 70),)
        assert await store.job_runs.get(run.id + 1) is None

    async def test_of_many_who_note_and_claim_one_does_it(self, store: Store) -> None:
        job = await made(store)
        noted = await asyncio.gather(*(store.job_runs.due(job, NOON + 60, NOON + 60) for _ in range(10)))
        (run,) = [each for each in noted if each is not None]
        claims = await asyncio.gather(
            *(store.job_runs.claim(run.id, f"p{each}", LEASE, NOON) for each in range(10)),
        )
        assert len([each for each in claims if each is not None]) == 1

    async def test_what_falls_due_while_one_waits_or_runs_comes_together(self, store: Store) -> None:
        job = await made(store)
        running = await claimed(store, job)
        first = await store.job_runs.due(job, NOON + 120, NOON + 120)
        second = await store.job_runs.due(job, NOON + 180, NOON + 180)
        assert first is not None
        assert second == replace(first, scheduled_at=NOON + 180, coalesced=1)
        assert await store.job_runs.claim(first.id, "me", LEASE, NOON + 181) is None, "never two at a time"
        await store.job_runs.finish(running, "silent", NOON + 190)
        assert await store.job_runs.claim(first.id, "me", LEASE, NOON + 191) is not None

    async def test_a_job_that_was_changed_meanwhile_is_looked_at_again(self, store: Store) -> None:
        job = await made(store)
        edited = await store.jobs.edit(job.id, replace(DAILY, zone="UTC"), "ada", NOON + 1)
        assert await store.job_runs.due(job, NOON + 60, NOON + 60) is None
        assert edited is not None
        assert await store.job_runs.due(edited, NOON + 60, NOON + 60) is not None

    async def test_a_clock_that_was_set_back(self, store: Store) -> None:
        job = await made(store)
        await claimed(store, job, NOON + 9000)
        await store.job_runs.rewind(job, NOON + 100)
        assert (await store.job_runs.standing()).jobs == (replace(job, considered_at=NOON + 100),)
        await store.job_runs.rewind(job, NOON + 200)
        await store.job_runs.rewind(replace(job, version=7), NOON)
        assert (await store.job_runs.standing()).jobs == (replace(job, considered_at=NOON + 100),)
        assert await store.job_runs.due(job, NOON + 9000, NOON + 9000) is None, "it is not done again"

    async def test_run_now_stands_beside_the_schedule(self, store: Store) -> None:
        job = await made(store)
        by_schedule = await store.job_runs.due(job, NOON + 60, NOON + 60)
        asked = await store.job_runs.ask(job.id, "ada", NOON + 60)
        assert by_schedule is not None
        assert asked is not None
        assert (asked.cause, asked.who, asked.dry) == ("person", "ada", False)
        assert await store.job_runs.ask(job.id, "bo", NOON + 61) == asked
        dry = await store.job_runs.ask(job.id, "bo", NOON + 60, dry=True)
        assert dry is not None
        assert dry.dry
        assert dry.id != asked.id
        now = await store.jobs.get(job.id)
        assert now is not None
        assert now.considered_at == NOON + 60
        assert await store.job_runs.skip(asked.id, "why", NOON + 62)
        assert not await store.job_runs.skip(asked.id, "why", NOON + 62)
        assert [each.id for each in (await store.job_runs.standing()).runs] == [by_schedule.id, dry.id]

    async def test_an_answer_is_kept_before_it_goes_out(self, store: Store) -> None:
        job = await made(store)
        run = await claimed(store, job)
        kept = await store.job_runs.answered(run, ODD, 900)
        assert (kept.state, kept.answer, kept.delivery, kept.tokens) == ("claimed", ODD_READ, "owed", 900)
        (back,) = await store.job_runs.take_back("another", LEASE)
        assert (back.state, back.answer, back.delivery) == ("waiting", ODD_READ, "owed")
        later = await store.job_runs.due(job, NOON + 120, NOON + 120)
        assert later is not None
        assert later.id != back.id, "what is answered stands for nothing later"
        again = await store.job_runs.claim(back.id, "another", LEASE, NOON)
        assert again is not None
        done = await store.job_runs.finish(again, "done", NOON + 99, delivery="delivered")
        assert (done.state, done.delivery, done.answer, done.tokens, done.notice) == (
            *("done", "delivered", ODD_READ, 900, ""),
        )
        assert (done.starts, done.epoch, done.owner, done.ended_at) == (2, 2, "", NOON + 99)

    async def test_failures_in_a_row_and_when_they_are_told(self, store: Store) -> None:
        job = await made(store)
        notices = []
        for number in range(1, 6):
            run = await claimed(store, job, NOON + 60 * number)
            ended = await store.job_runs.finish(run, "failed", NOON, error="no host")
            notices.append(ended.notice)
        assert notices == ["owed", "", "owed", "", ""]
        assert await failures(store, job) == 5
        assert len((await store.job_runs.standing()).notices) == 2
        for each in (await store.job_runs.standing()).notices:
            await store.job_runs.told(each.id)
        assert (await store.job_runs.standing()).notices == ()
        undelivered = await store.job_runs.finish(
            await claimed(store, job, NOON + 1000), "done", NOON, delivery="failed"
        )
        assert (undelivered.notice, await failures(store, job)) == ("", 6), "what did not arrive is a failure"
        dry = await store.job_runs.ask(job.id, "ada", NOON)
        assert dry is not None
        by_hand = await store.job_runs.claim(dry.id, "me", LEASE, NOON)
        assert by_hand is not None
        told = await store.job_runs.finish(by_hand, "failed", NOON, error="no host")
        assert (told.notice, await failures(store, job)) == ("owed", 7), "who asked is told each time"
        await store.job_runs.finish(await claimed(store, job, NOON + 1060), "skipped", NOON)
        assert await failures(store, job) == 7
        quiet = await store.job_runs.finish(await claimed(store, job, NOON + 1120), "silent", NOON)
        assert (quiet.notice, await failures(store, job)) == ("", 0)
        said = await store.job_runs.finish(await claimed(store, job, NOON + 1180), "done", NOON, answer="x", say=True)
        assert (said.notice, said.answer) == ("owed", "x")

    async def test_a_dry_run_counts_for_nothing(self, store: Store) -> None:
        job = await made(store, BACKUP)
        asked = await store.job_runs.ask(job.id, "ada", NOON, dry=True)
        assert asked is not None
        run = await store.job_runs.claim(asked.id, "me", LEASE, NOON)
        assert run is not None
        await store.job_runs.finish(run, "failed", NOON)
        assert await failures(store, job) == 0

    async def test_who_lost_a_run_changes_nothing(self, store: Store) -> None:
        job = await made(store)
        lost = await claimed(store, job)
        assert await store.job_runs.renew(lost, LEASE + 1)
        assert await store.job_runs.take_back("me", LEASE + 1, everyone=True) == [], "nobody takes from themselves"
        assert await store.job_runs.take_back("another", LEASE) == [], "it is held still"
        (back,) = await store.job_runs.take_back("another", LEASE + 1)
        assert (back.state, back.starts, back.lease_until) == ("waiting", 1, 0)
        run = await store.job_runs.claim(back.id, "another", LEASE, NOON)
        assert run is not None
        assert not await store.job_runs.renew(lost, LEASE)
        for stale in (lost, back):
            with refused():
                await store.job_runs.answered(stale, "late", 0)
            with refused():
                await store.job_runs.finish(stale, "done", NOON)
            with refused():
                await store.job_runs.release(stale, NOON)
        assert (await store.job_runs.standing()).runs == (run,)

    async def test_a_run_that_ends_processes_is_not_begun_for_ever(self, store: Store) -> None:
        job = await made(store)
        run = await claimed(store, job)
        (back,) = await store.job_runs.take_back("new", NOON, everyone=True)
        assert (back.state, back.id) == ("waiting", run.id)
        await store.job_runs.claim(run.id, "new", LEASE, NOON)
        (failed,) = await store.job_runs.take_back("newer", NOON, everyone=True)
        assert (failed.state, failed.error, failed.notice) == ("failed", "the process ended while it ran", "owed")

    async def test_an_answer_that_ends_processes_is_given_up_too(self, store: Store) -> None:
        run = await claimed(store, await made(store))
        await store.job_runs.answered(run, "boom", 0)
        for number in range(1, 6):
            (back,) = await store.job_runs.take_back(f"p{number}", NOON, everyone=True)
            if back.state != "waiting":
                break
            await store.job_runs.claim(run.id, f"p{number}", LEASE, NOON)
        assert (number, back.state, back.delivery, back.notice) == (5, "done", "failed", "owed")

    async def test_given_back_in_good_order_it_is_as_if_not_begun(self, store: Store) -> None:
        run = await claimed(store, await made(store))
        await store.job_runs.release(run, NOON)
        (back,) = (await store.job_runs.standing()).runs
        assert (back.state, back.starts) == ("waiting", 0)
        again = await store.job_runs.claim(back.id, "me", LEASE, NOON)
        assert again is not None
        await store.jobs.remove(again.job_id, "ada", NOON)
        await store.job_runs.release(again, NOON + 5)
        gone = await store.job_runs.get(again.id)
        assert gone is not None
        assert (gone.state, gone.ended_at) == ("skipped", NOON + 5)

    async def test_the_run_of_a_removed_job_ends_well_and_is_not_delivered(self, store: Store) -> None:
        job = await made(store)
        run = await claimed(store, job)
        await store.jobs.remove(job.id, "ada", NOON + 61)
        kept = await store.job_runs.answered(run, "late", 10)
        assert kept.delivery == "withheld"
        done = await store.job_runs.finish(kept, "done", NOON + 62, say=True)
        assert (done.state, done.delivery, done.notice) == ("done", "withheld", "")
        assert (await store.job_runs.standing()).jobs == ()

    async def test_a_removed_jobs_lost_run_is_not_taken_up(self, store: Store) -> None:
        for number, answer in enumerate(("", "late"), 1):
            job = await made(store)
            run = await claimed(store, job, NOON + 60 * number)
            if answer:
                await store.job_runs.answered(run, answer, 0)
            await store.jobs.remove(job.id, "ada", NOON + 61)
            (back,) = await store.job_runs.take_back("new", NOON, everyone=True)
            assert (back.state, back.error) == ("skipped", "the job was removed")
            assert back.delivery == ("withheld" if answer else "none")

    async def test_history_is_bounded_and_newest_first(self, store: Store) -> None:
        job, other = await made(store), await made(store, BACKUP)
        await store.job_runs.finish(await claimed(store, other), "silent", NOON)
        for number in range(1, 106):
            run = await claimed(store, job, NOON + 60 * number)
            await store.job_runs.finish(run, "silent", NOON + 60 * number)
        kept = await store.job_runs.history(1000, job.id)
        assert (len(kept), kept[0].id) == (100, run.id)
        both = await store.job_runs.history(1000)
        assert len(both) == 101
        assert both[-1].job_id == other.id
        assert await store.job_runs.history(2, job.id) == kept[:2]
