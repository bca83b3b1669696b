"""Which words announce a secret: names of keys and variables, arguments of a command line, comments. Pure.

What looks like a secret by itself, whatever announces it, is known to `gateway.observability.redact`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_LAST = (
    r"pass(?:word|wd|phrase|code|wort)?|pwd?|secret|token|(?:api)?keys?|credentials?|auth|authorization|bearer|cookies?"
    r"|pat|secrets|passwords|tokens"
)
"""The last word of a name that says what is in it: `api-key` does, `key-file` and `auth-type` do not."""

_NAMES = re.compile(rf"(?:^|[-_. ])(?:{_LAST})(?:[-_. ]?value)?$", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COUNT = re.compile(r"[\d_.]*")
_FLAG = re.compile(r"(--?[A-Za-z][\w.-]*)")
_ASSIGNED = re.compile(r"((?:--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)=)(.+)", re.DOTALL)
_SET = re.compile(r"((?:--env=[A-Za-z_]|-e[A-Z_])(\w*)=)(.+)", re.DOTALL)
_HEADED = re.compile(r"(--headers?=|--user=|-H)([^\s:=]+:.+)", re.DOTALL)
_HEADS = ("-H", "--header", "--headers", "-u", "--user")
_NUMBERS = re.compile(r"\d+:\d+")
_QUERY = re.compile(r"[?&;#]([A-Za-z][\w.-]*)=([^&;#\s\"']+)")
_VARIABLE = re.compile(r"TOKEN|SECRET|PASS|KEY|AUTH|CREDENTIAL|COOKIE", re.IGNORECASE)
_PORT = re.compile(r"(?:[\d.]+:)?\d{1,5}(?::\d{1,5})?(?:/\w+)?")
_GLUED = re.compile(r"(-[pk])((?=\S*\d)(?=\S*[A-Za-z])\S{4,})")
_NO_VALUE = frozenset({"", "true", "false", "yes", "no", "none", "null"})

_IN_WORDS = re.compile(
    r"pass(?:word|wd|phrase|code|wort)s?|(?<![a-z])(?:pwd|pass)(?![a-z])|kennwort|secret|token(?!s)|credential|cookie(?!s)"
    r"|bearer|authori[sz]ation|(?<![a-z])(?:key|auth|login|pat|pin)(?![a-z])|api[-_ ]?key",
    re.IGNORECASE,
)
"""Said of several, tokens, keys and cookies are a number or a kind."""

_ODD_WORD = re.compile(r"(?<![\w/.:@-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9_-]{10,}(?![\w/.:@-])")
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d-]*Z?)?")


def names_secret(name: str) -> bool:
    """Whether a key or a flag of this name holds a secret: `api_key`, `apiKey`, `--api-key`."""
    return bool(_NAMES.search(_CAMEL.sub("_", name.lstrip("-"))))


def holds_secret(name: str, value: str) -> bool:
    """The same with what stands there: `max_tokens: 4096` is a number of them."""
    return names_secret(name) and not _is_count(name, value)


def secret_part(arguments: Sequence[str], place: int, *, sure: bool = False) -> tuple[str, str] | None:
    """What of one argument is secret, as (what stands before it, the secret): the whole after `--password`, what is
    behind the sign in `--password=…`. None for one that gives nothing away. With `sure`, what only may be one, as
    behind `-p`, is none."""
    argument, before = arguments[place], arguments[place - 1] if place else ""
    if argument.casefold() in _NO_VALUE:
        return None
    if _announces(before, argument, sure=sure):
        return "", argument
    if (found := _HEADED.fullmatch(argument)) is not None and not _NUMBERS.fullmatch(found[2]):
        return found[1], found[2]
    if (found := _SET.fullmatch(argument)) is not None and found[3].casefold() not in _NO_VALUE:
        return (found[1], found[3]) if not sure or _VARIABLE.search(found[1]) else None
    if (found := _ASSIGNED.fullmatch(argument)) is not None and found[2].casefold() not in _NO_VALUE:
        flag = found[1].startswith("-")
        name = found[1].removesuffix("=")
        variable = not flag and ((before in ("-e", "--env") and not sure) or bool(_VARIABLE.search(name)))
        if variable or holds_secret(name, found[2]):
            return found[1], found[2]
    if not sure and (found := _GLUED.fullmatch(argument)) is not None and not _PORT.fullmatch(found[2]):
        return found[1], found[2]
    return None


def within(text: str) -> Iterator[str]:
    """The secrets in a text that is a whole command line, or an address: what follows `--password` or `?key=`."""
    words = [each.strip("\"'") for each in text.split()]
    for place, word in enumerate(words):
        if word.startswith("-") or (place and _FLAG.fullmatch(words[place - 1])):
            part = secret_part(words, place, sure=True)
            if part is not None:
                yield part[1]
    for found in _QUERY.finditer(text):
        if holds_secret(found[1], found[2]) and found[2].casefold() not in _NO_VALUE:
            yield found[2]


def speaks_of_secrets(comment: str) -> bool:
    """Whether a comment names a secret, or has a word in it that no language has."""
    odd = (found[0] for found in _ODD_WORD.finditer(comment))
    return bool(_IN_WORDS.search(comment)) or any(_DATED.fullmatch(each) is None for each in odd)


def _announces(flag: str, argument: str, *, sure: bool) -> bool:
    """Whether the argument is the value of a flag before it that has a secret."""
    if _FLAG.fullmatch(flag) is None or re.fullmatch(r"--[A-Za-z][\w-]*|-[A-Za-z]", argument):
        return False
    if flag in _HEADS:
        return ":" in argument and not _NUMBERS.fullmatch(argument)
    if flag in ("-p", "-k"):  # a password or a key to some programs, a port, a path or nothing to others
        return not sure and _PORT.fullmatch(argument) is None and "://" not in argument
    return holds_secret(flag, argument)


def _is_count(name: str, value: str) -> bool:
    return bool(re.search(r"(?:token|key|password|secret|cookie)s$", name, re.IGNORECASE)) and bool(
        _COUNT.fullmatch(value)
    )
