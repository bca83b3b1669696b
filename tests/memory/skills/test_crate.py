"""What comes from outside, in each of its forms, is the same to whoever looks into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.skills.crate import Rejected, opened
from memory.skills.model import SKILL_FILE
from memory.skills.parcel import Inside, Parcel, digest_of, look, parcel
from tests.memory.skills.crates import entry, files, folder, tarred, zipped
from tests.memory.skills.shed import skill

WHOLE = files("deploy", references__hosts="a\nb\n", scripts__go="#!/bin/sh\necho go\n")


def within(path: Path) -> Inside:
    crate = opened(path)
    try:
        return look(crate)
    finally:
        crate.close()


def taken(path: Path, name: str = "") -> Parcel:
    crate = opened(path)
    try:
        return parcel(crate, look(crate).pick(name))
    finally:
        crate.close()


@pytest.mark.parametrize("form", ["folder", "zip", "w:", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("above", ["", "deploy/", "repository-main/skills/ops/anything/", ".agents/skills/deploy/"])
def test_a_skill_is_found_wherever_it_lies(form: str, above: str, tmp_path: Path) -> None:
    content = {f"{above}{name}": text for name, text in WHOLE.items()}
    if form == "folder":
        path = folder(tmp_path / "it", content)
        if above.startswith("."):
            with pytest.raises(Rejected, match="no skill"):
                taken(path)
            path = path / ".agents"
    else:
        path = zipped(tmp_path / "it", content) if form == "zip" else tarred(tmp_path / "it", content, mode=form)
    it = taken(path)
    assert (it.name, sorted(it.files)) == ("deploy", ["SKILL.md", "references/hosts", "scripts/go"])
    assert it.digest == digest_of({name: str(text).encode() for name, text in WHOLE.items()})


def test_of_several_one_has_to_be_named(tmp_path: Path) -> None:
    content = {**{f"a/{k}": v for k, v in files("alpha").items()}, **{f"b/{k}": v for k, v in files("beta").items()}}
    content["c/SKILL.md"] = "# no frontmatter\n"
    path = zipped(tmp_path / "it.zip", content)
    assert [each.name for each in within(path).skills] == ["alpha", "beta"]
    assert [each.place for each in within(path).unfit] == ["c"]
    with pytest.raises(Rejected, match="say which: alpha, beta"):
        taken(path)
    with pytest.raises(Rejected, match=r"no skill 'gamma' in it. There is: alpha, beta. What cannot be used: 'c'"):
        taken(path, "gamma")
    assert taken(path, "beta").name == "beta"


def test_a_template_that_is_called_like_a_skill_is_a_file(tmp_path: Path) -> None:
    path = folder(tmp_path / "it", files("maker", templates__new__SKILL_md="x"))
    (path / "templates/new/SKILL_md").rename(path / "templates/new/SKILL.md")
    assert [each.name for each in within(path).skills] == ["maker"]
    assert "templates/new/SKILL.md" in taken(path).files


def test_what_is_not_the_skills_stays_behind_and_is_told(tmp_path: Path) -> None:
    content = {**files(), ".gitignore": "x", ".git/config": "x", "__MACOSX/._SKILL.md": "x", "references/.env": "x"}
    it = taken(zipped(tmp_path / "it.zip", content))
    assert sorted(it.files) == [SKILL_FILE]
    assert len(it.left) == 4
    assert "'references/.env': it is hidden" in it.left


def test_files_beside_the_skills_own_folders_are_welcome(tmp_path: Path) -> None:
    it = taken(folder(tmp_path / "it", {**files(), "LICENSE.txt": "MIT\n", "forms.md": "x", "core/a.py": "pass\n"}))
    assert sorted(it.files) == ["LICENSE.txt", "SKILL.md", "core/a.py", "forms.md"]


def test_a_link_elsewhere_in_a_repository_harms_nobody(tmp_path: Path) -> None:
    content = {f"skills/deploy/{name}": text for name, text in files().items()}
    path = tarred(tmp_path / "it.tar", content, more=[entry("CLAUDE.md", b"2", "AGENTS.md")])
    assert taken(path).name == "deploy"


def test_a_description_with_a_colon_is_mended_the_same_way_each_time(tmp_path: Path) -> None:
    path = folder(tmp_path / "it", {"SKILL.md": skill("deploy", "Tidies notes: weekly")})
    it = taken(path)
    assert b"description: 'Tidies notes: weekly'" in it.files[SKILL_FILE]
    assert "put in quotes" in it.left[0]
    assert taken(path).digest == it.digest
