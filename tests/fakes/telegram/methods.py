"""The methods that write in chats, with the checks and the words of the real server."""

from __future__ import annotations

import copy
from typing import Any

from telegram.constants import ReactionEmoji

from tests.fakes.telegram.faults import Refusal, bad
from tests.fakes.telegram.form import Upload
from tests.fakes.telegram.texts import LONGEST_CAPTION, checked
from tests.fakes.telegram.world import Chat, Raw, World, Written

LONGEST_CALLBACK = 64
QUERY_SECONDS = 15.0
"""How long a button press waits for its answer."""

REACTIONS = frozenset(each.value for each in ReactionEmoji)
"""What a bot may react with."""

Given = dict[str, Any]


class Writing:
    """sendMessage and its kin. `bot` is the bot as a user."""

    def __init__(self, world: World, bot: Raw) -> None:
        self._world = world
        self._bot = bot

    def send_message(self, given: Given) -> Raw:
        chat, place = self._place(given)
        text, entities = self._text(given, "text", "entities")
        return self._write(chat, given, place | {"text": text} | _some("entities", entities))

    def send_document(self, given: Given) -> Raw:
        return self._send_file(given, "document")

    def send_photo(self, given: Given) -> Raw:
        return self._send_file(given, "photo")

    def _send_file(self, given: Given, kind: str) -> Raw:
        chat, place = self._place(given)
        upload = given.get(kind)
        if isinstance(upload, str) and upload.startswith("attach://"):
            upload = given.get(upload.removeprefix("attach://"))
        if isinstance(upload, str):
            upload = self._world.files.get(upload)
        if not isinstance(upload, Upload):
            raise bad(f"there is no {kind} in the request")
        if not upload.data:
            raise bad("file must be non-empty")
        file_id = self._world.keep_file(upload)
        about = {"file_id": file_id, "file_unique_id": f"u{file_id}", "file_size": len(upload.data)}
        if kind == "photo":
            fields: Raw = {"photo": [about | {"width": 90, "height": 90}]}
        else:
            fields = {"document": about | {"file_name": upload.name, "mime_type": upload.media_type}}
        if given.get("caption"):
            caption, entities = checked(given["caption"], given.get("caption_entities", []), LONGEST_CAPTION)
            fields |= {"caption": caption} | _some("caption_entities", entities)
        return self._write(chat, given, place | fields, file=upload)

    def send_message_draft(self, given: Given) -> bool:
        chat, _ = self._place(given)
        if chat.raw["type"] != "private":
            raise bad("TEXTDRAFT_PEER_INVALID")
        if not given.get("draft_id"):
            raise bad("TEXTDRAFT_ID_INVALID")
        chat.drafts.append(checked(given.get("text", ""), given.get("entities", []))[0])
        self._world.tell()
        return True

    def edit_message_text(self, given: Given) -> Raw:
        chat = self.chat(given)
        written = chat.messages.get(int(given.get("message_id", 0)))
        if written is None:
            raise bad("message to edit not found")
        if not written.by_bot:
            raise bad("message can't be edited")
        if "text" not in written.raw:
            raise bad("there is no text in the message to edit")
        text, entities = self._text(given, "text", "entities")
        fields = {"text": text} | _some("entities", entities) | _keyboard(given)
        kept = {name: written.raw.get(name) for name in ("text", "entities", "reply_markup")}
        if kept == {"entities": None, "reply_markup": None} | fields:
            raise bad(
                "message is not modified: specified new message content and reply markup are exactly the same as a "
                "current content and reply markup of the message"
            )
        for name in kept:
            written.raw.pop(name, None)
        written.raw |= fields | {"edit_date": int(self._world.now())}
        written.edits += 1
        self._world.tell()
        return copy.deepcopy(written.raw)

    def delete_message(self, given: Given) -> bool:
        chat = self.chat(given)
        if int(given.get("message_id", 0)) not in chat.messages:
            raise bad("message to delete not found")
        if not chat.messages[given["message_id"]].by_bot and chat.raw["type"] != "private":
            raise bad("message can't be deleted")
        del chat.messages[given["message_id"]]
        self._world.tell()
        return True

    def send_chat_action(self, given: Given) -> bool:
        chat, place = self._place(given)
        chat.actions.append((given.get("action", ""), place.get("message_thread_id")))
        self._world.tell()
        return True

    def set_message_reaction(self, given: Given) -> bool:
        chat, number = self.chat(given), int(given.get("message_id", 0))
        if number not in chat.messages:
            raise bad("message to react not found")
        wanted = [each.get("emoji", "") for each in given.get("reaction", [])]
        if len(wanted) > 1:
            raise bad("REACTIONS_TOO_MANY")
        if any(emoji not in REACTIONS for emoji in wanted):
            raise bad("REACTION_INVALID")
        chat.marked.append((number, "".join(wanted)))
        self._world.tell()
        return True

    def answer_callback_query(self, given: Given) -> bool:
        query = self._world.queries.get(str(given.get("callback_query_id")))
        if query is None or query.answered or self._world.now() - query.asked_at > QUERY_SECONDS:
            raise bad("query is too old and response timeout expired or query ID is invalid")
        query.answered, query.text = True, given.get("text", "")
        self._world.tell()
        return True

    def chat(self, given: Given) -> Chat:
        """The chat that is meant. Raises Refusal when the bot has no way there."""
        where = given.get("chat_id")
        if where is None or where == "":
            raise bad("chat_id is empty")
        chat = self._world.chats.get(where) if isinstance(where, int) else None
        if chat is None:
            raise bad("chat not found")
        if chat.moved_to is not None:
            raise Refusal(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                {"migrate_to_chat_id": chat.moved_to},
            )
        if chat.barred:
            raise Refusal(403, f"Forbidden: {chat.barred}")
        return chat

    def _place(self, given: Given) -> tuple[Chat, Raw]:
        """The chat, with what a message has from its topic and from the message it replies to."""
        chat = self.chat(given)
        place: Raw = {}
        thread = given.get("message_thread_id")
        if thread is not None:
            # The topic General has no id of its own in any message, and takes none.
            if thread not in chat.topics:
                raise bad("message thread not found")
            place = {"message_thread_id": thread, "is_topic_message": True}
        answered = given.get("reply_parameters", {})
        if wanted := answered.get("message_id"):
            original = chat.messages.get(wanted)
            if original is not None:
                place["reply_to_message"] = copy.deepcopy(original.raw)
            elif not answered.get("allow_sending_without_reply"):
                raise bad("message to be replied not found")
        return chat, place

    def _text(self, given: Given, name: str, formats: str) -> tuple[str, list[Raw]]:
        if given.get("parse_mode"):
            raise bad("this server takes entities, not parse_mode")
        text, entities = checked(str(given.get(name, "")), given.get(formats, []))
        if not text:
            raise bad("message text is empty")
        return text, entities

    def _write(self, chat: Chat, given: Given, fields: Raw, file: Upload | None = None) -> Raw:
        keyboard = _keyboard(given)
        written: Written = self._world.write(chat, {"from": self._bot, **fields, **keyboard}, by_bot=True, file=file)
        written.quiet = str(given.get("disable_notification", "")).lower() == "true"
        return copy.deepcopy(written.raw)


def _some(name: str, value: list[Raw]) -> Raw:
    return {name: value} if value else {}


def _keyboard(given: Given) -> Raw:
    """The inline keyboard, checked. No keyboard takes away the one that was there."""
    rows = given.get("reply_markup", {}).get("inline_keyboard", [])
    for button in (button for row in rows for button in row):
        data = button.get("callback_data", "")
        if not button.get("text"):
            raise bad("text buttons are unallowed in the inline keyboard")
        if not 1 <= len(data.encode()) <= LONGEST_CALLBACK:
            raise bad("BUTTON_DATA_INVALID")
    return {"reply_markup": {"inline_keyboard": rows}} if any(rows) else {}
