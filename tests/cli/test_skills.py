"""Skills at the shell: the list and the rest for programs, doubts with `--yes`, the curator, `--no-skills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.cli.invocation import Invocation
from gateway.cli.without_skills import opt_out
from tests.cli.shell import Shell
from tests.memory.skills.crates import folder
from tests.memory.skills.pending_desk import text

VEILED = "Do it.\n<!-- " + "this is a remark that nobody sees, " * 3 + "-->\n"


def put(innkeeper: Shell, name: str, body: str = "Do it.\n") -> Path:
    path = innkeeper.profile.skills / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text(name, body))
    return path


def offered(at: Path, body: str = "Heat, then bake.\n") -> str:
    return str(folder(at / "bake", {"SKILL.md": text("bake", body)}))


def test_the_list_for_programs(innkeeper: Shell) -> None:
    put(innkeeper, "deploy")
    put(innkeeper, "torn").write_text("nothing")
    good, bad = innkeeper.json("skills")
    assert next(iter(good)) == "name"
    assert (good["name"], good["description"], good["source"], good["uses"]) == (
        "deploy",
        "How to do deploy",
        "person",
        0,
    )
    assert (good["pinned"], good["broken"]) == (False, None)
    assert bad["name"] == "torn"
    assert bad["broken"]["file"].endswith("torn/SKILL.md")
    assert innkeeper.json("skills", "list", "deploy") == [good]
    assert innkeeper.json("skills", "view", "deploy")["text"] == text("deploy", "Do it.\n")
    assert innkeeper.json("skills", "pending") == []


def test_put_away_and_back_and_undone(innkeeper: Shell) -> None:
    path = put(innkeeper, "deploy")
    done = innkeeper.json("skills", "archive", "deploy")
    assert (done["result"], done["skills"]) == ("done", ["deploy"])
    assert not path.exists()
    assert [each["place"] for each in innkeeper.json("skills", "restore")] == done["archived"]
    assert innkeeper.json("skills", "restore", "deploy")["result"] == "done"
    assert path.read_text() == text("deploy", "Do it.\n")
    newest, oldest = innkeeper.json("skills", "history")
    assert (oldest["id"], oldest["who"], newest["gist"]) == (done["id"], "shell", "restore 'deploy'")
    assert innkeeper("skills", "archive", "nobody").exit_code == 1
    assert innkeeper("skills", "pin", "deploy").exit_code == 0
    assert innkeeper.json("skills")[0]["pinned"] is True


def test_a_doubt_is_agreed_to_by_its_digest(innkeeper: Shell, tmp_path: Path) -> None:
    place = offered(tmp_path, VEILED)
    seen = innkeeper.json("skills", "inspect", place)
    assert (seen["offer"]["verdict"], seen["offer"]["name"], seen["skills"]) == ("doubtful", "bake", ["bake"])
    refused = innkeeper("skills", "install", place)
    assert refused.exit_code == 1
    assert f"--yes {seen['offer']['digest']}" in refused.stdout
    told = innkeeper.json("skills", "install", place)
    assert (told["name"], told["result"], told["digest"]) == ("bake", "doubtful", seen["offer"]["digest"])
    assert innkeeper.json("skills", "install", place, "--yes", "0" * 64)["result"] == "doubtful"
    done = innkeeper.json("skills", "install", place, "--yes", told["digest"], "--category", "kitchen")
    assert done["result"] == "done"
    assert (innkeeper.profile.skills / "kitchen" / "bake" / "SKILL.md").exists()
    assert [each["result"] for each in innkeeper.json("skills", "update")] == ["unchanged"]
    offered(tmp_path, VEILED + "More.\n")
    assert innkeeper.json("skills", "update", "bake")[0]["result"] == "done"  # the same doubt was heard before
    assert innkeeper.json("skills", "remove", "bake")["result"] == "done"


def test_what_cannot_be_had_ends_with_a_reason(innkeeper: Shell) -> None:
    result = innkeeper("skills", "browse")
    assert (result.exit_code, "There is no index" in result.stdout) == (1, True)
    assert innkeeper.json("skills", "install", "nowhere.zip")["result"] == "refused"
    assert innkeeper("skills", "install").exit_code == 2


def test_the_curator(innkeeper: Shell) -> None:
    put(innkeeper, "deploy")
    assert innkeeper.json("curator", "status")["enabled"] is True
    assert innkeeper.json("curator")["last_run"] is None
    report = innkeeper.json("curator", "run", "--dry-run")
    assert (report["dry_run"], [each["name"] for each in report["skills"]]) == (True, ["deploy"])
    assert innkeeper.json("curator", "status")["last_run"] is None
    assert innkeeper.json("curator", "run")["dry_run"] is False
    assert innkeeper.json("curator", "status")["last_run"] is not None
    assert innkeeper.json("curator", "pause") == {"paused": True}
    assert innkeeper.json("curator", "status")["next_run"] is None
    assert innkeeper.json("curator", "resume") == {"paused": False}
    assert innkeeper("curator", "pin", "nobody").exit_code == 1


def test_the_programs_own_skills_are_not_wanted(innkeeper: Shell) -> None:
    marker = innkeeper.profile.skills / ".no-bundled-skills"
    assert innkeeper("setup", "--no-skills").exit_code == 2  # it goes on to its questions, for which nobody is there
    assert marker.exists()
    marker.unlink()
    assert innkeeper.json("skills", "opt-out", "--remove") == {"removed": [], "kept": [], "failed": {}}
    assert marker.exists()
    opt_out(innkeeper.invocation())
    assert isinstance(innkeeper.invocation(), Invocation)


@pytest.mark.parametrize("name", ["run", "chat", "setup"])
def test_no_skills_is_an_option_of_every_start(innkeeper: Shell, name: str) -> None:
    assert "--no-skills" in innkeeper(name, "--help").stdout
