"""What operations come to: the gist, the pins, and refusals that a model can act on."""

from __future__ import annotations

import json

import pytest

from memory.model import Reason
from memory.skills.draft import draft_fields, draft_from
from memory.skills.edits import objection, plan, plan_install
from memory.skills.model import SkillAction, SkillDraft, SkillOperation, SkillRefused, digest
from memory.skills.tree import Tree
from tests.memory.skills.shed import (
    Shed,
    create,
    delete,
    edit,
    patch,
    remove_file,
    skill,
    write_file,
)

DEPLOY = skill("deploy", "Deploys.", "".join(f"{number}. Step {number}.\n" for number in range(1, 6)))


@pytest.fixture
def stocked(shed: Shed) -> Shed:
    shed.put("ops/deploy/SKILL.md", DEPLOY)
    shed.put("ops/deploy/references/hosts.md", "one\ntwo\n")
    shed.put("notes/SKILL.md")
    return shed


def planned(shed: Shed, *operations: SkillOperation) -> SkillDraft:
    draft = plan(shed.library.found(), Tree(shed.root), operations)
    assert isinstance(draft, SkillDraft), draft
    return draft


def refused(shed: Shed, *operations: SkillOperation) -> SkillRefused:
    draft = plan(shed.library.found(), Tree(shed.root), operations)
    assert isinstance(draft, SkillRefused), draft
    return draft


@pytest.mark.parametrize(
    ("operation", "gist"),
    [
        (create("audit"), "create 'audit' SKILL.md (+7/-0)"),
        (patch("deploy", "2. Step 2.\n", "2. A.\n2. B.\n2. C.\n2. D.\n"), "patch 'deploy' SKILL.md (+4/-1)"),
        (edit("deploy", DEPLOY.replace("5. Step 5.\n", "")), "edit 'deploy' SKILL.md (+0/-1)"),
        (write_file("deploy", "scripts/a.sh", "a\nb"), "write_file 'deploy' scripts/a.sh (+2/-0)"),
        (write_file("deploy", "references/hosts.md", "one\n"), "write_file 'deploy' references/hosts.md (+0/-1)"),
        (patch("deploy", "two", "2", "references/hosts.md"), "patch 'deploy' references/hosts.md (+1/-1)"),
        (remove_file("deploy", "references/hosts.md"), "remove_file 'deploy' references/hosts.md (+0/-2)"),
        (delete("deploy"), "delete 'deploy' (2 files)"),
        (delete("notes"), "delete 'notes' (1 file)"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.action.value,
)
def test_the_gist_says_it_without_a_model(stocked: Shed, operation: SkillOperation, gist: str) -> None:
    draft = planned(stocked, operation)
    assert draft.gist == gist
    assert draft.names == (operation.name,)
    assert draft.actions == (operation.action,)


def test_a_batch_sees_what_it_did_so_far(stocked: Shed) -> None:
    draft = planned(
        stocked,
        create("audit", category="ops"),
        write_file("audit", "references/a.md", "first\n"),
        patch("audit", "first", "second", "references/a.md"),
        patch("audit", "1. Read.", "1. Look."),
        delete("notes"),
        patch("deploy", "Step 5", "Step five"),
    )
    assert draft.gist == "delete 'notes' (1 file) and 3 more"
    assert draft.archives == ("notes",)
    assert {each.path: each.after for each in draft.changes} == {
        "notes/SKILL.md": None,
        "ops/audit/SKILL.md": skill("audit").replace("1. Read.", "1. Look.").encode(),
        "ops/audit/references/a.md": b"second\n",
        "ops/deploy/SKILL.md": DEPLOY.replace("Step 5", "Step five").encode(),
    }
    assert draft.pins == {
        "notes/SKILL.md": digest(skill("notes").encode()),
        "ops/audit/SKILL.md": None,
        "ops/audit/references/a.md": None,
        "ops/deploy/SKILL.md": digest(DEPLOY.encode()),
    }


def test_what_comes_to_nothing_is_nothing(stocked: Shed) -> None:
    for operations in (
        [edit("deploy", DEPLOY)],
        [create("audit"), delete("audit")],
        [patch("deploy", "Step 1", "Step one"), patch("deploy", "Step one", "Step 1")],
        [write_file("deploy", "scripts/a.sh"), remove_file("deploy", "scripts/a.sh")],
    ):
        draft = planned(stocked, *operations)
        assert (draft.changes, draft.archives, draft.pins) == ((), (), {})


REFUSALS: dict[str, tuple[list[SkillOperation], Reason, str]] = {
    "nothing": ([], Reason.INVALID, "no operation"),
    "too many": ([create("audit")] * 51, Reason.INVALID, "at most 50"),
    "there already": ([create("deploy")], Reason.INVALID, "already (ops/deploy)"),
    "created twice": ([create("audit"), create("audit")], Reason.INVALID, "already"),
    "nobody": ([patch("deplooy", "a", "b")], Reason.UNKNOWN, "no skill deplooy"),
    "deleted twice": ([delete("notes"), delete("notes")], Reason.UNKNOWN, "no skill notes"),
    "deleted and created": ([delete("notes"), create("notes")], Reason.INVALID, "use edit"),
    "no content": ([create("audit", "")], Reason.INVALID, "needs content"),
    "no frontmatter": ([create("audit", "# Audit\n")], Reason.INVALID, "SKILL.md:1: there is no frontmatter"),
    "another name": ([create("audit", skill("other"))], Reason.INVALID, "SKILL.md:2: the name other"),
    "renamed": ([edit("deploy", skill("deployed"))], Reason.INVALID, "not the folder's"),
    "no body": ([create("audit", skill("audit", body=""))], Reason.INVALID, "no instructions"),
    "long description": ([create("audit", skill("audit", "x" * 1025))], Reason.INVALID, "1,025"),
    "too long": ([create("audit", skill("audit", body="x" * 100_000))], Reason.OVER_LIMIT, "at most 100,000"),
    "large file": ([write_file("deploy", "assets/a", "é" * (1 << 19) + "x")], Reason.INVALID, "1,048,577 bytes"),
    "half a character": ([write_file("deploy", "assets/a", "\ud800")], Reason.INVALID, "half a character"),
    "a zero byte": ([create("audit", skill("audit", body="\0"))], Reason.INVALID, "zero byte"),
    "patched to death": ([patch("deploy", "name: deploy", "")], Reason.INVALID, "SKILL.md:1: the name is missing"),
    "no old text": ([patch("deploy", "", "x")], Reason.INVALID, "needs old_text"),
    "not there": ([patch("deploy", "3. Stop 3.", "x")], Reason.NO_MATCH, "quote it exactly"),
    "several times": ([patch("deploy", "Step", "x")], Reason.REPEATED, "stands 5 times"),
    "no such file": ([patch("deploy", "a", "b", "references/host.md")], Reason.UNKNOWN, "no file"),
    "no file named": ([write_file("deploy", "")], Reason.INVALID, "needs file"),
    "remove none": ([remove_file("deploy", "references/x.md")], Reason.UNKNOWN, "no file"),
    "remove the heart": ([remove_file("deploy", "SKILL.md")], Reason.INVALID, "use delete"),
    "write the heart": ([write_file("deploy", "SKILL.md")], Reason.INVALID, "patch or edit"),
    "nearly the heart": ([write_file("deploy", "skill.md")], Reason.INVALID, "nearly SKILL.md"),
    "loose file": ([write_file("deploy", "notes.md")], Reason.INVALID, "references/"),
    "over a folder": ([write_file("deploy", "references")], Reason.INVALID, "references/"),
    "below a file": ([write_file("deploy", "references/hosts.md/x")], Reason.INVALID, "no folder"),
    "category is a skill": ([create("audit", category="notes")], Reason.INVALID, "is a skill"),
    "skill is a category": ([create("ops")], Reason.INVALID, "is a category"),
    "below what the batch made": ([create("audit"), create("x", category="audit")], Reason.INVALID, "is a skill"),
}


@pytest.mark.parametrize(("operations", "reason", "words"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_says_why(stocked: Shed, operations: list[SkillOperation], reason: Reason, words: str) -> None:
    told = refused(stocked, *operations)
    assert (told.reason, words in told.message) == (reason, True), told.message


def test_the_operation_that_failed_is_numbered(stocked: Shed) -> None:
    told = refused(stocked, create("audit"), patch("deploy", "Step 9", "x"), delete("notes"))
    assert told.operation == 2
    assert told.message.startswith("Operation 2 of 3 (patch): old_text does not stand in 'SKILL.md'")
    assert told.message.endswith("Nothing was changed.")
    assert told.closest[0].endswith("Step 5.") or "Step" in told.closest[0]
    assert refused(stocked, patch("deplooy", "a", "b")).closest == ("deploy",)
    assert refused(stocked, patch("deploy", "x", "y")).operation is None


def test_external_and_broken_ones_are_not_changed(stocked: Shed) -> None:
    outside = Shed(stocked.home / "team")
    outside.put("theirs/SKILL.md")
    stocked.put("bad/SKILL.md", "x")
    shed = Shed(stocked.home, external=[outside.root])
    for operation in (patch("theirs", "a", "b"), delete("theirs"), create("theirs")):
        told = refused(shed, operation)
        assert (told.reason, "read and never changed" in told.message) == (Reason.DENIED, True)
    for operation in (edit("bad", skill("bad")), delete("bad"), create("bad")):
        told = refused(shed, operation)
        assert (told.reason, "SKILL.md:1: " in told.message) == (Reason.UNREADABLE, True)


def test_a_patch_keeps_what_it_does_not_name(shed: Shed) -> None:
    text = "\ufeff" + DEPLOY.replace("\n", "\r\n").replace("4. Step 4.\r\n", "4. Step 4.\n")
    shed.put("deploy/SKILL.md", text)
    draft = planned(shed, patch("deploy", "2. Step 2.\n3. Step 3.", "2. Two.\n3. Three."))
    assert draft.changes[0].after == text.replace("2. Step 2.\r\n3. Step 3.", "2. Two.\r\n3. Three.").encode()
    draft = planned(shed, patch("deploy", "4. Step 4.\n", ""))
    assert draft.changes[0].after == text.replace("4. Step 4.\n", "").encode()


def test_quotes_and_dashes_of_another_kind_are_forgiven_and_told(shed: Shed) -> None:
    shed.put("notes/SKILL.md", skill("notes", body="Say “hello” – and don’t wait.\n"))
    draft = planned(shed, patch("notes", '"hello" - and don\'t', "'hi' and do"))
    assert b"Say 'hi' and do wait.\n" in (draft.changes[0].after or b"")
    assert draft.notes == ("What was replaced in SKILL.md reads exactly: “hello” – and don’t",)


def test_a_long_document_without_the_passage_is_refused_in_no_time(shed: Shed) -> None:
    shed.put("notes/SKILL.md", skill("notes", body="Run step one of the rollout.\n" * 3400))
    told = refused(shed, patch("notes", "x" * 4000, "y"))
    assert told.reason is Reason.NO_MATCH


def test_a_description_with_a_colon_is_put_in_quotes(shed: Shed) -> None:
    draft = planned(shed, create("notes", skill("notes", "Tidies notes: weekly")))
    assert b"description: 'Tidies notes: weekly'\n" in (draft.changes[0].after or b"")
    assert draft.notes == ("The description holds a colon, so it was put in quotes.",)


# Installing


def test_installing_puts_exactly_these_files_in_place(stocked: Shed) -> None:
    files = {"SKILL.md": skill("audit", "Audits: all.").encode(), "LICENSE": b"MIT", "assets/a.png": b"\xff\0"}
    draft = plan_install(stocked.library.found(), Tree(stocked.root), "audit", files, "ops")
    assert isinstance(draft, SkillDraft)
    assert {each.path.removeprefix("ops/audit/"): each.after for each in draft.changes} == files
    assert draft.gist == "create 'audit' SKILL.md (+7/-0) and 2 more"
    again = plan_install(stocked.library.found(), Tree(stocked.root), "deploy", files)
    assert isinstance(again, SkillRefused)
    files["SKILL.md"] = skill("deploy").encode()
    update = plan_install(stocked.library.found(), Tree(stocked.root), "deploy", files, replaces=True)
    assert isinstance(update, SkillDraft)
    assert {each.path: each.after is None for each in update.changes} == {
        "ops/deploy/SKILL.md": False,
        "ops/deploy/LICENSE": False,
        "ops/deploy/assets/a.png": False,
        "ops/deploy/references/hosts.md": True,
    }


@pytest.mark.parametrize(
    "path", ["../x", "/x", ".env", "a/../x", "con", "a\\b", "a//b", "x.", "skill.md", "a/b/c/d/e/f"]
)
def test_installing_takes_no_hard_paths(shed: Shed, path: str) -> None:
    files = {"SKILL.md": skill("audit").encode(), path: b"x"}
    told = plan_install(shed.library.found(), Tree(shed.root), "audit", files)
    assert isinstance(told, SkillRefused)
    assert told.message


def test_installing_needs_a_skill(shed: Shed) -> None:
    told = plan_install(shed.library.found(), Tree(shed.root), "audit", {"README.md": b"x"})
    assert isinstance(told, SkillRefused)
    assert "SKILL.md" in told.message


# Put aside and taken up again

BATCH = (
    create("audit", category="ops"),
    write_file("audit", "references/a.md"),
    patch("deploy", "Step 1", "Step one"),
    remove_file("deploy", "references/hosts.md"),
    delete("notes"),
)


def kept(draft: SkillDraft) -> SkillDraft:
    return draft_from(json.loads(json.dumps(draft_fields(draft))))


def test_a_draft_survives_its_file(stocked: Shed) -> None:
    stocked.put("ops/deploy/assets/a.png", b"\xff\0")
    for operations in (BATCH, [edit("deploy", skill("deploy"))], [remove_file("deploy", "assets/a.png")]):
        draft = planned(stocked, *operations)
        assert kept(draft) == draft
        assert objection(stocked.library.found(), Tree(stocked.root), kept(draft)) is None


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("ops/deploy/SKILL.md", DEPLOY + "6. More.\n"),
        ("ops/deploy/references/hosts.md", "other\n"),
        ("ops/audit/SKILL.md", skill("audit")),
        ("web/audit/SKILL.md", skill("audit")),
        ("ops/audit/references/b.md", "x"),
        ("ops/SKILL.md", skill("ops")),
        ("notes/SKILL.md", skill("notes", "Other.")),
        ("notes/scripts/new.sh", "x"),
        ("web/notes/SKILL.md", skill("notes")),
    ],
)
def test_what_changed_since_stands_in_the_way(stocked: Shed, path: str, content: str) -> None:
    draft = kept(planned(stocked, *BATCH))
    stocked.put(path, content)
    told = objection(stocked.library.found(), Tree(stocked.root), draft)
    assert (told is not None) == (path != "web/notes/SKILL.md")


def test_a_gist_is_told_from_the_files_and_not_from_the_file(stocked: Shed) -> None:
    fields = draft_fields(planned(stocked, delete("deploy")))
    lied = draft_from({**fields, "gist": "patch 'deploy' SKILL.md (+1/-1)", "names": ["notes"], "actions": ["patch"]})
    assert (lied.gist, lied.names) == ("delete 'deploy' (2 files)", ("deploy",))


@pytest.mark.parametrize("action", SkillAction)
def test_every_action_is_known(stocked: Shed, action: SkillAction) -> None:
    told = plan(stocked.library.found(), Tree(stocked.root), [SkillOperation(action, "../x")])
    assert isinstance(told, SkillRefused)
    assert "'../x' is no name of a skill" in told.message
