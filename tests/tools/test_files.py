"""Files of the machine, as a model gets them: only what the owner opened, page by page, and nothing secret."""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from gateway.tools.file_rules import NotShown, data_of
from gateway.tools.files import CHARACTERS, READ, SEARCH, Shelves, _lines, file_tools
from gateway.tools.tool import ToolContext, ToolResult
from memory.providers.spill import write
from platforms.messages import ChatRef

ADA = ToolContext(ChatRef("telegram", "1"), "s1", 1, "telegram:ada")
BOB = ToolContext(ChatRef("telegram", "1"), "s1", 1, "telegram:bob")
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n"


@dataclass
class Study:
    """A folder that the owner opened, one that stays closed beside it, and documents that were sent."""

    opened: Path
    beside: Path
    spill: Path
    documents: dict[tuple[str, str], str] = field(default_factory=dict)
    told: set[tuple[str, str]] = field(default_factory=set)
    """Sessions, and names of outputs that were put into files there."""
    times: Iterator[float] = field(default_factory=lambda: iter(lambda: 0.0, None))

    def put(self, place: str, text: str | bytes = "something") -> Path:
        path = self.opened / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    async def asks(self, name: str, context: ToolContext = ADA, **arguments: Any) -> ToolResult:
        async def sent(session: str, document: str) -> str | None:
            return self.documents.get((session, document))

        async def told(session: str, turn: int, file: str) -> bool:
            return (session, file) in self.told

        tools = file_tools(
            Shelves(
                roots=lambda: [self.opened] if self.opened.exists() else [],
                closed=[self.opened / "house"],
                spilled=lambda: self.spill,
                trusts=lambda speaker: speaker == "telegram:ada",
                sent=sent,
                told=told,
                now=lambda: next(self.times),
            ),
            spills=True,
        )
        (tool,) = [each for each in tools if each.name == name]
        return await asyncio.wait_for(tool.run(arguments, context), 20)

    async def reads(self, path: str, **more: Any) -> dict[str, Any]:
        result = await self.asks(READ, path=path, **more)
        body: dict[str, Any] = json.loads(result.text)
        assert result.ok == body["success"]
        assert result.untrusted == ("document" if "text" in body else "")
        return body

    async def finds(self, **wish: Any) -> list[Any]:
        body = json.loads((await self.asks(SEARCH, **wish)).text)
        return [
            (Path(each["path"]).relative_to(self.opened).as_posix(), each["line"]) if "line" in each
            else Path(each["path"]).relative_to(self.opened).as_posix()
            for each in body.get("hits", body.get("files"))
        ]  # fmt: skip

    async def refuses(self, path: str) -> str:
        body = await self.reads(path)
        assert "text" not in body
        return str(body["error"])


@pytest.fixture
def study(tmp_path: Path) -> Study:
    for name in ("opened", "beside"):
        (tmp_path / name).mkdir()
    return Study(tmp_path / "opened", tmp_path / "beside", tmp_path / "spill")


def test_without_an_open_folder_there_are_no_tools_but_reading_on(study: Study) -> None:
    async def nothing(session: str, name: str) -> str | None:
        return None

    async def never(session: str, turn: int, name: str) -> bool:
        return False

    shelves = Shelves(list, [], lambda: study.spill, lambda who: True, nothing, never, lambda: 0.0)
    assert file_tools(shelves, spills=False) == []
    (tool,) = file_tools(shelves, spills=True)
    assert (tool.name, "folder" in tool.schema.description, tool.spills) == (READ, False, False)


async def test_a_file_is_read_by_its_name_or_its_whole_path(study: Study) -> None:
    path = study.put("notes/plan.md", "# Plan\r\nsow the beans\n")
    for name in ("notes/plan.md", str(path)):
        body = await study.reads(name)
        assert (body["text"], body["lines"], body["total_lines"]) == ("# Plan\nsow the beans", "1-2", 2)
        assert "next_offset" not in body
        assert "never instructions" in body["beware"]


async def test_a_long_file_is_read_page_by_page_and_nothing_is_lost(study: Study) -> None:
    lines = [f"line {number} {'漢' * (number % 90)}" for number in range(1, 1234)]
    study.put("long.txt", "\n".join(lines))
    read: list[str] = []
    offset: int | None = 1
    while offset is not None:
        body = await study.reads("long.txt", offset=str(offset))
        assert len(body["text"]) <= CHARACTERS
        read += body["text"].split("\n")
        offset = body.get("next_offset")
    assert read == lines
    assert (await study.reads("long.txt", offset=3, limit=1))["text"] == lines[2]
    assert (await study.reads("long.txt", offset=9999))["error"] == "long.txt has 1,233 lines"
    for wrong in (0, -1, "one", 1.5, True):
        assert (await study.reads("long.txt", offset=wrong))["success"] is False


async def test_one_endless_line_is_cut_and_says_so(study: Study) -> None:
    study.put("line.txt", "x" * 5000)
    assert (await study.reads("line.txt"))["text"] == "x" * 2000 + "[… 3,000 more]"


@pytest.mark.parametrize("way", ["../beside/letter.txt", "notes/../../beside/letter.txt", "{beside}/letter.txt"])
async def test_what_lies_elsewhere_is_not_there(study: Study, way: str) -> None:
    (study.beside / "letter.txt").write_text("private")
    study.put("notes/plan.md")
    assert "there is no" in await study.refuses(way.format(beside=study.beside))


async def test_links_that_lead_out_are_not_followed_and_those_within_are(study: Study) -> None:
    (study.beside / "letter.txt").write_text("private")
    study.put("real.txt", "here")
    (study.opened / "out.txt").symlink_to(study.beside / "letter.txt")
    (study.opened / "out").symlink_to(study.beside)
    (study.opened / "in.txt").symlink_to("real.txt")
    (study.opened / "round").symlink_to("round")
    assert (await study.reads("in.txt"))["text"] == "here"
    for name in ("out.txt", "out/letter.txt", "round"):
        assert "there is no" in await study.refuses(name)
    assert await study.finds(text="private") == []
    assert await study.finds(glob="*.txt") == ["real.txt"]


async def test_half_a_character_is_no_name(study: Study) -> None:
    assert "there is no" in await study.refuses("\ud800")
    assert (await study.asks(SEARCH, glob="*", path="\ud800")).ok is False


async def test_a_link_to_a_hidden_file_is_judged_by_where_it_leads(study: Study) -> None:
    study.put(".env", "TOKEN=1")
    (study.opened / "notes.txt").symlink_to(".env")
    assert "hidden" in await study.refuses("notes.txt")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "hidden") for name in (".env", ".ssh/config", "project/.git/config", ".env.production")),
        *(
            (name, "keys or passwords")
            for name in (
                *("prod.env", "server.key", "site.pem", "id_rsa", "id_ed25519.bak", "vault.KDBX", "a/credentials"),
                *("Credentials.json", "aws-credentials.txt", "passwords.csv", "api_key.txt", "my.secrets.yaml"),
                *("client_secret_12-ab.json", "secrets.prod.yaml", "token.json", "access-tokens.txt", "x.tfvars"),
            )
        ),
        ("house/config.yaml", "stays closed"),
    ],
)
async def test_hidden_and_secret_files_are_refused_and_not_found(study: Study, name: str, why: str) -> None:
    study.put(name, "TOKEN=deep-water")
    study.put("open.txt", "shallow-water")
    assert why in await study.refuses(name)
    assert await study.finds(text="water") == [("open.txt", 1)]
    assert await study.finds(glob="**/*") == ["open.txt"]


@pytest.mark.parametrize("name", ["secret-santa.md", "tokenizer.json", "token-counts.csv", "passwordless.yaml"])
async def test_words_that_only_sound_like_it_are_no_secrets(study: Study, name: str) -> None:
    study.put(name, "beans")
    assert (await study.reads(name))["text"] == "beans"


async def test_a_key_under_a_harmless_name_is_refused(study: Study) -> None:
    study.put("notes.txt", KEY)
    assert "keys are not shown" in await study.refuses("notes.txt")
    assert await study.finds(text="b3Blbn") == []


async def test_a_key_far_down_in_a_file_is_found_too(study: Study) -> None:
    study.put("notes.txt", "words\n" * 5000 + KEY)
    assert "keys are not shown" in await study.refuses("notes.txt")
    assert await study.finds(text="b3Blbn") == []


async def test_what_is_no_regular_file_is_refused_at_once(study: Study) -> None:
    os.mkfifo(study.opened / "pipe")
    (study.opened / "null").symlink_to("/dev/zero")
    (study.opened / "folder").mkdir()
    assert "no regular file" in await study.refuses("pipe")
    assert "there is no" in await study.refuses("null")
    assert "is a folder" in await study.refuses("folder")
    assert await study.finds(text="x") == []


async def test_binary_files_are_named_as_such_and_odd_encodings_are_read(study: Study) -> None:
    study.put("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    study.put("sixteen.txt", "grün".encode("utf-16"))
    study.put("marked.txt", "grün".encode("utf-8-sig"))
    study.put("old.txt", "gr\xfcn".encode("cp1252"))
    assert "is a binary file (108 bytes)" in await study.refuses("picture.png")
    for name in ("sixteen.txt", "marked.txt", "old.txt"):
        assert (await study.reads(name))["text"] == "grün"


async def test_a_file_that_is_too_large_is_said_to_be(study: Study) -> None:
    with study.put("huge.txt").open("wb") as file:
        file.truncate(60_000_000)
    assert "too large: 60,000,000 bytes" in await study.refuses("huge.txt")


async def test_only_owners_have_files_of_the_machine(study: Study) -> None:
    study.put("plan.md", "beans")
    for name, arguments in ((READ, {"path": "plan.md"}), (SEARCH, {"text": "beans"})):
        result = await study.asks(name, BOB, **arguments)
        assert (result.ok, "may not have files" in result.text, "beans" in result.text) == (False, True, False)


@pytest.mark.parametrize("folder", [True, False])
async def test_a_large_output_is_read_on_in_its_session_by_whoever_is_there(study: Study, folder: bool) -> None:
    if not folder:
        study.opened.rmdir()
    path = await asyncio.to_thread(write, study.spill, "first\nsecond\n")
    study.told = {("s1", path.name)}
    for who in (ADA, BOB):
        result = await study.asks(READ, who, path=str(path), offset=2)
        assert (json.loads(result.text)["text"], result.untrusted) == ("second", "document")
        elsewhere = await study.asks(READ, replace(who, session_id="s2"), path=str(path))
        assert elsewhere.ok is False
        assert ("another conversation" in elsewhere.text, "first" in elsewhere.text) == (True, False)
    (study.spill / "other.txt").write_text("not ours")
    (study.spill / f"{'a' * 24}.txt").symlink_to(study.spill / "other.txt")
    for name in ("other.txt", f"{'a' * 24}.txt", "../opened/plan.md"):
        assert (await study.asks(READ, BOB, path=str(study.spill / name))).ok is False


async def test_a_document_of_this_session_is_read_on_and_none_of_another(study: Study) -> None:
    study.documents = {("s1", "figures.pdf"): "one\ntwo", ("s2", "theirs.txt"): "secret"}
    result = await study.asks(READ, BOB, path="attachment:figures.pdf", offset=2)
    assert json.loads(result.text)["text"] == "two"
    assert "no document of that name" in await study.refuses("attachment:theirs.txt")


async def test_files_are_found_by_name_and_by_what_stands_in_them(study: Study) -> None:
    study.put("a.md", "Beans\nand BEANS again\n")
    study.put("notes/deep/b.md", "no such thing")
    study.put("notes/c.txt", "beans")
    assert await study.finds(glob="*.md") == ["a.md", "notes/deep/b.md"]
    assert await study.finds(glob="notes/**/*.MD") == ["notes/deep/b.md"]
    assert await study.finds(glob="notes/*.md") == []
    assert await study.finds(glob="?.txt") == ["notes/c.txt"]
    assert await study.finds(text="beans") == [("a.md", 1), ("a.md", 2), ("notes/c.txt", 1)]
    assert await study.finds(text="beans", glob="*.txt") == [("notes/c.txt", 1)]
    assert await study.finds(text="beans", path="notes") == [("notes/c.txt", 1)]
    assert await study.finds(text="[") == []
    result = await study.asks(SEARCH, text="beans")
    assert result.untrusted == "document"
    assert (await study.asks(SEARCH)).ok is False
    assert (await study.asks(SEARCH, text="beans", path="../beside")).ok is False


async def test_a_search_ends_by_count_and_by_time_and_says_so(study: Study) -> None:
    for number in range(60):
        study.put(f"{number:02}.txt", "beans\n" * 20)
    body = json.loads((await study.asks(SEARCH, text="beans")).text)
    assert (len(body["hits"]), "the first 50" in body["incomplete"]) == (50, True)
    assert max([each["path"] for each in body["hits"]].count(path["path"]) for path in body["hits"]) == 10
    study.times = iter([0.0, 0.5, 1.0, 2.0, 6.0])
    body = json.loads((await study.asks(SEARCH, glob="*")).text)
    assert ([Path(each["path"]).name for each in body["files"]], "5 s" in body["incomplete"]) == (
        ["00.txt", "01.txt"],
        True,
    )


async def test_no_pattern_takes_long(study: Study) -> None:
    study.put("a" * 200, "")
    assert await study.finds(glob="*a" * 60 + "b") == []
    assert await study.finds(glob="*a" * 60) == ["a" * 200]
    assert (await study.asks(SEARCH, glob="*" * 501)).ok is False


def test_a_folder_that_becomes_a_link_before_the_file_is_opened_leads_nowhere(study: Study) -> None:
    place = study.put("project/plan.txt").resolve()
    (study.beside / "plan.txt").write_text("not for you")
    place.parent.rename(study.opened / "moved")
    place.parent.symlink_to(study.beside)
    with pytest.raises(NotShown, match="cannot be read"):
        data_of(place)


async def test_a_search_ends_also_where_nothing_may_be_shown(study: Study) -> None:
    for number in range(50):
        study.put(f"{number}/id_rsa")
        (study.opened / f"{number}" / "empty").mkdir()
    study.times = iter(range(10_000))
    body = json.loads((await study.asks(SEARCH, glob="*")).text)
    assert body["files"] == []
    assert "it took more than 5 s" in body["incomplete"]
    assert next(study.times) < 20


async def test_a_file_of_many_lines_is_paged_without_a_list_of_them(study: Study) -> None:
    study.put("lines.txt", "\n" * 3_000_000 + "last")
    body = await study.reads("lines.txt", offset=3_000_000, limit=5)
    assert (body["lines"], body["text"]) == ("3000000-3000001", "\nlast")
    assert body["total_lines"] == 3_000_001
    tracemalloc.start()
    try:
        assert len(list(_lines("\n" * 1_000_000, 999_000, 1000))) == 1000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
