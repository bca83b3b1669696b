"""What is compiled at its first use, compiled before the first message: phrases, and what is said of skills."""

from __future__ import annotations

from gateway.agent.requests import recognise
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.models.claims import claims_saving
from memory.scan.doubt import doubt
from memory.scan.scanner import verdict


def compiled(skills: GatedSkills | None) -> None:
    """The phrases of the threat scan, and those by which people ask; what the scan says of the skills that there are.
    Takes its time: for a thread."""
    verdict("warm")
    doubt("warm")
    recognise("warm")
    claims_saving("warm")
    if skills is not None:
        skills.library.described()
