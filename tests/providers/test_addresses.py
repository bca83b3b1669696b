"""What a person writes as a place of skills, and what it is taken for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.providers.addresses import Address, from_index, read
from memory.skills.crate import Rejected


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("deploy", Address("name", "deploy")),
        ("deploy.v2", Address("name", "deploy.v2")),
        ("/srv/deploy", Address("path", "/srv/deploy")),
        ("/srv/deploy.zip", Address("path", "/srv/deploy.zip")),
        ("/srv/index.json", Address("index", "/srv/index.json")),
        ("https://example.org/a.zip", Address("archive", "https://example.org/a.zip")),
        ("https://example.org/index.json?x=1", Address("index", "https://example.org/index.json?x=1")),
        ("https://example.org/a.git", Address("git", "https://example.org/a.git")),
        ("https://example.org/a.git#v1.2", Address("git", "https://example.org/a.git", "v1.2")),
        ("git+https://example.org/a", Address("git", "https://example.org/a")),
        ("ssh://git@example.org:2222/a", Address("git", "ssh://git@example.org:2222/a")),
        ("git@example.org:team/a.git#main", Address("git", "git@example.org:team/a.git", "main")),
        ("git+/srv/a", Address("git", "file:///srv/a")),
        ("  deploy  ", Address("name", "deploy")),
    ],
)
def test_what_it_is_taken_for_and_that_it_can_be_read_again(text: str, address: Address) -> None:
    assert read(text) == address
    assert read(str(address)) == address


@pytest.mark.parametrize("text", ["./deploy", "deploy.zip", "a/b", "index.json"])
def test_a_path_is_kept_whole(text: str) -> None:
    assert read(text).where == str(Path(text).absolute())


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "-x", "a\nb", "a\x1b[2J", "x" * 3_000, "ftp://example.org/a.zip", "ext::sh"),
        *("https://", "https:///a.zip", "https://example.org:99999/a.zip", "https://a:b@example.org/a.zip"),
        *("https://token@example.org/a.zip", "https://example.org/a.zip#main", "ssh://-x/a", "git+ext::sh -c x"),
        *("https://[::1/a.zip", "git+https://example.org/a#-x", "git+https://example.org/a#x y"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(Rejected) as caught:
        read(text)
    assert len(str(caught.value)) < 300


def test_an_index_of_https_leads_to_nothing_less() -> None:
    index = read("https://example.org/skills/index.json")
    assert from_index("deploy.zip", index).where == "https://example.org/skills/deploy.zip"
    assert from_index("git@example.org:a.git", index).kind == "git"
    for source in ("http://example.org/a.zip", "git://example.org/a", "git+file:///a"):
        with pytest.raises(Rejected):
            from_index(source, index)
