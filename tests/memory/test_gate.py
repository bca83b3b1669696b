"""Which writes wait, as a table; and what the gate tells the store."""

from __future__ import annotations

from itertools import product

import pytest

from memory.gate import Facts, Gate, Rule, waits
from memory.model import Action, Author, Change, Draft, Origin, Refused, Staged
from tests.memory.shelf import MEMORY

NEEDS, VOUCHED, REVIEW = "operator's yes", "nobody vouches", "only add"
BY_HAND = (Origin.COMMAND, Origin.OPERATOR)


def why(
    rule: Rule,
    origin: Origin,
    *actions: Action,
    console: bool = False,
    operator: bool = False,
    untrusted: bool = False,
) -> str | None:
    facts = Facts(
        origin, frozenset(actions or (Action.ADD,)), untrusted=untrusted, console=console, by_operator=operator
    )
    return waits(rule, facts)


@pytest.mark.parametrize(
    ("rule", "origin", "console", "expected"),
    [
        (False, Origin.FOREGROUND, False, None),
        (False, Origin.FOREGROUND, True, None),
        (False, Origin.REVIEW, False, None),
        (False, Origin.CRON, False, None),
        (False, Origin.COMMAND, False, None),
        (True, Origin.FOREGROUND, False, NEEDS),
        (True, Origin.FOREGROUND, True, NEEDS),
        (True, Origin.REVIEW, True, NEEDS),
        (True, Origin.CRON, True, NEEDS),
        (True, Origin.COMMAND, True, NEEDS),
        ("auto", Origin.FOREGROUND, False, NEEDS),
        ("auto", Origin.FOREGROUND, True, None),
        ("auto", Origin.REVIEW, True, NEEDS),
        ("auto", Origin.CRON, True, NEEDS),
        ("auto", Origin.COMMAND, False, NEEDS),
        ("auto", Origin.COMMAND, True, None),
    ],
)
def test_an_add_by_rule_origin_and_place(rule: Rule, origin: Origin, console: bool, expected: str | None) -> None:
    found = why(rule, origin, console=console)
    assert found is None if expected is None else found is not None and expected in found


@pytest.mark.parametrize("action", [Action.PATCH, Action.REMOVE])
def test_a_review_may_only_add_even_where_nothing_waits(action: Action) -> None:
    found = why(False, Origin.REVIEW, action)
    assert found is not None
    assert REVIEW in found
    assert why(False, Origin.REVIEW, Action.ADD, action) == found  # one such wish in a batch is enough
    assert why(False, Origin.FOREGROUND, action) is None


RULES: tuple[Rule, ...] = (False, True, "auto")


@pytest.mark.parametrize(("rule", "origin", "console"), list(product(RULES, Origin, (False, True))))
def test_a_text_from_elsewhere_makes_everything_wait_but_an_operators_order(
    rule: Rule, origin: Origin, console: bool
) -> None:
    for action in Action:
        found = why(rule, origin, action, console=console, untrusted=True)
        assert found is not None
        assert VOUCHED in found
        ordered = why(rule, origin, action, console=console, untrusted=True, operator=True)
        assert (ordered is None) == (origin in BY_HAND)


@pytest.mark.parametrize(("rule", "console", "action"), list(product(RULES, (False, True), Action)))
def test_an_operators_own_hand_never_waits_and_lends_nothing_to_the_model(
    rule: Rule, console: bool, action: Action
) -> None:
    for origin in Origin:
        with_operator = why(rule, origin, action, console=console, operator=True)
        without = why(rule, origin, action, console=console)
        assert with_operator == (None if origin in BY_HAND else without)


class Asked:
    """A gate, and what it was told and put aside."""

    def __init__(self, rule: Rule = True) -> None:
        self.rule = rule
        self.put_aside: list[tuple[str, str]] = []
        self.gate = Gate(
            lambda: self.rule, lambda chat: chat == "console:here", lambda who: who == "console:me", self.put
        )

    def put(self, draft: Draft, author: Author, file: str, why: str) -> Staged | Refused:
        self.put_aside.append((file, why))
        return Staged(draft.target, "1f2e3d4c", why)

    def __call__(self, author: Author) -> Staged | Refused | None:
        changes = (Change(Action.ADD, 0, None, "tea"),)
        return self.gate(Draft(MEMORY, (), (), ("tea",), changes), author, "MEMORY.md")


def test_what_waits_is_put_aside_with_its_file_and_the_reason() -> None:
    ask = Asked()
    outcome = ask(Author(Origin.FOREGROUND, chat="telegram:1"))
    assert isinstance(outcome, Staged)
    assert ask.put_aside == [("MEMORY.md", outcome.message)]


def test_the_rule_of_this_moment_counts() -> None:
    ask = Asked(False)
    assert ask(Author(Origin.FOREGROUND)) is None
    ask.rule = "auto"
    assert ask(Author(Origin.FOREGROUND, chat="console:here")) is None
    assert isinstance(ask(Author(Origin.FOREGROUND, chat="telegram:1")), Staged)
    assert isinstance(ask(Author(Origin.FOREGROUND, chat=None)), Staged)  # no chat at all is no console


@pytest.mark.parametrize("flag", ["untrusted", "untrusted:document", "untrusted:web", "untrusted:mcp"])
def test_the_gate_reads_the_flags(flag: str) -> None:
    ask = Asked(False)
    outcome = ask(Author(Origin.FOREGROUND, chat="console:here", flags=("replaces:1f2e3d4c", flag)))
    assert isinstance(outcome, Staged)
    assert VOUCHED in outcome.message
    assert ask(Author(Origin.FOREGROUND, flags=("replaces:1f2e3d4c",))) is None


def test_the_gate_knows_an_operator_by_id() -> None:
    ask = Asked()
    assert ask(Author(Origin.COMMAND, who="console:me")) is None
    assert isinstance(ask(Author(Origin.COMMAND, who="telegram:me")), Staged)
    assert isinstance(ask(Author(Origin.COMMAND, who="")), Staged)
