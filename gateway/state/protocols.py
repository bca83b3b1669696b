"""What the engine asks of its store. SQLite is the first implementation; a second one passes the same suite.

`at` is always the moment of the call, from the engine's clock. Every method that changes something is one transaction
that runs to its end even when its caller is cancelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gateway.state.import_protocols import Imports
from gateway.state.job_protocols import JobRuns, Jobs
from gateway.state.login_records import Logins
from gateway.state.records import (
    Asked,
    Compaction,
    DeadLetter,
    Guest,
    InboxItem,
    Only,
    PairingLocked,
    Part,
    PartDraft,
    PartState,
    Row,
    Session,
    SessionLine,
    StoredMessage,
    Touched,
    Turn,
    TurnState,
    UsageLine,
    Version,
    WrongCode,
)
from gateway.state.retention_protocols import Retention
from gateway.state.review_protocols import ReviewBooks, Reviews
from gateway.state.search_protocols import Search
from gateway.transcript import Usage
from platforms.messages import ChatRef, Inbound


class Inbox(Protocol):
    """Events: new, held (too old, the person is asked), taken by a turn, done, dead."""

    async def accept(self, event: Inbound, session_key: str, at: float) -> InboxItem | None:
        """Store an event for good; None when (platform, account, event id) is known already."""

    async def get(self, item_id: int) -> InboxItem | None: ...

    async def held_keys(self) -> list[str]:
        """Session keys for which something is held."""

    async def open_items(self) -> list[InboxItem]:
        """Everything new, in order of arrival."""

    async def held(self, session_key: str) -> list[InboxItem]: ...

    async def of_turn(self, turn_id: int) -> list[InboxItem]: ...

    async def versions(self, session_key: str, message_id: str) -> list[Version]:
        """The message with this id of its platform, and each edit of it that was heard, oldest first; no presses."""

    async def amend(self, item_id: int, event: Inbound, edit_id: int) -> None:
        """What an event says now, because of an edit, whose own event is done with that."""

    async def reopen(self, item_id: int) -> bool:
        """A finished event that no turn took is new again, and wanted; False when it is none such."""

    async def hold(self, ids: Sequence[int]) -> None:
        """New events are held; others stay as they are."""

    async def release(self, ids: Sequence[int]) -> None:
        """Held events are new again, and wanted; others stay as they are."""

    async def done(self, ids: Sequence[int]) -> None:
        """Nothing more is to be done for these events; dead ones stay dead."""

    async def failed(self, ids: Sequence[int], error: str) -> int:
        """Note a failure of these events; how often they failed with this same error so far."""

    async def bury(self, ids: Sequence[int], error: str, at: float) -> None:
        """Move events to the dead letters, each once."""

    async def bury_raw(self, platform: str, account: str, event_id: str, body: str, error: str, at: float) -> None:
        """Keep something that could not even be read as an event."""

    async def dead(self) -> list[DeadLetter]: ...

    async def forget(self, before: float) -> int:
        """Drop finished events received before a moment; the number of events dropped."""


class Sessions(Protocol):
    """At most one open session per session key."""

    async def current(self, session_key: str) -> Session | None: ...

    async def get(self, session_id: str) -> Session | None: ...

    async def line(self, session_id: str) -> SessionLine | None: ...

    async def matching(self, prefix: str, chat_keys: tuple[str, ...] | None = None) -> list[SessionLine]:
        """Sessions whose id begins so, newest first, of these session keys only when given."""

    async def open(self, session: Session) -> Session:
        """Store a new session as it will be read; where one is open for its key, that one is handed out instead."""

    async def close(self, session_id: str, reason: str, at: float) -> None:
        """End it; its running turn is dropped and can write nothing more."""

    async def take(self, session_id: str) -> int:
        """Raise the epoch: whoever wrote to the session before is shut out. Raises StaleEpoch when it is closed."""

    async def resume(self, session_id: str, session_key: str, chat: ChatRef, at: float) -> None:
        """Close the open session of this key, if any, and open this one again, in this chat. A turn that still runs
        in it is dropped. Nothing changes when there is no such session."""

    async def rename(self, session_id: str, title: str) -> None: ...

    async def entitle(self, session_id: str, title: str) -> bool:
        """Name a session that has no title; False when it has one."""

    async def untitled(self, since: float, limit: int) -> list[str]:
        """Sessions without a title that were active since a moment and have an answer, newest first."""

    async def pin(self, session_id: str, pinned: bool) -> None:
        """Whether it stays when others leave."""

    async def recent(
        self, limit: int, session_keys: tuple[str, ...] | None = None, offset: int = 0, *, only: Only = "all"
    ) -> list[SessionLine]:
        """Sessions by their last activity, newest first; `offset` are left out first."""

    async def keys(self) -> list[str]:
        """The session keys that there are, in order."""

    async def move_chat(self, old: ChatRef, new: ChatRef) -> None:
        """A chat got a new id: sessions, waiting events and parts, and facts go along. Where the new chat has an
        open session already, that one ends, or the old one if a turn runs in the new one."""


class Turns(Protocol):
    """Turns and the message rows that they write. Raises StaleEpoch where the session went to somebody else."""

    async def begin(
        self,
        session_id: str,
        chat: ChatRef,
        inbox_ids: Sequence[int],
        rows: Sequence[Row],
        at: float,
        *,
        run: int | None = None,
    ) -> Turn:
        """Take the session, store the user's rows and mark the events as taken, at once. Raises StaleEpoch, too,
        when one of the events is no longer new, or the job's `run` has a turn that runs or was answered."""

    async def take_over(self, turn: Turn) -> Turn:
        """Take a turn that a dead process left running; the number of starts grows. Raises StaleEpoch when it is
        over."""

    async def add(self, turn: Turn, rows: Sequence[Row], at: float, *, inbox_ids: Sequence[int] = ()) -> list[int]:
        """Store rows of a running turn, and take new events into it; the ids of the rows."""

    async def finish(
        self,
        turn: Turn,
        state: TurnState,
        at: float,
        *,
        rows: Sequence[Row] = (),
        parts: Sequence[PartDraft] = (),
        reason: str | None = None,
        unsaid: bool = False,
    ) -> None:
        """Store the last rows and the reply's parts, and end the turn and its events, at once. `unsaid`: its rows are
        no part of the conversation, and the session does not count as active for it."""

    async def drop(self, session_id: str, reason: str, at: float) -> None:
        """Shut out the session's running turn, which would not end, and count its events as done."""

    async def running(self) -> list[Turn]: ...

    async def last(self, session_id: str, *, asked: bool = False, before: int | None = None) -> Turn | None:
        """The newest turn that is part of the conversation; `asked`: the newest that answers people, and no job;
        `before`: older than the turn with this id."""

    async def of_run(self, run: int) -> Turn | None:
        """The newest turn of a job's run."""

    async def messages(self, session_id: str, after: int = 0, limit: int | None = None) -> list[StoredMessage]:
        """Rows of a session's conversation with an id above `after`, in order; the first `limit` of them."""

    async def ids(self, session_id: str) -> list[int]:
        """The ids of those rows, in order."""

    async def messages_of_turn(self, turn_id: int) -> list[StoredMessage]:
        """All rows of a turn, whether it is part of the conversation or not."""

    async def conversation(self, session_id: str, turn_id: int) -> tuple[Compaction | None, list[StoredMessage]]:
        """The newest summary, and the rows that it does not cover or that belong to this turn."""

    async def compact(self, session_id: str, compaction: Compaction, at: float) -> None: ...

    async def files_in_use(self) -> frozenset[str]:
        """Paths of the files that open sessions still show: those of rows that no summary covers."""


class Outbox(Protocol):
    """Parts of replies; (source, part) names one for good."""

    async def put(
        self,
        chat: ChatRef,
        source: str,
        parts: Sequence[PartDraft],
        at: float,
        *,
        finishes: Sequence[int] = (),
    ) -> None:
        """Store what must be sent; putting the same source again changes nothing. Marks events as done, too."""

    async def offers(self, chat: ChatRef, remote_id: str) -> frozenset[str]:
        """The actions of the buttons on the message that has this id in the chat, and on those that may have it since
        nobody knows theirs; none for one that is not ours."""

    async def preview(self, chat: ChatRef, source: str, part: int, draft: PartDraft, at: float) -> Part:
        """Note that a streamed part is about to be sent, before it is; the existing row when there is one. Raises
        StaleEpoch when the turn that `source` names is over."""

    async def mark(
        self,
        part_id: int,
        state: PartState,
        at: float,
        *,
        remote_id: str | None = None,
        error: str | None = None,
        doubt: bool = False,
    ) -> None:
        """What became of a part. `sending` notes the time of the first try of unknown end; `doubt` keeps it.

        A part that is marked `preview` after its turn was dropped is queued with an empty text: it is to be deleted.
        """

    async def drop_preview(self, part_id: int) -> None:
        """A streamed part was certainly not sent: as if it had never been begun."""

    async def forget_try(self, part_id: int) -> None:
        """The unknown try was a preview's and no longer matters: the part is sent as if for the first time."""

    async def unbind(self, part_id: int) -> Part:
        """The message that the part had is gone: it is sent as if for the first time, under another nonce."""

    async def queued(self, chat: ChatRef) -> list[Part]:
        """What waits for one chat, in order."""

    async def chats(self) -> list[ChatRef]:
        """Chats for which something waits."""

    async def recover(self) -> int:
        """After a crash: parts in sending are queued again, their `tried_at` telling that their end is unknown;
        streamed parts of a turn that still runs are left to that turn. The number of such parts."""

    async def of_source(self, source: str) -> list[Part]: ...

    async def files(self) -> frozenset[str]:
        """Paths of the files that parts name, sent or not, until these are dropped."""

    async def forget(self, before: float) -> int:
        """Drop settled parts stored before a moment; the number of parts dropped."""


class UsageBook(Protocol):
    """Tokens and money."""

    async def add(self, session_id: str, host: str, model: str, task: str, usage: Usage, at: float) -> None: ...

    async def of_session(self, session_id: str) -> list[UsageLine]: ...

    async def since(self, at: float) -> list[UsageLine]:
        """Sums from the UTC day of a moment on."""

    async def tokens_today(self, at: float) -> dict[str, int]:
        """Input and output tokens of the moment's UTC day, by task."""


class Facts(Protocol):
    """JSON values by scope and name; a value of None removes."""

    async def get(self, scope: str, name: str) -> Any: ...

    async def everywhere(self, name: str) -> dict[str, Any]:
        """The values of one name, by scope."""

    async def several(self, wanted: Sequence[tuple[str, str]]) -> list[Any]:
        """The values of several (scope, name), None where there is none."""

    async def put(self, scope: str, name: str, value: Any) -> None: ...

    async def count(self, scope: str, name: str, by: int = 1) -> int:
        """Add to a number, as reviews will count turns and tool calls; the new number."""


class Traces(Protocol):
    """What a person may want gone everywhere."""

    async def find(self, texts: Sequence[str]) -> Touched:
        """What `erase` would touch."""

    async def erase(self, texts: Sequence[str]) -> Touched:
        """Replace these texts wherever they are stored, frozen prompts included; what was touched."""


class Pairing(Protocol):
    """People who were let in with a code, and codes that wait for somebody's yes. Codes are kept as hashes."""

    async def knows(self, platform: str, person: str) -> bool:
        """Whether this person was let in."""

    async def standing(self, guest: Guest) -> Asked:
        """What `ask` would come to at the moment `guest.since`. Changes nothing."""

    async def ask(self, guest: Guest, code: str) -> Asked:
        """Bind a code to who asks at `guest.since`, for an hour. Only "new" keeps it; "open" notes that the person is
        told so, and "quiet" and "full" mean that nothing is to be said."""

    async def withdraw(self, platform: str, person: str) -> None:
        """The code of this person never reached them: as if they had not asked."""

    async def asking(self, at: float) -> list[Guest]:
        """Who has an open code, in the order of asking."""

    async def approve(self, code: str, who: str, at: float) -> Guest | WrongCode | PairingLocked:
        """Let in whoever this open code is bound to; it is used up. Ten wrong codes within an hour lock this for an
        hour."""

    async def guests(self) -> list[Guest]:
        """Everybody who was let in, in that order."""

    async def revoke(self, platform: str, person: str) -> bool:
        """Put somebody out again; whether they were in."""


class Store(Protocol):
    """All of it."""

    @property
    def inbox(self) -> Inbox: ...

    @property
    def sessions(self) -> Sessions: ...

    @property
    def turns(self) -> Turns: ...

    @property
    def outbox(self) -> Outbox: ...

    @property
    def usage(self) -> UsageBook: ...

    @property
    def facts(self) -> Facts: ...

    @property
    def traces(self) -> Traces: ...

    @property
    def pairing(self) -> Pairing: ...

    @property
    def reviews(self) -> Reviews: ...

    @property
    def review_books(self) -> ReviewBooks: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def job_runs(self) -> JobRuns: ...

    @property
    def imports(self) -> Imports: ...

    @property
    def search(self) -> Search: ...

    @property
    def retention(self) -> Retention: ...

    @property
    def logins(self) -> Logins: ...

    async def close(self) -> None: ...
