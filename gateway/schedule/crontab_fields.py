"""The five fields of a crontab line: from text to numbers, with errors that name the field and say what is right.

Names, lists, ranges and steps as in Unix cron (Vixie's, and its descendants). What the fields mean together, day or
weekday above all, is left to crontab.
"""

from __future__ import annotations

from dataclasses import dataclass

from gateway.schedule.errors import UnclearTime

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
SUNDAY = 7
STRANGERS = (
    ("l", "'last' is not part of Unix cron; name the days, such as 28"),
    ("w", "'nearest working day' is not part of Unix cron; name the days, or use weekdays 1-5"),
    ("#", "'the n-th weekday' is not part of Unix cron; name the days, such as 1-7"),
    ("?", "? is not part of Unix cron; write *"),
    ("h", "H is not part of Unix cron; write a number"),
    ("~", "random times are not part of this cron; write a number"),
)


@dataclass(frozen=True, slots=True)
class Field:
    """What one field allows: `values` ascending, and whether it was written with a leading `*` (also `*/2`)."""

    values: tuple[int, ...]
    star: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """What may stand in a field: the numbers from `low` to `high`, or `names`, the first of which is `low`.

    `count` is how many different values there are: for weekdays 7, since 0 and 7 are one.
    """

    name: str
    low: int
    high: int
    count: int
    allowed: str
    names: tuple[str, ...] = ()

    def read(self, text: str) -> Field:
        """The field, from its lower-case text. UnclearTime names the field."""
        values: set[int] = set()
        for item in text.split(","):
            if not item:
                raise self.wrong(text, "an item of the list is empty")
            values.update(self._item(item))
        if self.high == SUNDAY:
            values = {value % SUNDAY for value in values}
        return Field(tuple(sorted(values)), star=text.startswith("*"))

    def wrong(self, text: str, why: str) -> UnclearTime:
        return UnclearTime(f"cron, field {self.name}, {text!r}: {why}; allowed are {self.allowed}")

    def _item(self, item: str) -> range:
        span, slash, step_text = item.partition("/")
        step = self._step(item, step_text, alone=span.isalnum()) if slash else 1
        if span == "*":
            # Weekday 7 is 0 once more.
            return range(self.low, self.low + self.count, step)
        first_text, dash, last_text = span.partition("-")
        first = self._number(item, first_text)
        if not dash:
            return range(first, first + 1)
        last = self._number(item, last_text)
        if self.high == SUNDAY and last == 0 < first < SUNDAY:
            last = SUNDAY
        if first > last:
            raise self.wrong(item, f"the range runs backwards; write {self._turned(first_text, last_text)}")
        return range(first, last + 1, step)

    def _step(self, item: str, text: str, *, alone: bool) -> int:
        if not text.isdecimal() or not text.isascii() or int(text) < 1:
            raise self.wrong(item, "after / stands a whole number from 1")
        if int(text) > self.count:
            raise self.wrong(item, f"a step over {self.count} never comes; for longer times write, say, 'every 90m'")
        if alone:
            written = item.partition("/")[0]
            self._number(item, written)
            raise self.wrong(item, f"a step needs a range; write {written}-{self.high}/{text} or */{text}")
        return int(text)

    def _number(self, item: str, text: str) -> int:
        if text.isdecimal() and text.isascii():
            number = int(text)
            if self.low <= number <= self.high:
                return number
            raise self.wrong(item, f"{number} is out of range")
        for place, name in enumerate(self.names):
            if text in (name, name[:3]):
                return self.low + place
        for sign, why in STRANGERS:
            if sign in text.lstrip("0123456789")[:1] or text.startswith(sign):
                raise self.wrong(item, why)
        raise self.wrong(item, f"{text!r} is not a value" if text else "a value is missing")

    def _turned(self, first: str, last: str) -> str:
        """A range that runs over the end, as the two that Unix knows."""
        if self.high == SUNDAY and first.lstrip("0") == str(SUNDAY):
            return f"0-{last}" if last.strip("0") not in ("", "sun", "sunday") else "0"
        end, start = (self.names[-1][:3], self.names[0][:3]) if first.isalpha() else (str(self.high), str(self.low))
        if self.high == SUNDAY and not first.isalpha():
            end = "6"
        return ",".join(a if a == b else f"{a}-{b}" for a, b in ((first, end), (start, last)))


MINUTE = Kind("minute", 0, 59, 60, "0-59, *, lists such as 0,30, ranges such as 0-29, steps such as */15")
HOUR = Kind("hour", 0, 23, 24, "0-23, *, lists such as 9,18, ranges such as 9-17, steps such as */2")
DAY_OF_MONTH = Kind("day", 1, 31, 31, "1-31, *, lists such as 1,15, ranges such as 1-7, steps such as */2")
MONTH = Kind("month", 1, 12, 12, "1-12 or jan-dec, *, lists, ranges and steps", MONTHS)
WEEKDAY = Kind("weekday", 0, SUNDAY, 7, "0-7 (0 and 7 are Sunday) or sun-sat, *, lists, ranges and steps", WEEKDAYS)
KINDS = (MINUTE, HOUR, DAY_OF_MONTH, MONTH, WEEKDAY)
