"""What people write for a time, what it means, and what they are told when it could mean two things."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from gateway.schedule.crontab import Crontab
from gateway.schedule.errors import UnclearTime
from gateway.schedule.phrases import describe, parse
from gateway.schedule.times import Every, Once, Schedule

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY_NOON = datetime(2026, 11, 30, 12, 0, tzinfo=BERLIN)


def read(text: str) -> Schedule:
    return parse(text, BERLIN, MONDAY_NOON)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("in 30m", "2026-11-30 12:30"),
        ("in 2 hours", "2026-11-30 14:00"),
        ("in 1h30m", "2026-11-30 13:30"),
        ("in 1 hour and 30 minutes", "2026-11-30 13:30"),
        ("in half an hour", "2026-11-30 12:30"),
        ("in an hour", "2026-11-30 13:00"),
        ("in 2 days", "2026-12-02 12:00"),
        ("in a week", "2026-12-07 12:00"),
        ("2h from now", "2026-11-30 14:00"),
        ("30 minutes from now", "2026-11-30 12:30"),
        ("on 2026-12-24 at 18:00", "2026-12-24 18:00"),
        ("2026-12-24 18:00", "2026-12-24 18:00"),
        ("2026-12-24T18:00", "2026-12-24 18:00"),
        ("2026-12-24T18:00:00Z", "2026-12-24 19:00"),
        ("2026-12-24T18:00+05:30", "2026-12-24 13:30"),
        ("24 december at 18:00", "2026-12-24 18:00"),
        ("on December 24th at 6pm", "2026-12-24 18:00"),
        ("on 3 march at 8", "2027-03-03 08:00"),
        ("on december 24, 2027 at noon", "2027-12-24 12:00"),
        ("on 29 february at 9", "2028-02-29 09:00"),
        ("today at 18:00", "2026-11-30 18:00"),
        ("tonight at 8pm", "2026-11-30 20:00"),
        ("Tomorrow at 7", "2026-12-01 07:00"),
        ("tomorrow 7:30 pm", "2026-12-01 19:30"),
        ("at 9 tomorrow", "2026-12-01 09:00"),
        ("12am tomorrow", "2026-12-01 00:00"),
        ("the day after tomorrow at 12pm", "2026-12-02 12:00"),
        ("next friday 10am", "2026-12-04 10:00"),
        ("friday at 10", "2026-12-04 10:00"),
        ("on sunday at midnight", "2026-12-06 00:00"),
        ("next monday at 10", "2026-12-07 10:00"),
        ("mon 9am", "2026-12-07 09:00"),
        ("monday at 10", "2026-12-07 10:00"),
        ("tue 9", "2026-12-01 09:00"),
        ("tomorrow 9", "2026-12-01 09:00"),
        ("in five minutes", "2026-11-30 12:05"),
        ("in twelve hours", "2026-12-01 00:00"),
        ("in two days and three hours", "2026-12-02 15:00"),
        ("tomorrow at nine", "2026-12-01 09:00"),
        ("tomorrow morning", "2026-12-01 09:00"),
        ("tomorrow in the afternoon", "2026-12-01 15:00"),
        ("this evening", "2026-11-30 18:00"),
        ("tomorrow night", "2026-12-01 21:00"),
        ("friday morning at 8", "2026-12-04 08:00"),
        ("friday evening at 8", "2026-12-04 20:00"),
        ("friday evening 7:30pm", "2026-12-04 19:30"),
        ("friday night at 7", "2026-12-04 19:00"),
        ("friday night at 23:30", "2026-12-04 23:30"),
        ("friday afternoon at 12", "2026-12-04 12:00"),
        ("friday afternoon at 5:59", "2026-12-04 17:59"),
        ("friday evening at 4", "2026-12-04 16:00"),
        ("friday morning at 0:30", "2026-12-04 00:30"),
        ("at eight in the evening tomorrow", "2026-12-01 20:00"),
        ("tomorrow at eight in the evening", "2026-12-01 20:00"),
        ("on december 24 at 9 at night", "2026-12-24 21:00"),
        ("8 in the morning tomorrow", "2026-12-01 08:00"),
        ("on december 8 in the evening", "2026-12-08 18:00"),
        ("12/24/2026 18:00", "2026-12-24 18:00"),
        ("24.12.2026 18:00", "2026-12-24 18:00"),
        ("on 24.12. at 18:00", "2026-12-24 18:00"),
        ("12/24 at 6pm", "2026-12-24 18:00"),
        ("12/24/26 at 6pm", "2026-12-24 18:00"),
        ("12/12/2026 at 6pm", "2026-12-12 18:00"),
    ],
)
def test_one_moment(text: str, moment: str) -> None:
    assert read(text) == Once(datetime.fromisoformat(moment).replace(tzinfo=BERLIN))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("every 2h", 7200),
        ("every 15 minutes", 900),
        ("each hour", 3600),
        ("every 1h 30m", 5400),
        ("every 90m", 5400),
        ("every other day", 172800),
        ("every 2 weeks", 1209600),
        ("every two hours", 7200),
        ("every twelve hours", 43200),
    ],
)
def test_intervals_count_from_now(text: str, seconds: int) -> None:
    assert read(text) == Every(seconds, MONDAY_NOON)


def test_intervals_count_from_where_they_are_told() -> None:
    tomorrow = Every(172800, datetime(2026, 12, 1, 9, tzinfo=BERLIN))
    assert read("every 2 days from tomorrow at 9") == tomorrow
    assert read("every 48 hours, starting from 2026-12-01 at 9:00") == tomorrow


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hourly", "0 * * * *"),
        ("hourly at :15", "15 * * * *"),
        ("hourly at :15 and :45 on weekdays", "15,45 * * * 1-5"),
        ("every 15 minutes on the clock", "*/15 * * * *"),
        ("every 2 hours on the clock on weekends", "0 */2 * * 0,6"),
        ("daily at 9", "0 9 * * *"),
        ("every day at 9am", "0 9 * * *"),
        ("at noon every day", "0 12 * * *"),
        ("daily at 9, 12 and 18", "0 9,12,18 * * *"),
        ("daily at 9:00, 9:30, 10:00 and 10:30", "0,30 9,10 * * *"),
        ("weekdays at 9am", "0 9 * * 1-5"),
        ("weekdays 9:30", "30 9 * * 1-5"),
        ("every weekday at 9", "0 9 * * 1-5"),
        ("at 9am on weekdays", "0 9 * * 1-5"),
        ("weekends at noon", "0 12 * * 0,6"),
        ("every monday 9:30", "30 9 * * 1"),
        ("every mon 9", "0 9 * * 1"),
        ("every mon 9am", "0 9 * * 1"),
        ("weekdays 9", "0 9 * * 1-5"),
        ("daily 9 and 18", "0 9,18 * * *"),
        ("every morning", "0 9 * * *"),
        ("every weekday evening", "0 18 * * 1-5"),
        ("monday mornings", "0 9 * * 1"),
        ("every friday night at eleven", "0 23 * * 5"),
        ("every day at eight in the evening", "0 20 * * *"),
        ("at 7:30 in the evening on weekdays", "30 19 * * 1-5"),
        ("Every Monday at 9:30 a.m.", "30 9 * * 1"),
        ("9:30 every monday", "30 9 * * 1"),
        ("mondays and thursdays at 18:00", "0 18 * * 1,4"),
        ("mon, wed, and fri at 7:15", "15 7 * * 1,3,5"),
        ("monday to friday at 9", "0 9 * * 1-5"),
        ("fri-mon at 9", "0 9 * * 0,1,5,6"),
        ("weekly on sunday at 8", "0 8 * * 0"),
        ("every month on the 1st at 8", "0 8 1 * *"),
        ("monthly on the 1st and 15th at 8:30", "30 8 1,15 * *"),
        ("on the 31st of every month at 9", "0 9 31 * *"),
        ("every month on the 13th or on fridays at 0:00", "0 0 13 * 5"),
        ("every year on december 24 at 18:00", "0 18 24 12 *"),
        ("every 24th of december at 6pm", "0 18 24 12 *"),
        ("every monday at 9 in january and july", "0 9 * 1,7 1"),
        ("daily at 9 in may", "0 9 * 5 *"),
        ("0 9 * * 1-5", "0 9 * * 1-5"),
        ("cron 0 9 * * MON-FRI", "0 9 * * 1-5"),
        ("@daily", "0 0 * * *"),
    ],
)
def test_days_that_come_again(text: str, line: str) -> None:
    assert read(text) == Crontab.parse(line)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "'in 30m'"),
        ("soon", "'daily at 9:00'"),
        ("30m", "write 'in 30m' or 'every 30m'"),
        ("at 18:00", "'daily at 18:00'"),
        ("9am", "'tomorrow at 9am'"),
        ("daily", "write 'daily at 9:00'"),
        ("every day", "write 'every day at 9:00'"),
        ("every monday", "write 'every monday at 9:00'"),
        ("mondays", "write 'mondays at 9:00'"),
        ("weekly", "'every monday at 9:00'"),
        ("every month at 9", "'every month on the 1st at 9:00'"),
        ("every month on the last day at 9", "28th"),
        ("on the 1st at 9", "once, or each month?"),
        ("tomorrow", "write 'tomorrow at 9:00'"),
        ("2026-12-24", "write '2026-12-24 at 9:00'"),
        ("monday at 13:00", "'today at 13:00', 'next monday at 13:00' or 'every monday at 13:00'"),
        ("monday", "'today at 18:00', 'today at 23:00', 'next monday at 9:00' or 'every monday at 9:00'"),
        ("tonight", "write 'tonight at 21:00' or 'tonight at 23:00'"),
        ("today", "write 'today at 18:00' or 'today at 23:00'"),
        ("at midnight", "write 'tomorrow at midnight' or 'daily at midnight'"),
        ("12/11/2026 18:00", "write 'on 2026-12-11 at 18:00'"),
        ("12/11/2027 18:00", "write 'on 2027-11-12 at 18:00' or 'on 2027-12-11 at 18:00'"),
        ("on 31.12.", "write 'on 31.12 at 9:00'"),
        ("30/2/2027 at 9", "not in the calendar"),
        ("13/13 at 9", "not in the calendar"),
        ("12/24 and then some", "a date and a time of day"),
        ("every 2 days from tomorrow", "write 'every 2 days from tomorrow at 9:00'"),
        ("tomorrow morning at 8pm", "8pm is no clear time of the morning; write 'tomorrow at 20:00'"),
        ("tomorrow morning at 12", "write 'tomorrow at 0:00' or 'tomorrow at 12:00'"),
        ("friday night at one", "'friday night at one': 1 is no clear time of the night; "),
        ("friday night at 1", "write 'saturday at 1:00' or 'friday at 1:00'"),
        ("every friday night at 1am", "write 'every saturday at 1:00' or 'every friday at 1:00'"),
        ("saturday nights at 5", "write 'every sunday at 5:00' or 'every saturday at 5:00'"),
        ("friday night at 12", "write 'saturday at 0:00' or 'friday at 0:00'"),
        ("friday night at midnight", "write 'saturday at 0:00' or 'friday at 0:00'"),
        ("friday night at 6", "write 'friday at 6:00' or 'friday at 18:00'"),
        ("every night at 2", "write 'every day at 2:00'"),
        ("tomorrow night at 3", "write 'day after tomorrow at 3:00' or 'tomorrow at 3:00'"),
        ("this night at 2", "write 'tomorrow at 2:00'"),
        ("tomorrow evening at 2", "'day after tomorrow at 2:00', 'tomorrow at 2:00' or 'tomorrow at 14:00'"),
        ("tomorrow evening at 12", "write 'day after tomorrow at 0:00', 'tomorrow at 0:00' or 'tomorrow at 12:00'"),
        ("tomorrow afternoon at 11", "write 'tomorrow at 11:00' or 'tomorrow at 23:00'"),
        ("every afternoon at 9", "write 'every day at 9:00' or 'every day at 21:00'"),
        ("tomorrow at 2 at night", "write 'day after tomorrow at 2:00' or 'tomorrow at 2:00'"),
        ("tomorrow at 11 in the afternoon", "write 'tomorrow at 11:00' or 'tomorrow at 23:00'"),
        ("in the morning", "'in the morning' names no time"),
        ("foo five in the evening", "'foo five in the evening' names no time"),
        ("at eight in the evening", "'at eight in the evening': on which days? write 'today at 20:00'"),
        ("sunday evening at eight in may", "'sunday evening at eight in may' names no time"),
        ("this morning", "'this morning' is past"),
        ("every two days at nine", "'every two days at nine': an interval"),
        ("this afternoon at noon at 3", "names no time"),
        ("@every 5m", "write 'every 5m'"),
        ("@every 5s", "write 'every 1m'"),
        ("every 2 hours from tonight", "write 'every 2 hours from tonight at 21:00'"),
        ("tonight at 8", "write 'today at 20:00' or 'tomorrow at 20:00'"),
        ("tonight at 9am", "write 'tomorrow at 9:00'"),
        ("4pm tonight", "write 'today at 16:00' or 'tomorrow at 16:00'"),
        ("tonight at midnight", "write 'tomorrow at 0:00'"),
        ("today at 7", "is past: it was 2026-11-30 07:00 in Europe/Berlin; write 'tomorrow at 7:00'"),
        ("on 2026-11-29 at 18:00", "is past"),
        ("in 0 minutes", "is past"),
        ("on 2027-10-31 at 2:30", "write '2027-10-31T02:30+02:00' or '2027-10-31T02:30+01:00'"),
        ("on 2026-02-30 at 9:00", "not in the calendar"),
        ("on 30 february at 9", "not in the calendar"),
        ("every year on february 30 at 9", "never runs"),
        ("0 0 30 2 *", "never runs"),
        ("0 9 * * 8", "field weekday"),
        ("in hours", "names no time"),
        ("every am", "names no time"),
        ("each and week", "names no time"),
        ("every 10 seconds", "write 'every 1m'"),
        ("every 2 days at 9", "write 'every 2 days from tomorrow at 9'"),
        ("every 2 weeks on monday at 9", "write 'every 2 weeks from next monday at 9'"),
        ("every 2 hours on weekdays", "write 'every 2 hours on the clock on weekdays'"),
        ("every 2 hours from noon", "is no moment to count from"),
        ("every 7 minutes on the clock", "does not divide an hour"),
        ("in 3 months", "no fixed length"),
        ("in 99999999 days", "more than ten years"),
        ("daily at 25", "0:00 to 23:59"),
        ("daily at 9:75", "0:00 to 23:59"),
        ("daily at 13pm", "1 to 12"),
        ("daily at 9 and 18:30", "make two"),
        ("every month on the 32nd at 9", "1st to 31st"),
        ("hourly at :75", "field minute"),
    ],
)
def test_what_is_unclear_is_told_what_to_write(text: str, advice: str) -> None:
    with pytest.raises(UnclearTime) as caught:
        read(text)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@hourly", "hourly"),
        ("@daily", "daily at 0:00"),
        ("@weekly", "every Sunday at 0:00"),
        ("@monthly", "every month on the 1st at 0:00"),
        ("@yearly", "every year on 1 January at 0:00"),
        ("*/15 * * * *", "every 15 minutes on the clock"),
        ("0 9 * * mon-fri", "weekdays at 9:00"),
        ("30 7,19 * * 2,4,6", "every Tuesday, Thursday and Saturday at 7:30 and 19:30"),
        ("0 0 13 * 5", "every month on the 13th or every Friday at 0:00"),
        ("0 9 * 6-8 1", "every Monday at 9:00 in June, July and August"),
        ("15,45 * * * 1-5", "hourly at :15 and :45 on weekdays"),
        ("0 */2 * * *", "every 2 hours on the clock"),
        ("0 0 */2 * 1", "cron 0 0 */2 * 1"),
        ("*/7 * * * *", "cron */7 * * * *"),
        ("0-59 9-17 * * *", "cron 0-59 9-17 * * *"),
        ("in 90 seconds", "on 2026-11-30 at 12:01:30"),
        ("every 36h", "every 36 hours from 2026-11-30 at 12:00"),
        ("2027-10-31T02:30+01:00", "on 2027-10-31 at 2:30 +01:00"),
    ],
)
def test_a_schedule_in_words_that_can_be_written_again(text: str, words: str) -> None:
    schedule = read(text)
    assert describe(schedule, BERLIN) == words
    assert read(words) == schedule


def test_moments_that_the_clocks_skip_are_the_next_minute_that_they_show() -> None:
    assert read("on 2027-03-28 at 2:30") == Once(datetime(2027, 3, 28, 1, 0, tzinfo=UTC))


def test_days_keep_the_time_of_day_and_hours_are_elapsed_time() -> None:
    before = datetime(2026, 10, 24, 12, 0, tzinfo=BERLIN)
    assert parse("in 1 day", BERLIN, before) == Once(datetime(2026, 10, 25, 12, 0, tzinfo=BERLIN))
    assert parse("in 24 hours", BERLIN, before) == Once(datetime(2026, 10, 25, 11, 0, tzinfo=BERLIN))


def test_today_is_the_date_of_the_zone() -> None:
    late = datetime(2026, 11, 30, 16, 0, tzinfo=UTC)
    tokyo = ZoneInfo("Asia/Tokyo")
    assert parse("today at 9", tokyo, late) == Once(datetime(2026, 12, 1, 9, 0, tzinfo=tokyo))
