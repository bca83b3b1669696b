"""Under which names we answer, and from where a form may come."""

from __future__ import annotations

import pytest

from gateway.web.origins import Origins, origin_of


@pytest.mark.parametrize(
    ("host", "listened", "public", "known"),
    [
        ("inn.example.org", "127.0.0.1", "https://inn.example.org", True),
        ("INN.example.org", "127.0.0.1", "https://inn.example.org", True),
        ("inn.example.org:444", "127.0.0.1", "https://inn.example.org", False),
        ("inn.example.org:444", "127.0.0.1", "https://inn.example.org:444", True),
        ("localhost:8765", "127.0.0.1", "https://inn.example.org", True),
        ("192.0.2.7:8765", "192.0.2.7", None, True),
        ("192.0.2.7:8765", "0.0.0.0", None, False),  # a name that leads here may be anybody's
        ("[2001:db8::7]:8765", "2001:db8::7", None, True),
        ("[2001:db8::7]", "::", None, False),
        ("localhost:", "127.0.0.1", None, False),
        ("::1", "127.0.0.1", None, False),
        ("[::1", "127.0.0.1", None, False),
        ("2130706433", "127.0.0.1", None, False),
        ("localhost.", "127.0.0.1", None, False),
    ],
)
def test_names(host: str, listened: str, public: str | None, known: bool) -> None:
    assert Origins(listened, public).known(host) is known


@pytest.mark.parametrize(
    ("headers", "ours"),
    [
        ({"origin": "https://inn.example.org", "host": "inn.example.org"}, True),
        ({"origin": "https://inn.example.org", "host": "127.0.0.1:8765"}, True),  # a proxy that names us itself
        ({"origin": "http://inn.example.org", "host": "127.0.0.1:8765"}, False),
        ({"origin": "http://127.0.0.1:8765", "host": "127.0.0.1:8765"}, True),
        ({"origin": "http://127.0.0.1:8766", "host": "127.0.0.1:8765"}, False),
        ({"origin": "null", "host": "127.0.0.1:8765", "sec-fetch-site": "same-origin"}, False),
        ({"host": "127.0.0.1:8765", "sec-fetch-site": "same-origin"}, True),
        ({"host": "127.0.0.1:8765", "referer": "http://127.0.0.1:8765/"}, False),
    ],
)
def test_forms(headers: dict[str, str], ours: bool) -> None:
    assert Origins("127.0.0.1", "https://inn.example.org").ours(headers) is ours


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Inn.example.org/", "https://inn.example.org"),
        ("http://192.0.2.7:80", "http://192.0.2.7"),
        ("https://inn.example.org:443", "https://inn.example.org"),
        ("https://inn.example.org:8443/", "https://inn.example.org:8443"),
        ("https://[2001:db8::7]/", "https://[2001:db8::7]"),
    ],
)
def test_a_public_address_is_compared_as_browsers_write_it(url: str, origin: str) -> None:
    assert origin_of(url) == origin
