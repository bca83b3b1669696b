"""The one fault of this room: what was written names no time that a job could run at."""

from __future__ import annotations

from gateway.errors import InnkeeperError


class UnclearTime(InnkeeperError):
    """What was written is wrong, past or could mean two things. `str(error)` says which, and what to write.

    `hints` are whole phrases that could be written instead. In one that nobody has tried yet, `{date}` stands for a
    date to come; whoever reads phrases leaves only those that are understood at that moment.
    """

    def __init__(self, problem: str, *hints: str) -> None:
        joint = " " if problem.endswith("?") else "; "
        super().__init__(f"{problem}{joint}write {_either(hints)}" if hints else problem)
        self.problem = problem
        self.hints = hints


def _either(hints: tuple[str, ...]) -> str:
    *most, last = (f"'{each}'" for each in hints)
    return f"{', '.join(most)} or {last}" if most else last
