"""Skills fetched from a folder, an archive, a git address, and an index; all on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.providers.git import Git
from gateway.providers.hub import Hub
from memory.skills.crate import Rejected
from memory.skills.install import Declined, Done, Doubt, Same
from tests.memory.skills.crates import files, folder, tarred, zipped
from tests.memory.skills.shed import ADA, Shed, patch, skill, tree
from tests.providers.shop import Desk, Goods, Shop, commit, entry, git, repository


@pytest.fixture
def shed(tmp_path: Path) -> Shed:
    made = Shed(tmp_path / "home")
    made.root.mkdir(parents=True)
    return made


@pytest.fixture
def desk(shed: Shed, tmp_path: Path) -> Desk:
    return Desk(shed, tmp_path / "cache")


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    made = Shop()
    async with made:
        yield made


def pack(tmp_path: Path, *names: str, body: str = "1. Look.\n") -> bytes:
    content = {f"{name}/SKILL.md": skill(name, body=body) for name in names}
    return zipped(tmp_path / "pack.zip", content).read_bytes()


# Folders and archives of this machine


async def test_from_a_folder(desk: Desk, tmp_path: Path) -> None:
    path = folder(tmp_path / "mine", files("deploy", references__hosts="a\n"))
    assert await desk.hub.install(str(path), by=ADA) == Done("deploy")
    assert desk.shed.library.view("deploy", "references/hosts") == "a\n"
    assert await desk.hub.update(by=ADA) == (Same("deploy"),)
    folder(path, {"SKILL.md": skill("deploy", body="2. New.\n")})
    assert await desk.hub.update(by=ADA) == (Done("deploy"),)
    assert "2. New." in desk.shed.library.view("deploy")
    assert list(desk.cache.iterdir()) == []


@pytest.mark.parametrize("form", ["zip", "tar"])
async def test_from_an_archive(form: str, desk: Desk, tmp_path: Path) -> None:
    content = {f"pack/{name}/SKILL.md": skill(name) for name in ("alpha", "beta")}
    path = zipped(tmp_path / "it.zip", content) if form == "zip" else tarred(tmp_path / "it.tgz", content)
    with pytest.raises(Rejected, match="say which: alpha, beta"):
        await desk.hub.install(str(path), by=ADA)
    assert await desk.hub.install(str(path), "beta", by=ADA, category="ops") == Done("beta")
    assert [each.place for each in desk.shed.library.found().skills] == ["ops/beta"]


async def test_inspecting_tells_everything_and_installs_nothing(desk: Desk, tmp_path: Path) -> None:
    content = {f"{name}/SKILL.md": skill(name) for name in ("alpha", "beta")} | {"gamma/SKILL.md": "broken"}
    path = folder(tmp_path / "it", content)
    before = tree(desk.shed.home)
    seen = await desk.hub.inspect(str(path))
    assert [each.name for each in seen.inside.skills] == ["alpha", "beta"]
    assert [each.place for each in seen.inside.unfit] == ["gamma"]
    assert seen.offer is None
    one = (await desk.hub.inspect(str(path), "alpha")).offer
    assert one is not None
    assert (one.verdict, one.obstacle, one.current) == ("safe", "", False)
    assert one.parcel.files["SKILL.md"] == skill("alpha").encode()
    assert tree(desk.shed.home) == before
    await desk.hub.install(str(path), "alpha", by=ADA)
    again = (await desk.hub.inspect(str(path), "alpha")).offer
    assert again is not None
    assert again.current


async def test_a_doubtful_one_asks(desk: Desk, tmp_path: Path) -> None:
    veiled = skill("deploy", body="1. Look.\n<!-- a remark of more than forty signs, seen by nobody at all -->\n")
    path = folder(tmp_path / "it", {"SKILL.md": veiled})
    asked = await desk.hub.install(str(path), by=ADA)
    assert isinstance(asked, Doubt)
    assert desk.shed.names() == []
    folder(path, {"references/more": "x\n"})
    again = await desk.hub.install(str(path), by=ADA, agreed=[asked.digest])
    assert isinstance(again, Doubt), "what is there now is not what was agreed to"
    assert await desk.hub.install(str(path), by=ADA, agreed=[again.digest]) == Done("deploy")


# Archives from the network


async def test_an_archive_from_an_address_with_progress(desk: Desk, shop: Shop, tmp_path: Path) -> None:
    data = pack(tmp_path, "deploy")
    address = shop.put("/deploy.zip", data)
    assert await desk.hub.install(address, by=ADA, progress=desk.progress) == Done("deploy")
    assert desk.said[-1] == ("deploy.zip", len(data), len(data))
    line = desk.installer.installed()[0].line
    assert line.source == address
    assert len(line.version) == 64


async def test_a_server_may_lead_on_but_not_for_ever(desk: Desk, shop: Shop, tmp_path: Path) -> None:
    shop.put("/deploy.zip", pack(tmp_path, "deploy"))
    shop.goods["/latest"] = Goods(goes_to="/deploy.zip")
    assert await desk.hub.install(f"{shop.root}/latest", by=ADA) == Done("deploy")
    shop.goods["/round"] = Goods(goes_to="/round")
    with pytest.raises(Rejected, match="leads on and on"):
        await desk.hub.install(f"{shop.root}/round", by=ADA)
    shop.goods["/inside"] = Goods(goes_to="file:///etc/passwd")
    with pytest.raises(Rejected, match="is not followed"):
        await desk.hub.install(f"{shop.root}/inside", by=ADA)


@pytest.mark.parametrize(
    ("goods", "says"),
    [
        (Goods(status=404), "answers 404"),
        (Goods(b"<html>", 200), "no archive"),
        (Goods(b"x", says={"Content-Length": "99999999999"}), "has 99,999,999,999 bytes"),
        (Goods(b"x" * (33 << 20), says={"Content-Length": ""}), "more than 33,554,432 bytes"),
        (Goods(b"x", says={"Content-Encoding": "gzip"}), "packs what it sends"),
        (Goods(b"x", says={"Content-Length": "10"}), "cannot be fetched"),
    ],
    ids=["missing", "page", "says-huge", "is-huge", "packed", "torn"],
)
async def test_a_server_that_misbehaves_brings_nothing(goods: Goods, says: str, desk: Desk, shop: Shop) -> None:
    shop.goods["/it.zip"] = goods
    before = tree(desk.shed.home)
    with pytest.raises(Rejected, match=says):
        await desk.hub.install(f"{shop.root}/it.zip", by=ADA)
    assert tree(desk.shed.home) == before
    assert list(desk.cache.iterdir()) == []


async def test_one_that_fails_keeps_no_other_from_its_update(desk: Desk, shop: Shop, tmp_path: Path) -> None:
    for name in ("alpha", "beta", "gamma"):
        await desk.hub.install(shop.put(f"/{name}.zip", pack(tmp_path, name)), by=ADA)
        shop.put(f"/{name}.zip", pack(tmp_path, name, body="2. New.\n"))
    shop.goods["/alpha.zip"] = Goods(status=500)
    desk.shed.done(patch("beta", "Look", "Look twice"), by=ADA)
    asked = len(shop.requests)
    alpha, beta, gamma = await desk.hub.update(by=ADA, progress=desk.progress)
    assert isinstance(alpha, Declined)
    assert "answers 500" in alpha.why
    assert isinstance(beta, Declined)
    assert "was changed here" in beta.why
    assert gamma == Done("gamma")
    assert [each.path for each in shop.requests[asked:]] == ["/alpha.zip", "/gamma.zip"]
    assert {("alpha", 1, 3), ("beta", 2, 3), ("gamma", 3, 3)} <= set(desk.said)
    assert isinstance((await desk.hub.update(["nobody"], by=ADA))[0], Declined)
    assert await desk.hub.remove("gamma", by=ADA) == Done("gamma")
    assert sorted(desk.shed.names()) == ["alpha", "beta"]


# Git


async def test_from_a_git_repository(desk: Desk, tmp_path: Path) -> None:
    at = repository(tmp_path / "repo", {f"skills/deploy/{name}": text for name, text in files().items()})
    first = git(at, "rev-parse", "HEAD")
    address = f"git+{at.as_uri()}"
    assert await desk.hub.install(address, by=ADA, progress=desk.progress) == Done("deploy")
    line = desk.installer.installed()[0].line
    assert (line.source, line.version) == (address, first)
    second = commit(at, {"skills/deploy/SKILL.md": skill("deploy", body="2. New.\n")})
    assert await desk.hub.update(by=ADA) == (Done("deploy"),)
    assert desk.installer.installed()[0].line.version == second
    assert await desk.hub.install(f"{address}#{first}", by=ADA) == Done("deploy")
    assert "2. New." not in desk.shed.library.view("deploy")
    assert list(desk.cache.iterdir()) == []


async def test_neither_hooks_nor_filters_nor_submodules_run(desk: Desk, tmp_path: Path) -> None:
    told = tmp_path / "told"
    at = repository(tmp_path / "repo", {f"deploy/{name}": text for name, text in files().items()})
    other = repository(tmp_path / "other", files("other"))
    git(at, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.as_uri(), "deploy/sub")
    commit(at, {".gitattributes": "* filter=evil\n"})
    for key in ("filter.evil.smudge", "core.fsmonitor", "uploadpack.packObjectsHook"):
        git(at, "config", key, f"touch {told}")
    for name in ("post-checkout", "post-merge", "pre-push", "reference-transaction", "post-index-change"):
        hook = at / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {told}\n")
        hook.chmod(0o755)
    assert await desk.hub.install(f"git+{at.as_uri()}", by=ADA) == Done("deploy")
    assert not told.exists()
    assert desk.shed.library.files("deploy") == ()


async def test_a_link_in_a_repository_is_not_taken(desk: Desk, tmp_path: Path) -> None:
    at = folder(tmp_path / "repo", files("deploy"))
    (at / "passwd").symlink_to("/etc/passwd")
    repository(at, {})
    with pytest.raises(Rejected, match="'passwd' is a link"):
        await desk.hub.install(f"git+{at.as_uri()}", by=ADA)
    assert desk.shed.names() == []


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("git+file:///nowhere/at/all", "git could not fetch"),
        ("https://127.0.0.1:1/x.git", "git could not fetch"),
        ("git+ext::sh -c 'touch /tmp/x'", "not spoken here"),
        ("--upload-pack=touch /tmp/x", "begins with a hyphen"),
        ("ssh://-oProxyCommand=touch/x", "names no machine"),
        ("https://example.org/x.git#--upload-pack=x", "no name of a branch"),
        ("https://example.org/x.git#a..b", "no name of a branch"),
        ("https://ada:secret@example.org/x.git", "password"),
    ],
)
async def test_addresses_of_git_that_lead_nowhere_good(address: str, says: str, desk: Desk) -> None:
    with pytest.raises(Rejected, match=says) as caught:
        await desk.hub.install(address, by=ADA)
    assert "secret" not in str(caught.value)
    assert desk.shed.names() == []


async def test_a_git_server_that_hangs_is_given_up(shed: Shed, shop: Shop, tmp_path: Path) -> None:
    shop.goods["/x.git/info/refs?service=git-upload-pack"] = Goods(b"0", hangs=True, says={"Content-Length": "9"})
    desk = Desk(shed, tmp_path / "cache", seconds=1)
    with pytest.raises(Rejected, match="not fetched within 1 seconds"):
        await desk.hub.install(f"{shop.root}/x.git", by=ADA)
    await shop.requests[0].done.wait()
    assert shop.requests[0].abandoned, "git has ended with all that it started"
    assert list(desk.cache.iterdir()) == []


async def test_without_the_git_program_it_is_said(shed: Shed, tmp_path: Path) -> None:
    hub = Hub(Desk(shed, tmp_path).installer, Git({}, program="/nowhere/git"), tmp_path / "cache")
    with pytest.raises(Rejected, match="The git program cannot be started"):
        await hub.install("git+file:///x", by=ADA)


# Indexes


async def test_browse_search_and_install_by_name(shed: Shed, shop: Shop, tmp_path: Path) -> None:
    data = pack(tmp_path, "deploy")
    shop.put("/skills/deploy.zip", data)
    listed = [
        entry("deploy", "deploy.zip", data, "Puts a site on its servers."),
        entry("tidy", f"{shop.root}/tidy.zip", b"x", "Sorts notes, for those who deploy."),
    ]
    desk = Desk(shed, tmp_path / "cache", [shop.put("/skills/index.json", listed), f"{shop.root}/gone.json"])
    catalogue = await desk.hub.browse()
    assert [each.name for each in catalogue.entries] == ["deploy", "tidy"]
    assert len(catalogue.troubles) == 1
    assert "answers 404" in catalogue.troubles[0]
    assert [each.name for each in (await desk.hub.search("deploy")).entries] == ["deploy", "tidy"]
    assert [each.name for each in (await desk.hub.search("SORTS notes")).entries] == ["tidy"]
    assert await desk.hub.install("deploy", by=ADA) == Done("deploy")
    assert desk.installer.installed()[0].line.source == f"{shop.root}/skills/index.json"
    newer = pack(tmp_path, "deploy", body="2. New.\n")
    shop.put("/skills/deploy.zip", newer)
    refused = (await desk.hub.update(by=ADA))[0]
    assert isinstance(refused, Declined)
    assert "not what its index promised" in refused.why
    shop.put("/skills/index.json", [entry("deploy", "deploy.zip", newer)])
    assert await desk.hub.update(by=ADA) == (Done("deploy"),)
    with pytest.raises(Rejected, match="No index has a skill 'nobody'"):
        await desk.hub.install("nobody", by=ADA)


async def test_an_index_on_this_machine(desk: Desk, tmp_path: Path) -> None:
    it = folder(tmp_path / "shelf/deploy", files("deploy"))
    offer = (await desk.hub.inspect(str(it))).offer
    assert offer is not None
    index = tmp_path / "shelf/index.json"
    index.write_text(json.dumps({"skills": [entry("deploy", "deploy", offer.parcel.digest)]}))
    assert await desk.hub.install(str(index), by=ADA) == Done("deploy")
    index.write_text(json.dumps({"skills": [entry("deploy", "deploy", "0" * 64)]}))
    with pytest.raises(Rejected, match="not what its index promised"):
        await desk.hub.install(str(index), "deploy", by=ADA)


@pytest.mark.parametrize(
    "source",
    [
        *("../outside", "/etc", "~/x", "a\\b", "-x", "", "//evil.example/x.zip", "file:///etc", "git+file:///x"),
        *("ext::sh -c x", "http://example.org/other.json", "git+/etc", "ftp://example.org/x.zip", "javascript:x"),
    ],
)
async def test_an_index_leads_nowhere_but_below_itself_or_to_the_network(
    source: str, desk: Desk, shop: Shop, tmp_path: Path
) -> None:
    address = shop.put("/index.json", [entry("deploy", source, "0" * 64)])
    with pytest.raises(Rejected) as caught:
        await desk.hub.install(address, "deploy", by=ADA)
    assert "Entry 1 of" in str(caught.value)
    assert [each.path for each in shop.requests] == ["/index.json"]
    (tmp_path / "index.json").write_bytes(shop.goods["/index.json"].data)
    with pytest.raises(Rejected, match="Entry 1 of"):
        await desk.hub.install(str(tmp_path / "index.json"), "deploy", by=ADA)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('"x"', "has to be a list"),
        ('[{"name": "../x", "description": "x", "source": "a.zip", "sha256": "0"}]', "Entry 1"),
        ('[{"name": "deploy"}]', "has to have name, description, source and sha256"),
        ('[{"name": "deploy", "description": "x", "source": "a.zip", "sha256": "0"}]', "64 hexadecimal digits"),
        ('[{"name": "deploy", "description": "\\u001b[2J", "source": "a", "sha256": "0"}]', "Entry 1"),
    ],
)
async def test_an_index_that_is_none(text: str, says: str, desk: Desk, shop: Shop) -> None:
    with pytest.raises(Rejected, match=says):
        await desk.hub.install(shop.put("/index.json", text), "deploy", by=ADA)


async def test_without_an_index_a_name_means_nothing(desk: Desk) -> None:
    with pytest.raises(Rejected, match="There is no index"):
        await desk.hub.install("deploy", by=ADA)
