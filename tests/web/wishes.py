"""Writes that wait, put there as conversations and reviews put them: past no check, and not by hand."""

from __future__ import annotations

from commands.ports import Pending, SkillPending
from memory.model import Action, Author, Operation, Origin, Staged, Target
from memory.pending.model import PendingWrite
from memory.skills.model import SkillAction, SkillOperation, SkillStaged
from tests.web.stage import OWNER, Stage

WHO = Author(Origin.FOREGROUND, speaker=OWNER, chat=OWNER, flags=("untrusted:document",))
"""A wish from a conversation that read something from outside: it waits whatever the settings say."""

BY_HAND = Author(Origin.COMMAND, who=OWNER, chat=OWNER)

DEPLOY = """---
name: deploy
description: How the shop is brought out.
---
# Deploy

1. Look at the calendar.
2. Run the tests.
3. Tag the commit.
4. Build the image.
5. Push the image.
6. Wait for the registry.
7. Tell the team.
8. Switch the traffic.
9. Watch the figures.
10. Close the ticket.
11. Write down what was odd.
"""

REMOVED = "She used to live in Milan, and moved to Turin with her bakery in the spring of 2024."

PUSH = "#!/bin/sh\nset -e\ndocker push shop\n"


def pending(stage: Stage) -> Pending:
    port = stage.app.engine.ports.pending
    assert port is not None
    return port


def skill_pending(stage: Stage) -> SkillPending:
    port = stage.app.engine.ports.skill_pending
    assert port is not None
    return port


def keep(stage: Stage, text: str, target: Target = Target.USER) -> str:
    """An entry that is there; the id of its change."""
    memory = stage.app.engine.ports.memory
    assert memory is not None
    memory.stores.apply(target, [Operation(Action.ADD, content=text)], BY_HAND)
    return memory.stores.history(1)[0].id


def entries(stage: Stage, target: Target = Target.USER) -> tuple[str, ...]:
    memory = stage.app.engine.ports.memory
    assert memory is not None
    return memory.stores.entries(target)


def wish(stage: Stage, operation: Operation, target: Target = Target.USER, who: Author = WHO) -> str:
    """A write that waits; its id."""
    memory = stage.app.engine.ports.memory
    assert memory is not None
    outcome = memory.stores.apply(target, [operation], who)
    assert isinstance(outcome, Staged), outcome
    return outcome.pending_id


def wish_to_add(stage: Stage, text: str) -> str:
    return wish(stage, Operation(Action.ADD, content=text))


def waiting(stage: Stage, name: str) -> PendingWrite:
    found = pending(stage).resolver.pendings.get(name)
    assert isinstance(found, PendingWrite)
    return found


def seen(stage: Stage, name: str) -> str:
    """What a form says that it showed."""
    return pending(stage).resolver.pendings.mark(waiting(stage, name))


def learn_deploy(stage: Stage) -> None:
    """The skill `ops/deploy`, with a script."""
    skills = stage.app.engine.ports.skills
    assert skills is not None
    skills.store.apply(
        [
            SkillOperation(SkillAction.CREATE, "deploy", DEPLOY, category="ops"),
            SkillOperation(SkillAction.WRITE_FILE, "deploy", PUSH, file="scripts/push.sh"),
        ],
        BY_HAND,
    )


def wish_for_deploy(stage: Stage) -> str:
    """A change of three of its files that waits; its id."""
    skills = stage.app.engine.ports.skills
    assert skills is not None
    who = Author(Origin.FOREGROUND, speaker=OWNER, chat=OWNER, flags=("untrusted:document",))
    outcome = skills.store.apply(
        [
            SkillOperation(SkillAction.PATCH, "deploy", "2. Run all tests.", old_text="2. Run the tests."),
            SkillOperation(SkillAction.WRITE_FILE, "deploy", PUSH.replace("-e", "-eu"), file="scripts/push.sh"),
            SkillOperation(SkillAction.WRITE_FILE, "deploy", "# Back\n", file="references/rollback.md"),
        ],
        who,
    )
    assert isinstance(outcome, SkillStaged), outcome
    return outcome.pending_id


def much_to_decide(stage: Stage) -> tuple[str, str]:
    """What there is to decide: a wish to patch and one to add, and a change of a skill; the first two ids."""
    keep(stage, "She drinks green tea at four, without sugar.")
    keep(stage, REMOVED)
    keep(stage, "The shop runs on port 8080.\nIts logs lie in /var/log/shop.", Target.MEMORY)
    patch = wish(stage, Operation(Action.PATCH, content="black tea at five", old_text="green tea at four"))
    added = wish_to_add(stage, "<script>document.title = 'owned'</script> She pays by card.")
    wish(stage, Operation(Action.REMOVE, old_text=REMOVED))
    learn_deploy(stage)
    wish_for_deploy(stage)
    return patch, added
