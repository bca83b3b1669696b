"""The journey as it came about: frames, their pace, and the terminal afterwards. No second of it is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC

import pytest
from inline_snapshot import snapshot
from rich.text import Text

from gateway.drawing.play import HIDE, SHOW, Screen, Size, frame, moment_at, needed, play, seconds
from gateway.drawing.strip import Look
from memory.journey.model import Timeline
from tests.drawing.made import DAY, NOW, at, inn, many, node

LOOK = Look(60, UTC)


class Moved:
    """A clock that sleeps at once; `each` is how many seconds a frame takes to be drawn."""

    def __init__(self, each: float = 0.0, cut_at: float = 1e9) -> None:
        self.time = 100.0
        self.slept: list[float] = []
        self._each = each
        self._cut_at = cut_at

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds + self._each
        if self.time - 100.0 > self._cut_at:
            raise asyncio.CancelledError


class Paper:
    """A screen that keeps everything that was written on it."""

    def __init__(self, size: Callable[[], Size] = lambda: Size(60, 12)) -> None:
        self.written: list[str] = []
        self.screen = Screen(self.written.append, lambda line: line.plain, size)

    @property
    def frames(self) -> list[str]:
        return [each for each in self.written if "[" in each and "]" in each and each != HIDE]


def plain(lines: list[Text]) -> list[str]:
    return [each.plain.rstrip() for each in lines]


@pytest.mark.parametrize("fps", [1, 12, 60])
async def test_there_are_as_many_frames_as_were_asked_for(fps: int) -> None:
    clock, paper = Moved(), Paper()
    await play(inn(), LOOK, paper.screen, clock, fps)
    assert clock.time - 100.0 == pytest.approx(seconds(8))
    assert len(clock.slept) == pytest.approx(seconds(8) * fps, abs=1)


async def test_a_slow_terminal_gets_fewer_frames_and_no_longer_play() -> None:
    clock, paper = Moved(each=0.5), Paper()
    await play(inn(), LOOK, paper.screen, clock, 60)
    assert clock.time - 100.0 < seconds(8) + 1
    assert len(clock.slept) <= seconds(8) / 0.5 + 1


async def test_the_cursor_is_back_after_the_end_and_after_a_break() -> None:
    whole, broken = Paper(), Paper()
    await play(inn(), LOOK, whole.screen, Moved())
    with pytest.raises(asyncio.CancelledError):
        await play(inn(), LOOK, broken.screen, Moved(cut_at=1.0))
    for paper in (whole, broken):
        assert paper.written[0] == HIDE
        assert paper.written[-1].startswith(SHOW)
        assert paper.written[-1].endswith("\r\n\x1b[J")
        assert "".join(paper.written).count("\x1b[?25h") == 1
    assert len(broken.written) < len(whole.written)


async def test_frames_are_drawn_over_each_other() -> None:
    paper = Paper()
    await play(inn(), LOOK, paper.screen, Moved())
    first, *others = paper.frames
    assert first.startswith("\x1b[KWhat was learnt  1 thing")
    assert others
    assert all(each.startswith("\r\x1b[11A") and each.count("\r\n") == 11 for each in others)


async def test_a_terminal_whose_size_changes_is_drawn_anew() -> None:
    sizes = iter([Size(60, 12), Size(60, 12), *[Size(50, 10)] * 1000])
    paper = Paper(lambda: next(sizes))
    await play(inn(), LOOK, paper.screen, Moved())
    starts = [each.startswith("\x1b[2J\x1b[H") for each in paper.frames]
    assert starts[:4] == [False, False, True, False]
    assert sum(starts) == 1


def test_the_first_the_middle_and_the_last_frame() -> None:
    assert plain(frame(inn(), LOOK, 12, 0.0)) == snapshot(
        [
            "What was learnt  1 thing  3 October 2026",
            "● 1 about people",
            "",
            "October 2026",
            "Sat  3   ● Prefers short answers",
            "",
            "",
            "",
            "",
            "",
            "",
            "[░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░] 3 October 2026",
        ]
    )
    assert plain(frame(inn(), LOOK, 12, 0.5)) == snapshot(
        [
            "What was learnt  4 things  3 October to 2 November 2026",
            "★ 1 skill   ◆ 1 memory   ● 2 about people",
            "",
            "October 2026",
            "Sat  3 ┌ ● Prefers short answers",
            "       └ ◆ The key of the cellar hangs behind th…  (changed)",
            "Sat 17   ● 誕生日は三月三日です。毎年お祝いをするので忘れな…",
            "November 2026",
            "Mon  2   ★ deploy-checks  (pinned)",
            "",
            "",
            "[█████████████████████░░░░░░░░░░░░░░░░░░░░░] 2 November 2026",
        ]
    )
    assert plain(frame(inn(), LOOK, needed(inn(), LOOK), 1.0)) == snapshot(
        [
            "What was learnt  8 things  3 October to 28 November 2026",
            "★ 2 skills   ◆ 4 memories   ● 2 about people",
            "",
            "October 2026",
            "Sat  3 ┌ ● Prefers short answers",
            "       └ ◆ The key of the cellar hangs behind th…  (changed)",
            "Sat 17   ● 誕生日は三月三日です。毎年お祝いをするので忘れな…",
            "November 2026",
            "Mon  2 ┌ ★ deploy-checks  (pinned)",
            "       └ ◆ Run deploy-checks first  → deploy-checks",
            "         ◆ 👩\u200d👩\u200d👧\u200d👦 stay until Sunday  (removed)",
            "Fri 20   ★ old-ways  → deploy-checks  (archived)",
            "Sat 28   ◆ Written by hand  (stale, by hand)",
            "",
            "[█████████████████████████████████████████] 28 November 2026",
        ]
    )


def test_time_never_runs_back_and_everything_has_come_in_the_end() -> None:
    timeline = many(40, 90)
    moments = [moment_at(timeline, step / 200) for step in range(201)]
    assert moments == sorted(moments)
    assert (moments[0], moments[-1]) == (timeline.nodes[0].at, timeline.nodes[-1].at)


def test_a_busy_day_is_seen_and_a_quiet_year_is_not_waited_for() -> None:
    busy = [node(f"{each}", "user", f"{each}", NOW + each * 60) for each in range(20)]
    late = node("late", "user", "late", NOW + 365 * DAY)
    timeline = Timeline((*busy, late), ())
    assert moment_at(timeline, 0.25) < NOW + 20 * 60
    assert moment_at(timeline, 0.95) < NOW + 365 * DAY


@pytest.mark.parametrize("height", [1, 8, 20, 60])
@pytest.mark.parametrize("done", [0.0, 0.3, 0.99, 1.0])
def test_every_frame_has_as_many_lines_and_keeps_to_the_width(height: int, done: float) -> None:
    for timeline in (inn(), many(1), many(300), Timeline([node("x", "user", "x", at(2026, 1, 1))] * 3, ())):
        lines = frame(timeline, Look(40, UTC), height, done)
        assert len(lines) == max(8, height)
        assert max(each.cell_len for each in lines) <= 40


def test_the_slider_fills_up() -> None:
    full = [frame(inn(), LOOK, 12, step / 10)[-1].plain.count("█") for step in range(11)]
    assert full == sorted(full)
    assert full[0] == 0
    assert "░" not in frame(inn(), LOOK, 12, 1.0)[-1].plain
