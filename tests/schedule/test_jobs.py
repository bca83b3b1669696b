"""Making and changing jobs in people's words."""

from __future__ import annotations

import pytest

from gateway.errors import InnkeeperError
from gateway.schedule.errors import UnclearTime
from gateway.schedule.jobs import JobBook, Wish
from gateway.state.job_records import UNTIL_RESUMED, JobNameTaken
from tests.schedule.house import CHAT, Desk, at

NOW = at("2026-11-10 06:00")


@pytest.fixture
def book() -> JobBook:
    return Desk(NOW).book


async def test_a_new_job_shows_its_next_three_runs(book: JobBook) -> None:
    wish = Wish("digest", "weekdays at 9am", "America/New_York", "What is new?", ("news",), chat_key=CHAT.key)
    planned = await book.add(wish, "person", "telegram:7")
    assert planned.when == "weekdays at 9:00"
    assert [each.isoformat() for each in planned.next_runs] == [
        "2026-11-10T09:00:00-05:00",
        "2026-11-11T09:00:00-05:00",
        "2026-11-12T09:00:00-05:00",
    ]
    assert await book.find("DIGEST") == await book.find(str(planned.job.id)) == planned.job
    assert (await book.find("other"), await book.find("99")) == (None, None)
    assert list(await book.all()) == [planned]


async def test_the_owners_zone_where_none_is_given(book: JobBook) -> None:
    planned = await book.add(Wish(when="on 2026-12-24 at 18:00", prompt="Sing"), "person", "telegram:7")
    assert planned.job.spec.zone == "Europe/Berlin"
    assert [each.isoformat() for each in planned.next_runs] == ["2026-12-24T18:00:00+01:00"]


async def test_a_name_is_made_of_the_prompt(book: JobBook) -> None:
    prompt = "Read the news of the day,\nand tell me what matters in three lines"
    for _ in range(3):
        await book.add(Wish(when="daily at 8", prompt=prompt), "person", "telegram:7")
    names = [each.job.name for each in await book.all()]
    assert names == ["Read the news of the day, and tell me" + tail for tail in ("", " 2", " 3")]
    with pytest.raises(JobNameTaken):
        await book.add(Wish(names[0].upper(), "daily at 8", prompt="x"), "person", "telegram:7")


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (Wish(when="daily at 8", prompt=" "), "a job needs a prompt"),
        (Wish(prompt="x"), "no time is given"),
        (Wish(when="daily at 25:00", prompt="x"), "25"),
        (Wish(when="daily at 8", prompt="x", zone="Berlin"), "Europe/Berlin"),
        (Wish(when="on 2020-01-01 at 8:00", prompt="x"), "past"),
    ],
)
async def test_what_cannot_be_a_job(book: JobBook, wish: Wish, why: str) -> None:
    with pytest.raises(InnkeeperError, match=why):
        await book.add(wish, "person", "telegram:7")
    assert list(await book.all()) == []


async def test_an_edit_changes_what_is_named_and_no_more(book: JobBook) -> None:
    first = Wish("digest", "daily at 8", prompt="x", skills=("a",), chat_key=CHAT.key, model="h/m", budget=9)
    made = await book.add(first, "person", "telegram:7")
    moved = await book.edit(made.job, Wish(zone="Asia/Tokyo"), "ada")
    assert moved is not None
    assert (moved.when, moved.next_runs[0].isoformat()) == ("daily at 8:00", "2026-11-11T08:00:00+09:00")
    fewer = await book.edit(moved.job, Wish(name=" ", skills=(), budget=0, model="", silent_unless="rain"), "ada")
    assert fewer is not None
    spec = fewer.job.spec
    assert (spec.name, spec.prompt, spec.zone, spec.chat_key) == ("digest", "x", "Asia/Tokyo", CHAT.key)
    assert (spec.skills, spec.budget, spec.model, spec.silent_unless) == ((), None, "", "rain")
    with pytest.raises(UnclearTime):
        await book.edit(fewer.job, Wish(when="sometimes"), "ada")


@pytest.mark.parametrize(
    ("until", "moment"),
    [
        ("", UNTIL_RESUMED),
        ("2026-12-24", at("2026-12-24 00:00")),
        ("until 2026-12-24", at("2026-12-24 00:00")),
        ("tomorrow at 7:00", at("2026-11-11 07:00")),
        ("in 3 days", at("2026-11-13 06:00")),
    ],
)
async def test_pauses_in_words(book: JobBook, until: str, moment: float) -> None:
    made = await book.add(Wish("digest", "daily at 8", prompt="x"), "person", "telegram:7")
    paused = await book.pause(made.job, "ada", until)
    assert paused is not None
    assert paused.job.paused_until == moment
    with pytest.raises(UnclearTime):
        await book.pause(made.job, "ada", "every monday at 9:00")


async def test_a_proposal_runs_when_a_person_says_yes() -> None:
    desk = Desk(NOW)
    wish = Wish("digest", "daily at 7:00", prompt="x", chat_key=CHAT.key)
    planned = await desk.book.add(wish, "assistant", "telegram:7", enabled=False)
    assert planned.next_runs == ()
    async with desk.open():
        await desk.until(at("2026-11-11 12:00"))
        assert desk.scripted.asked == []
        await desk.store.jobs.enable(planned.job.id, "ada", desk.clock.now())
        desk.scheduler.wake()
        await desk.until(at("2026-11-12 07:00"))
    assert [began for _, _, began in desk.scripted.asked] == [at("2026-11-12 07:00")]
