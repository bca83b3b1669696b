"""What must never be read in a log or an export, and what must stay readable."""

from __future__ import annotations

import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.observability.redact import MASK, Redactor

# Put together here, so that no scanner takes this file for a leak.
TELEGRAM = "123456:" + "AAE" + "x_-Y7" * 6 + "Zq"
DISCORD = "MTEx" + "NjY2Nzc3ODg4OTk5MDAw" + "." + "GaBcDe" + "." + "qR5_" * 9 + "-w"
OPENAI = "sk-" + "proj-" + "a1B2c3D4" * 5
GITHUB = "ghp_" + "a1B2c3D4" * 5
AWS = "AKIA" + "ABCDEFGH01234567"
SIGNED = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxMjM0In0" + "." + "c2lnbmF0dXJlLXBhcnQ"
KEY_BLOCK = "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAA\n-----END OPENSSH " + "PRIVATE KEY-----"
CONFIGURED = 'p4ss/wörd "with" everything+\\'

redact = Redactor([CONFIGURED])


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"POST https://telegram.test/bot{TELEGRAM}/sendMessage", TELEGRAM),
        (f"GET https://telegram.test/file/bot{quote(TELEGRAM, safe='')}/a.ogg", quote(TELEGRAM, safe="")),
        (f"https://telegram.test/bot{TELEGRAM[:20]}", TELEGRAM[:20]),
        (f"the token {TELEGRAM} was refused", TELEGRAM),
        (f"Improper token: {DISCORD}", DISCORD),
        (f"http://127.0.0.1:8765/login/{'aB_-' * 10}abc", "aB_-" * 10 + "abc"),
        (f"https://discord.test/api/webhooks/123456789012345678/{'wT' * 30}", "wT" * 30),
        (f"https://discord.test/api/interactions/123456789012345678/{'iT' * 30}/callback", "iT" * 30),
        (f"{{'Authorization': 'Bot {DISCORD}'}}", DISCORD),
        ("Authorization: Bearer abcdef0123456789", "abcdef0123456789"),
        ("[(b'authorization', b'Bearer abcdef0123456789')]", "abcdef0123456789"),
        ("[(b'x-api-key', b'abcdef0123456789')]", "abcdef0123456789"),
        ("authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        (f"Incorrect API key provided: {OPENAI}.", OPENAI),
        (f"git clone with {GITHUB}", GITHUB),
        (f"{AWS} in us-east-1", AWS),
        (f"session {SIGNED} ended", SIGNED),
        (f"my key:\n{KEY_BLOCK}\nthanks", "b3BlbnNzaC1rZXk"),
        (f"cut off {KEY_BLOCK[:60]}", "b3BlbnNzaC1rZXk"),
        ("connect(user='ann', password='correct horse battery')", "correct horse battery"),
        ('{"api_key": "abc\\"def-4711", "n": 1}', "def-4711"),
        ("PASSWORD=hunter2!", "hunter2!"),
        ("db_password: s3cr3t,value", "s3cr3t,value"),
        ("?access_token=0a1b2c3d&next=1", "0a1b2c3d"),
        ("http://ann:open-sesame@127.0.0.1:8080/v1", "open-sesame"),
    ],
)
def test_a_secret_shape_is_masked(text: str, secret: str) -> None:
    assert secret in text
    masked = redact(text)
    assert secret not in masked
    assert MASK in masked


@pytest.mark.parametrize(
    "spelling",
    [
        CONFIGURED,
        quote(CONFIGURED, safe=""),
        quote(CONFIGURED),
        quote(CONFIGURED, safe="").replace("%2F", "%2f"),
        quote_plus(CONFIGURED),
        json.dumps(CONFIGURED)[1:-1],
        json.dumps(CONFIGURED, ensure_ascii=False)[1:-1],
    ],
)
def test_a_configured_secret_is_masked_however_it_is_spelled(spelling: str) -> None:
    assert redact(f"before<{spelling}>after") == f"before<{MASK}>after"


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=4096 cached_tokens: 31000",
        "12:30:59 the task-runner-with-a-long-name said hello",
        "the bearer of good news",
        "token: null, password: None, secret=false",
        "see https://example.test/a:b/c@d and 192.0.2.1:8080",
        "chat telegram:123456 session 01HZX, 2026-11-30T02:24:00.000+00:00",
        "memory.write_approval sk-learn",
        "gateway.observability.logging and a.very.long_dotted_name_that_is_no_token",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_of_two_secrets_the_longer_one_is_masked_whole() -> None:
    assert Redactor(["abcd", "abcd-efgh"])("x abcd-efgh y abcd z") == f"x {MASK} y {MASK} z"


def test_values_too_short_to_be_secrets_are_ignored() -> None:
    assert Redactor(["", "  ", "abc"])("abc is a start") == "abc is a start"


def test_nested_data_loses_secrets_by_key_and_by_shape() -> None:
    data = {
        "client_secret": "four words long here",
        "headers": [("x", f"Bearer {OPENAI}"), {"api_key": 12345}],
        "raw": f"bot{TELEGRAM}".encode(),
        "error": ValueError(f"no {GITHUB}"),
        "count": 3,
        "password": None,
        TELEGRAM: True,
    }
    masked = redact.tree(data)
    assert masked == {
        "client_secret": MASK,
        "headers": [["x", f"Bearer {MASK}"], {"api_key": MASK}],
        "raw": f"bot{MASK}",
        "error": f"no {MASK}",
        "count": 3,
        "password": None,
        MASK: True,
    }


secrets = (TELEGRAM, DISCORD, OPENAI, GITHUB, AWS, SIGNED, KEY_BLOCK, CONFIGURED, MASK)
joints = ("password=", "token: ", '"', "'", " ", "\n", "Bearer ", "bot", "/bot", "://", ":", "@", "x", "\\", "ö", "&")
pieces = st.lists(st.sampled_from([*secrets, *joints]), max_size=12)


@given(pieces)
def test_masking_twice_is_masking_once(parts: list[str]) -> None:
    once = redact("".join(parts))
    assert redact(once) == once


@given(st.text(max_size=40), st.text(max_size=40), st.text(min_size=4, max_size=30).filter(lambda t: t == t.strip()))
def test_a_configured_secret_never_survives(before: str, after: str, secret: str) -> None:
    # A secret made of the mask's own letters would be found in the mask itself.
    if secret in MASK or len(secret) < 4:
        return
    assert secret not in Redactor([secret])(f"{before}\x00{secret}\x00{after}")
