"""OpenViking: a server that extracts memories from sessions, through its command-line tool `ov`.

The package `openviking` wants old libraries and is large, so it lives in an environment of its own and is only ever
run. Owns the tool's orders and answers. Each subject is a user of the server, and searched in its own place alone.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from gateway.providers.one_text import QUERY, one_text
from gateway.providers.places import named, place
from gateway.providers.program import cannot_be_run, ran
from gateway.providers.texts import asked_by, brief, pieces, plain
from memory.providers.protocol import (
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
    SecretNeed,
    Silent,
    Unreachable,
)
from platforms.settings import Section, WebAddress

KEY = "OPENVIKING_API_KEY"
LONGEST_MESSAGE = 20_000
"""Characters of one message: words travel as an argument, and the system takes 128 KiB of one."""
LONGEST_QUERY = 4_000
"""Bytes."""
REFUSALS = frozenset({"INVALID_ARGUMENT", "FAILED_PRECONDITION", "CLI_ERROR"})
"""Codes for which trying again would not help."""
TEMPLATES = ("/identity.md", "/soul.md")
"""What the server puts into each new user's memory by itself."""


class OpenVikingSettings(Section):
    """What stands under memory.providers.openviking in config.yaml."""

    base_url: WebAddress = "http://127.0.0.1:1933"
    """Where the server runs (`openviking-server`)."""
    account: Annotated[str, Field(min_length=1)] = "default"
    """The server's account in which the users are."""
    user: str = ""
    """How users' names begin; profiles that write the same share what is remembered. Empty: `innkeeper-PROFILE`."""
    most: Annotated[int, Field(ge=1, le=100)] = 8
    """Memories that are recalled at most."""
    extract: Literal["turn", "session"] = "turn"
    """When the server extracts memories: after each turn, or when a session is over or was made shorter."""
    command: str = ""
    """The tool `ov`; empty: the one of `innkeeper memory setup openviking --install`, else the one in the path."""


class OpenViking(Silent):
    """Turns are messages of the server's sessions; what was extracted of them is found by meaning."""

    name = "openviking"

    def __init__(self, context: ProviderContext) -> None:
        self._settings = OpenVikingSettings.model_validate(dict(context.settings))
        self._context = context
        self._key = context.secrets.get(KEY, "")
        self._home: Path | None = None

    async def start(self) -> None:
        await self.close()
        self._home = _written_home(self._settings, self._key)
        try:
            # A search in a user's own place shows whether the key may act for several users, before anything is sent.
            await self._found(Conversation("owner", ""), "Hello.")
        except BaseException:
            await self.close()
            raise

    async def prefetch(self, question: Question) -> str:
        return await self._found(question.where, question.text)

    async def sync(self, exchange: Exchange) -> None:
        user, session = self._user(exchange.where.subject), self._session(exchange.where)
        said = [{"role": "user", "content": piece} for piece in pieces(asked_by(exchange), LONGEST_MESSAGE)]
        said += [{"role": "assistant", "content": piece} for piece in pieces(exchange.answered, LONGEST_MESSAGE)]
        for message in said:
            words = json.dumps([message], ensure_ascii=False)
            await self._ran(user, "session", "add-messages", session, "--", words)
        if said and self._settings.extract == "turn":
            await self._extract(exchange.where)

    async def ended(self, where: Conversation, reason: str) -> None:
        if self._settings.extract == "session":
            await self._extract(where)

    async def compacting(self, where: Conversation) -> None:
        if self._settings.extract == "session":
            await self._extract(where)

    def tools(self) -> Sequence[ProviderTool]:
        what = "Search what OpenViking keeps from earlier conversations here."
        return (one_text("openviking_search", what, "query", LONGEST_QUERY, self._search, about=QUERY),)

    async def close(self) -> None:
        home, self._home = self._home, None
        if home is not None:
            shutil.rmtree(home, ignore_errors=True)

    async def _search(self, where: Conversation, query: str) -> str:
        return await self._found(where, query) or "Nothing like that is kept."

    async def _found(self, where: Conversation, text: str) -> str:
        query, user = brief(text, LONGEST_QUERY), self._user(where.subject)
        if not query:
            return ""
        space = f"viking://user/{user}/memories"
        wanted = ["--uri", space, "--level", "2", "--node-limit", str(self._settings.most), "--read-content"]
        told = await self._ran(user, "find", *wanted, "--", query)
        memories = told.get("memories", [])
        if not isinstance(memories, list) or not all(isinstance(each, dict) for each in memories):
            raise Unreachable("OpenViking answers in a form that is not understood")
        # The server is asked for this place alone; what it finds elsewhere is another person's.
        ours = [each for each in memories if str(each.get("uri")).startswith(f"{space}/")]
        kept = [each for each in ours if not str(each.get("uri")).endswith(TEMPLATES)]
        return "\n\n".join(str(each.get("content") or each.get("abstract") or "").strip() for each in kept).strip()

    async def _extract(self, where: Conversation) -> None:
        user = self._user(where.subject)
        try:
            await self._ran(user, "session", "commit", self._session(where))
        except NoSuchThing:
            pass  # nothing was said in it

    def _user(self, subject: str) -> str:
        return place(self._settings.user, subject, self._context.profile)

    def _session(self, where: Conversation) -> str:
        return named(where.session)

    async def _ran(self, user: str, *order: str) -> dict[str, Any]:
        """The answer to one order. A call that is cancelled kills the tool."""
        home = self._home
        if home is None:
            raise Unreachable("OpenViking was not started")
        whom = ["--account", self._settings.account, "--user", user]
        command = [self._command(), "--output", "json", *whom, *order]
        try:
            done = await ran(command, {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8"}, home)
        except OSError as error:
            raise cannot_be_run(command[0], error) from error
        return self._answer(done.out, done.complained)

    def _answer(self, out: str, err: str) -> dict[str, Any]:
        told = _last_object(out) or _last_object(err)
        if told is None:
            raise Unreachable(f"OpenViking's tool gives no answer: {plain(err or out, self._key)}")
        if told.get("ok") is True:
            found = told.get("result")
            return found if isinstance(found, dict) else {"result": found}
        error = told.get("error")
        if not isinstance(error, dict):
            raise Unreachable("OpenViking answers in a form that is not understood")
        code, words = str(error.get("code", "")), plain(error.get("message", ""), self._key)
        if code == "NOT_FOUND":
            raise NoSuchThing(f"OpenViking refuses this: {words}")
        if code == "UNAUTHENTICATED":
            raise Refused(f"OpenViking does not accept the key: {words}")
        if code == "PERMISSION_DENIED":
            raise Refused(
                f"OpenViking's key may not act for several users (its auth_mode has to be trusted): {words}"
            )
        if code in REFUSALS:
            raise Refused(f"OpenViking refuses this ({code}): {words}")
        raise Unreachable(f"OpenViking cannot answer now ({code}): {words}")

    def _command(self) -> str:
        if self._settings.command:
            return self._settings.command
        installed = self._context.environment / "bin" / "ov" if self._context.environment else None
        if installed is not None and installed.is_file():
            return str(installed)
        found = shutil.which("ov", path=os.defpath)
        if found is None:
            raise Unreachable("OpenViking's tool is not installed: innkeeper memory setup openviking --install")
        return found


class NoSuchThing(Refused):
    """The server does not know what it was asked about."""


def _written_home(settings: OpenVikingSettings, key: str) -> Path:
    """A folder for the tool to find its configuration in; outside the profile, so that no backup holds the key."""
    home = Path(tempfile.mkdtemp(prefix="innkeeper-openviking-"))
    inside = home / ".openviking"
    inside.mkdir(mode=0o700)
    written = {"url": settings.base_url, "timeout": 30.0, "echo_command": False}
    if key:
        written["api_key"] = key
    (inside / "ovcli.conf").write_text(json.dumps(written), "utf-8")
    (inside / "ovcli.conf").chmod(0o600)
    (inside / "ovcli.settings.conf").write_text('{"language": "en"}', "utf-8")
    return home


def _last_object(text: str) -> dict[str, Any] | None:
    """The last line that is a JSON object: the tool may say other things before it."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                return None
            return found if isinstance(found, dict) else None
    return None


manifest = ProviderManifest(
    name="openviking",
    provider="gateway.providers.openviking:OpenViking",
    about="OpenViking, a server of your own that extracts memories from sessions; run by its command-line tool",
    settings="gateway.providers.openviking:OpenVikingSettings",
    secrets=(SecretNeed(KEY, "root key of the OpenViking server; none for one in its dev mode", required=False),),
    packages=("openviking>=0.5,<1",),
    patience=Patience(prefetch=5.0),
)
