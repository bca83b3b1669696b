"""The Bot API server: routes calls, polls long, calls webhooks, serves files, and misbehaves on request.

`async with BotApi() as server:` and give `server.root` to python-telegram-bot as its base address.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from tests.fakes.telegram.control import control
from tests.fakes.telegram.faults import Fault, Refusal, bad, conflict
from tests.fakes.telegram.form import Upload, parameters
from tests.fakes.telegram.methods import Writing
from tests.fakes.telegram.people import Person, Room, pressed
from tests.fakes.telegram.webhook import Webhook
from tests.fakes.telegram.wire import Answer, HttpServer, Request
from tests.fakes.telegram.world import Raw, World

TOKEN = "4294967311:AAFakeTokenOfTheInnThatNobodyElseHas00"
"""The bot's token; its id is larger than 32 bits hold."""

USERNAME = "inn_bot"
PATIENCE = 30.0
"""Real seconds after which a helper stops waiting."""

HTML = b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the bot. `at` is monotonic, in seconds."""

    method: str
    given: dict[str, Any]
    at: float


class BotApi:
    """The server. `now` gives seconds since the epoch, for dates and for the life of button presses."""

    def __init__(self, token: str = TOKEN, username: str = USERNAME, now: Callable[[], float] = time.time) -> None:
        self.token = token
        self.username = username
        self.me: Raw = {
            "id": int(token.partition(":")[0]),
            "is_bot": True,
            "first_name": "Inn",
            "username": username,
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }
        self.world = World(now)
        self.calls: list[Call] = []
        self.hung = 0
        self.local: Path | None = None
        """Where the server keeps files, when it is one of the owner's own (`--local`); null serves them by HTTP."""
        self._faults: dict[str, deque[Fault | Refusal | None]] = defaultdict(deque)
        self._writing = Writing(self.world, self.me)
        self._http = HttpServer(self._handle)
        self._webhook = Webhook(self.world)
        self._poll: asyncio.Task[Any] | None = None
        self._put_aside: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self, port: int = 0) -> None:
        """Take connections; after `close`, again at the same port."""
        await self._http.open(port)

    async def close(self) -> None:
        """Refuse connections, break open ones. What people wrote meanwhile waits."""
        self._webhook.stop()
        await self._http.close()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._http.port}"

    # People and places.

    def user(self, number: int, name: str = "") -> Person:
        """A person who has started the bot, by number."""
        return Person(self, number, name)

    def chat(self, number: int) -> Room:
        """A chat that exists."""
        if number not in self.world.chats:
            raise LookupError(f"no chat {number}")
        return Room(self, number)

    def group(self, number: int, title: str = "Group", *, kind: str = "supergroup", forum: bool = False) -> Room:
        """A group with the bot in it; `kind` is group, supergroup or channel."""
        return Room.founded(self, number, title, kind, forum)

    def press(self, chat: int, message_id: int, label: str, user: int | None = None) -> str:
        """Tap a button of one of the bot's messages; the id of the query. The presser is the chat unless named."""
        return pressed(self, chat, message_id, label, user or chat)

    # What goes wrong.

    def misbehave(self, method: str, fault: Fault | Refusal, times: int = 1, after: int = 0) -> None:
        """Fail `times` calls of a method, `after` so many that go well (and after the faults queued already)."""
        self._faults[method].extend([None] * after + [fault] * times)

    def queued(self, method: str) -> int:
        """How many calls of a method are still to go wrong (or well, before they do)."""
        return len(self._faults[method])

    def behave(self, method: str) -> None:
        """Forget the faults that are queued for a method."""
        self._faults[method].clear()

    def deliver_again(self) -> Raw:
        """Deliver the last update once more, though it may be confirmed."""
        self.world.again.append(self.world.delivered[-1])
        self.world.tell()
        return self.world.delivered[-1]

    def send_raw(self, fields: Raw) -> Raw:
        """An update with these fields, whatever they are: one that the library cannot parse, for instance."""
        return self.world.queue_raw(fields)

    # What was called, and waiting for it.

    def called(self, method: str) -> list[dict[str, Any]]:
        """The parameters of each call of a method so far."""
        return [call.given for call in self.calls if call.method == method]

    async def until(self, holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until `holds()`; asked at each change. Raises TimeoutError with what every chat reads."""
        try:
            async with asyncio.timeout(seconds), self.world.changed:
                await self.world.changed.wait_for(holds)
        except TimeoutError:
            reads = {
                number: [each.text for each in self.world.seen(chat)] for number, chat in self.world.chats.items()
            }
            raise TimeoutError(f"waited {seconds:g} s in vain; the chats read {reads}") from None

    async def until_confirmed(self, update: Raw | None = None, seconds: float = PATIENCE) -> None:
        """Wait until the bot has confirmed an update, or all of them."""
        await self.until(lambda: update not in self.world.updates if update else not self.world.updates, seconds)

    # Inside.

    async def _handle(self, request: Request) -> Answer:
        if request.path == "/control":
            return await control(self, request.body)
        head, _, method = unquote(request.path).removeprefix("/file").rpartition("/")
        if request.path.startswith("/file/"):
            return self._file(unquote(request.path))
        if head != f"/bot{self.token}":
            ok = head.startswith("/bot") and head.removeprefix("/bot").partition(":")[0].isdigit()
            return _refused(Refusal(401, "Unauthorized") if ok else Refusal(404, "Not Found"))
        given = parameters(request.headers.get("content-type", ""), request.query, request.body)
        self.calls.append(Call(method, given, time.monotonic()))
        self.world.tell()
        fault = self._faults[method].popleft() if self._faults[method] else None
        if isinstance(fault, Refusal):
            return _refused(fault)
        answer = Answer()
        if fault is None or fault.accepts:
            try:
                answer = Answer.of({"ok": True, "result": await self._carry_out(method, given)})
            except Refusal as refusal:
                answer = _refused(refusal)
        return answer if fault is None else await self._fail(fault, answer)

    async def _fail(self, fault: Fault, answer: Answer) -> Answer:
        match fault:
            case Fault.HANG | Fault.ACCEPT_AND_HANG:
                self.hung += 1
                self.world.tell()
                await asyncio.Event().wait()
            case Fault.BAD_GATEWAY | Fault.ACCEPT_AND_BAD_GATEWAY:
                return Answer(502, HTML, "text/html")
            case Fault.CUT:
                return Answer(answer.status, answer.body, cut=True)
        return Answer(reset=True)

    async def _carry_out(self, method: str, given: dict[str, Any]) -> Any:
        match method:
            case "getMe":
                return self.me
            case "getUpdates":
                return await self._get_updates(given)
            case "deleteWebhook":
                self._webhook.stop()
                return True
            case "setWebhook":
                self.world.allowed = list(given.get("allowed_updates", self.world.allowed))
                self._webhook.start(given)
                return True
            case "setMyCommands":
                self.world.commands = given["commands"]
                return True
            case "getMyCommands":
                return self.world.commands
            case "getFile":
                return self._get_file(given)
        written: dict[str, Callable[[dict[str, Any]], Any]] = {
            "sendMessage": self._writing.send_message,
            "sendDocument": self._writing.send_document,
            "sendPhoto": self._writing.send_photo,
            "sendMessageDraft": self._writing.send_message_draft,
            "editMessageText": self._writing.edit_message_text,
            "deleteMessage": self._writing.delete_message,
            "sendChatAction": self._writing.send_chat_action,
            "setMessageReaction": self._writing.set_message_reaction,
            "answerCallbackQuery": self._writing.answer_callback_query,
        }
        if method not in written:
            raise Refusal(404, "Not Found")
        return written[method](given)

    async def _get_updates(self, given: dict[str, Any]) -> list[Raw]:
        """A long poll. A second one ends the first with 409, as the real server does."""
        if self._webhook.active:
            raise Refusal(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the "
                "webhook first",
            )
        if self._poll is not None:
            self._put_aside = self._poll
            self.world.tell()
        mine = self._poll = asyncio.current_task()
        if "allowed_updates" in given:
            self.world.allowed = list(given["allowed_updates"])
        self.world.confirm(int(given.get("offset", 0)))
        self.world.tell()
        try:
            async with asyncio.timeout(float(given.get("timeout", 0))), self.world.changed:
                await self.world.changed.wait_for(
                    lambda: self._put_aside is mine or self.world.updates or self.world.again
                )
        except TimeoutError:
            pass
        finally:
            if self._poll is mine:
                self._poll = None
        if self._put_aside is mine:
            raise conflict()
        answer = self.world.pending(int(given.get("limit", 100)))
        self.world.delivered += answer
        return answer

    def _get_file(self, given: dict[str, Any]) -> Raw:
        upload = self.world.files.get(str(given.get("file_id")))
        if upload is None:
            raise bad("wrong file_id or the file is temporarily unavailable")
        about = {"file_id": given["file_id"], "file_unique_id": f"u{given['file_id']}"}
        path = f"documents/{given['file_id']}"
        if self.local is not None:  # as a server of one's own does: the file lies here, and is not served
            kept = self.local / given["file_id"]
            if self.local.is_dir():
                kept.write_bytes(upload.data)
            path = str(kept)
        return about | {"file_size": len(upload.data), "file_path": path}

    def _file(self, path: str) -> Answer:
        head, _, name = path.rpartition("/documents/")
        upload: Upload | None = self.world.files.get(name) if head == f"/file/bot{self.token}" else None
        return Answer(200, upload.data, upload.media_type) if upload else _refused(Refusal(404, "Not Found"))


def _refused(refusal: Refusal) -> Answer:
    return Answer.of(refusal.body(), refusal.code)
