"""Which answers of a job count as silence, and what it may spend."""

from __future__ import annotations

import pytest

from gateway.engine.jobs.job_turn import JobTurn, silent
from gateway.transcript import Usage
from platforms.messages import ChatKind, ChatRef, Inbound, Sender


@pytest.mark.parametrize(
    ("text", "always", "conditional"),
    [
        ("[silent]", True, True),
        (" **[SILENT]**\n", True, True),
        ("`[silent]`.", True, True),
        ("Nothing is new.\n\n[silent]", True, True),
        ("[silent]\nNothing is new.", True, True),
        ("silent", False, True),
        ("Silent.", False, True),
        ("The night was silent.", False, False),
        ("Say [silent] to be left alone.", False, False),
        ("One.\n[silent]\nTwo.", False, False),
        ("silent\nnight", False, False),
        ("[silent] Nothing is new.", False, True),
        ("It does not rain: [silent].", False, True),
        ("**[SILENT]** – no rain.\nThe sky is clear.", False, True),
        ("", False, False),
    ],
)
def test_silence(text: str, always: bool, conditional: bool) -> None:
    assert silent(text, conditional=False) is always
    assert silent(text, conditional=True) is conditional


def job(budget: int | None) -> JobTurn:
    event = Inbound("", "", ChatRef("inprocess", "c1"), ChatKind.DIRECT, Sender("ada"), "", 0.0)
    return JobTurn(1, 1, "digest", "inprocess:c1", event, "What is new?", budget=budget)


def test_a_budget_is_kept_before_it_is_crossed() -> None:
    assert job(None).over(Usage(input=10**9), 10**9) is None
    assert job(100).over(Usage(), 100) is None
    assert "100 tokens a run" in (job(100).over(Usage(), 101) or "")
    assert job(100).over(Usage(input=40, output=10), 50) is None
    assert job(100).over(Usage(input=40, output=11), 50) is not None
