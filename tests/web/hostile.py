"""A house whose every text is hostile, and the eyes of a browser: what of a page would run, and where it leads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from commands.cron_ports import JobWish
from gateway.state.contract_search import said
from memory.model import Action, Operation, Target
from memory.skills.model import SkillAction, SkillApplied, SkillOperation
from platforms.messages import ChatRef
from tests.web.stage import OWNER, Stage, Visitor
from tests.web.wishes import BY_HAND, WHO, keep, wish, wish_to_add

MARK = "hostile-7f3a"
"""Stands in every planted text, so that a page which shows one is known to."""

EVIL = f"<script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'&{{{{7*7}}}}</textarea> {MARK}"
CHAT = ChatRef("telegram", f"9<script>window.hacked=1</script>{MARK}")
MOST_PAGES = 120


def plant(stage: Stage) -> None:
    """Entries, a pending write of each action, a skill with files, and a change of it that waits."""
    keep(stage, f"Kept: {EVIL}")
    keep(stage, f"Noted: {EVIL}", Target.MEMORY)
    wish_to_add(stage, f"Wished: {EVIL}")
    wish(stage, Operation(Action.PATCH, content=f"other {EVIL}", old_text="Kept:"), Target.USER)
    skills = stage.app.engine.ports.skills
    assert skills is not None
    body = f"---\nname: {MARK}\ndescription: {json.dumps(EVIL)}\n---\n# {EVIL}\n\n{EVIL}\n"
    made = skills.store.apply(
        [
            SkillOperation(SkillAction.CREATE, MARK, body, category="ops"),
            SkillOperation(SkillAction.WRITE_FILE, MARK, EVIL, file="references/evil.md"),
        ],
        BY_HAND,
    )
    assert isinstance(made, SkillApplied), made
    skills.store.apply([SkillOperation(SkillAction.PATCH, MARK, "<b>9</b>", old_text="window.hacked=1")], WHO)


async def plant_talk(stage: Stage) -> None:
    """A conversation in a chat with a hostile name, its title, its messages; a job with a hostile prompt."""
    store = stage.app.engine.house.store
    await said(store, "20261130-evil", [f"I say {EVIL}", f"I answer {EVIL}"], CHAT)
    await store.sessions.rename("20261130-evil", f"Title {EVIL}")
    cron = stage.app.engine.ports.cron
    assert cron is not None
    await cron.add(JobWish(when="every day at 9:00", prompt=EVIL, name=f"job {MARK} <b>"), OWNER)


@dataclass
class Looked(HTMLParser):
    """One page: `wrong` says what would run or is styled where it stands, `links` where it leads, `forms` what it
    sends, as (method, path)."""

    page: str
    wrong: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    forms: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def __hash__(self) -> int:
        return id(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name, value in attrs:
            scheme = re.match(r"\s*([a-z]+):", value or "", re.IGNORECASE)
            if name.startswith("on") or name == "style":
                self.wrong.append(f"<{tag} {name}={value!r}>")
            if name in ("href", "src", "action", "formaction") and scheme:
                self.wrong.append(f"<{tag} {name}={value!r}>")
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            kind = given.get("type", "")
            if kind != "application/json":
                self.wrong.append(f"<script> of its own: {given}")
        if tag in ("style", "iframe", "object", "embed", "base", "img"):
            self.wrong.append(f"<{tag}>")
        if tag == "a" and given.get("href"):
            self.links.append(urljoin(self.page, given["href"] or ""))
        if tag == "form":
            self.forms.append((given.get("method", "get").lower(), urljoin(self.page, given.get("action") or "")))


async def looked_at(visitor: Visitor) -> dict[str, Looked]:
    """Every page that links lead to from the first one, as a browser reads it; and what is no page is none."""
    seen: dict[str, Looked] = {}
    ahead, known = ["/"], {"/"}
    while ahead and len(seen) < MOST_PAGES:
        path = ahead.pop(0)
        answer = await visitor.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        looked = seen[path] = Looked(path)
        looked.feed(answer.text)
        if MARK in answer.text and "<script>window" in answer.text:
            looked.wrong.append("a script that somebody wrote")
        for link in looked.links:
            to = urlsplit(link)._replace(fragment="").geturl()
            if to not in known:
                known.add(to)
                ahead.append(to)
    return seen
