"""`innkeeper import`: what people learnt and said with another program, taken over from its folder.

What comes over and how is for `gateway.importing`; here it is ordered, watched and told.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.invocation import FAILED, Invocation

if TYPE_CHECKING:
    from datetime import datetime

    from gateway.config.paths import Profile
    from gateway.config.schema import Settings
    from gateway.importing.carry import Doors
    from gateway.importing.carry_jobs import JobDoor
    from gateway.importing.hermes_home import HermesHome
    from gateway.importing.plan import Fate, Item, Outcome
    from memory.skills.library import Library

SHOWN = 30
"""Things of one kind that are named, at most; the file has all of them."""

FOLDER = "import-hermes"
PATIENCE = 1.0
"""Seconds that an import waits for another one."""


@click.group(name="import")
def import_() -> None:
    """Take over memories, skills, jobs and conversations from another program."""


@import_.command()
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="Its folder, if not ~/.hermes.")
@click.option("--dry-run", is_flag=True, help="Say what would come over, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
@click.pass_context
def hermes(ctx: click.Context, home: Path | None, dry_run: bool, as_json: bool) -> None:
    """Take over memories, skills, jobs and sessions from Hermes Agent, whose folder is only read. Jobs come paused. A
    second run takes what came since."""
    from gateway.importing.hermes_home import home_of, look
    from gateway.importing.plan import as_data
    from memory.files import FileTrouble

    invocation = ctx.find_object(Invocation)
    assert invocation is not None, "the root command makes it"
    profile = invocation.profile()
    folder = home_of(home, invocation.environment)
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(profile.home)):
        raise click.UsageError(f"{folder} is Innkeeper's own folder. Name that of Hermes Agent with --home.")
    found = look(folder)
    try:
        outcome = asyncio.run(_carried(invocation, profile, found, dry_run))
        if not dry_run:
            outcome.left_out = _keep(profile, outcome)
    except FileTrouble as error:
        click.echo(str(error), err=True)
        ctx.exit(FAILED)
    if as_json:
        click.echo(json.dumps(as_data(outcome), ensure_ascii=False, indent=2))
    else:
        from platforms.console.render import printable

        text = "\n".join(_lines(outcome, profile))
        click.echo(printable(text) if sys.stdout.isatty() else text)
    ctx.exit(0 if outcome.ok else FAILED)


async def _carried(invocation: Invocation, profile: Profile, found: HermesHome, dry: bool) -> Outcome:
    from gateway.config.profiles import prepare
    from gateway.importing.carry import carry
    from gateway.importing.plan import SCOPE
    from gateway.state.foreign import PREFIX
    from gateway.state.imported import noted_in
    from gateway.state.store import SqliteStore
    from memory.files import locked

    settings = invocation.settings().settings
    if dry:
        doors = _doors(profile, settings, Path(tempfile.gettempdir()))
        return await carry(found, doors, None, noted_in(profile.database, SCOPE), _unseen, _never)
    prepare(profile)
    with locked(profile.cache / FOLDER / ".lock", PATIENCE):
        for each in profile.cache.glob(f"{PREFIX}*"):
            shutil.rmtree(each, ignore_errors=True)
        store = await SqliteStore.open(profile.database)
        try:
            noted = await store.imports.noted(SCOPE)
            with _Bar() as bar, _Stop() as stop:
                doors = _doors(profile, settings, profile.cache)
                return await carry(found, doors, store.imports, noted, bar.show, stop.asked, store.jobs)
        finally:
            await store.close()


def _doors(profile: Profile, settings: Settings, scratch: Path) -> Doors:
    from gateway.clock import SystemClock
    from gateway.engine.gates.gatekeeper import memories
    from gateway.engine.gates.skill_gatekeeper import gated_skills
    from gateway.importing.carry import Doors
    from memory.scan.doubt import doubt_draft
    from memory.scan.scanner import check
    from memory.skills.install import Installer

    now = SystemClock().now
    kept = gated_skills(profile, lambda: settings, now)
    return Doors(
        memory=memories(profile, lambda: settings, now).shelf.own,
        library=kept.library,
        skills=kept.store,
        installer=Installer(kept.library, kept.store, now),
        check=check,
        doubtful=lambda draft: settings.memory.hold_doubtful and doubt_draft(draft) is not None,
        by_person=settings.sessions.group_scope == "person",
        scratch=scratch,
        jobs=_job_door(settings, now, kept.library),
    )


def _job_door(settings: Settings, now: Callable[[], float], library: Library) -> JobDoor:
    from gateway.engine.arrival.session_key import home_chats
    from gateway.importing.carry_jobs import JobDoor

    homes = {chat.platform: chat.key for chat in reversed(home_chats(settings))}

    def skills() -> frozenset[str]:
        return frozenset(each.name for each in library.found().skills)

    return JobDoor(
        lambda words, moment, zone: _read(settings, now(), words, moment, zone),
        skills,
        lambda platform: homes.get(platform, ""),
        now,
    )


def _read(settings: Settings, now: float, words: str, moment: datetime | None, named: str) -> tuple[str, str]:
    """A time of another program, as it is stored here. Raises UnclearTime."""
    from datetime import UTC, datetime

    from gateway.config.own_zone import own_zone
    from gateway.schedule import phrases, times
    from gateway.schedule.wall import zone_named

    zone = zone_named(named) if named else own_zone(settings)
    local = datetime.fromtimestamp(now, UTC).astimezone(zone)
    if moment is not None:
        at = moment.replace(tzinfo=zone) if moment.utcoffset() is None else moment.astimezone(zone)
        words = f"on {at:%Y-%m-%d} at {at:%H:%M}"
    return times.dump(phrases.parse(words, zone, local)), zone.key


def _keep(profile: Profile, outcome: Outcome) -> str:
    """Keep what was left out as a file for people; where it lies, empty when nothing was."""
    from gateway.importing.plan import left_out
    from memory.files import read_bytes, write_atomic

    path = profile.cache / FOLDER / "left-out.md"
    text = left_out(outcome.items)
    if not text:
        path.unlink(missing_ok=True)
        return ""
    if read_bytes(path) != text.encode("utf-8", "replace"):
        write_atomic(path, text)
    return str(path)


# Watching


def _unseen(done: int, total: int) -> None:
    """Nobody waits for long."""


def _never() -> bool:
    return False


class _Bar:
    """How many sessions are done, as a line that is drawn over itself, where somebody looks."""

    def __enter__(self) -> _Bar:
        self._drawn = False
        return self

    def show(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and (done % 20 == 0 or done == total):
            self._drawn = True
            click.echo(f"\r\x1b[Ksessions: {done:,} of {total:,}", err=True, nl=False)

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            click.echo("", err=True)


class _Stop:
    """Ctrl-C, heard between sessions: what is being stored is stored whole. A second one ends everything."""

    def __enter__(self) -> _Stop:
        self._asked = False
        try:
            self._before: Any = signal.signal(signal.SIGINT, self._ask)
        except ValueError:  # not the main thread: nobody types there
            self._before = None
        return self

    def asked(self) -> bool:
        return self._asked

    def _ask(self, *_: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


# Telling


def _lines(outcome: Outcome, profile: Profile) -> Iterator[str]:
    home = outcome.home
    yield f"From {home.folder}{', a dry run: nothing is written' if outcome.dry else ''}."
    for kind, name in (("memory", "MEMORY.md"), ("user", "USER.md")):
        items = [each for each in outcome.items if each.kind == kind]
        if items:
            yield f"{name}: {_counted(items, 'entry', 'entries', outcome.dry)}."
    items = [each for each in outcome.items if each.kind == "skill"]
    if items:
        yield f"Skills: {_counted(items, 'skill', 'skills', outcome.dry)}."
    items = [each for each in outcome.items if each.kind == "job"]
    if items:
        yield f"Jobs: {_counted(items, 'job', 'jobs', outcome.dry)}."
    yield from _named("Jobs that came, paused until /cron resume", [each for each in items if each.fate == "taken"])
    yield from _sessions(outcome)
    for heading, fates in (("Left out", ("left",)), ("Waiting or gone", ("waits", "gone"))):
        yield from _named(heading, [each for each in outcome.items if each.fate in fates])
    if outcome.left_out:
        yield f"What was left out can be read in full in {outcome.left_out}."
    yield from _remarks(outcome, profile)


def _counted(items: Sequence[Item], one: str, more: str, dry: bool) -> str:
    words: dict[Fate, str] = {
        "taken": "would come over" if dry else "came over",
        "waits": "would wait for your yes" if dry else "wait for your yes (innkeeper memory pending)",
        "there": "there already",
        "gone": "taken over before, and removed or changed here since",
        "skipped": "as they were shipped with Hermes Agent, and not taken",
        "left": "left out",
    }
    counts = Counter(each.fate for each in items)
    told = [f"{counts[fate]} {said}" for fate, said in words.items() if counts[fate]]
    return f"{len(items)} {one if len(items) == 1 else more}: {', '.join(told)}"


def _sessions(outcome: Outcome) -> Iterator[str]:
    tally = outcome.sessions
    counts = [
        (tally.taken, f"{'would come' if outcome.dry else 'came'} over, with {_number(tally.messages, 'message')}"),
        (tally.there, "there already"),
        (tally.gone, "removed or gone on with here since"),
        (tally.empty, "without a message"),
        (tally.errands, "errands of the assistant, not taken"),
    ]
    told = [f"{count:,} {said}" for count, said in counts if count]
    if told:
        yield f"Sessions: {', '.join(told)}."
    if tally.platforms:
        where = ", ".join(f"{name} {count:,}" for name, count in tally.platforms.most_common())
        yield f"Where they were held: {where}."
    if tally.left:
        yield f"Messages that were not taken: {', '.join(f'{n:,} {why}' for why, n in tally.left.most_common())}."
    if tally.stopped:
        yield "Stopped before the end. What came over is whole; the same command goes on."


def _number(count: int, word: str) -> str:
    return f"{count:,} {word if count == 1 else f'{word}s'}"


def _named(heading: str, items: Sequence[Item]) -> Iterator[str]:
    if not items:
        return
    yield f"{heading}:"
    for each in items[:SHOWN]:
        yield f"- {each.kind} “{each.name}”: {each.why}"
    if len(items) > SHOWN:
        yield f"- and {len(items) - SHOWN} more"


def _remarks(outcome: Outcome, profile: Profile) -> Iterator[str]:
    from gateway.config.lock import holder
    from memory.model import Target

    home = outcome.home
    if holder(profile) is not None and not outcome.dry:
        yield "The gateway runs: what came over is in conversations that begin from now on (/new)."
    keys = {Target.MEMORY: "memory.memory_char_limit", Target.USER: "memory.user_char_limit"}
    for target, allowed in home.limits.items():
        if allowed > outcome.limits[target]:
            yield (
                f"{target.file_name} could hold {allowed:,} characters there, and {outcome.limits[target]:,} here. "
                f"For the same: innkeeper config set {keys[target]} {allowed}, and import again."
            )
    if home.persona is not None:
        yield f"Its persona stays there. To use it here: {shlex.join(['cp', str(home.persona), str(profile.soul)])}"
    if home.external:
        yield f"Skills in other folders are not copied; name them in skills.external_dirs: {', '.join(home.external)}"
    for each in home.profiles:
        name = each.name.lower()
        order = shlex.join(["innkeeper", "-p", name, "import", "hermes", "--home", str(each)])
        yield f"It has a profile {each.name}. For that one: innkeeper profile create {name}, then {order}"
    if home.transcripts and home.database is None:
        yield f"Not read: {_number(home.transcripts, 'transcript')} of an old version in {home.folder / 'sessions'}."
    yield from home.remarks
    yield "Settings and keys are not taken over: innkeeper setup asks for them."
