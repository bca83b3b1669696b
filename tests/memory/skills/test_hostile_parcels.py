"""What comes from outside stays outside: nothing beside the skills folder is read or written, and each refusal says
why."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.skills.crate import Rejected, opened
from memory.skills.install import Declined, Installer, Origins
from memory.skills.parcel import look, parcel
from tests.memory.skills.hostile_parcels import EVERY, SECRET, Case
from tests.memory.skills.shed import ADA, Shed, tree


def refusal(shed: Shed, path: Path) -> str:
    """Why it was not installed."""
    try:
        crate = opened(path)
        try:
            inside = look(crate)
            if inside.unfit:
                return inside.unfit[0].why
            it = parcel(crate, inside.pick())
        finally:
            crate.close()
    except Rejected as error:
        return str(error)
    result = Installer(shed.library, shed.store, lambda: shed.time).install(it, Origins(str(path)), ADA)
    return result.why if isinstance(result, Declined) else f"{result}"


def test_there_are_sixty_and_more() -> None:
    assert len({each.name for each in EVERY}) == len(EVERY) >= 60


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_nothing_gets_in_and_the_reason_is_told(case: Case, shed: Shed, tmp_path: Path) -> None:
    victim = shed.home / ".env"
    victim.write_text(SECRET)
    shed.put("tidy/SKILL.md")
    outside = tmp_path / "outside"
    outside.mkdir()
    path = case.make(outside, victim)
    before = tree(tmp_path)

    why = refusal(shed, path)

    assert case.says in why
    assert why.endswith((".", "…")), why
    assert len(why) < 1_500
    assert SECRET not in why
    assert tree(tmp_path) == before
    assert shed.names() == ["tidy"]
