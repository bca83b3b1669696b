"""A backup of a whole profile, and the profile that comes of it."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import pytest

from gateway.backup.errors import BackupFault, Damaged, Occupied
from gateway.backup.making import Made, backups, create, surplus, thin, verify
from gateway.backup.manifest import KeptLink
from gateway.backup.restoring import restore
from gateway.clock import SystemClock
from gateway.config.load import load_settings
from gateway.config.lock import ProfileLock
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.config.without_secrets import LEFT_OUT
from gateway.errors import ProfileLocked
from gateway.state.health import inspect
from memory.files import locked
from tests.backup.house import CONFIG, COUNTS, NOW, TOKEN, backed_up, contents, furnished
from tests.fakes.clock import FakeClock

CLOCK = FakeClock()


def everything(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return b"".join(each.filename.encode() + archive.read(each) for each in archive.infolist())


def counts(made: Made) -> dict[str, int]:
    return {name: count for name, count in made.manifest.counts.items() if name in COUNTS}


def empty(folder: Path) -> Profile:
    return prepare(Profile("other", folder, folder))


async def test_a_restored_profile_is_the_same(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    made = backed_up(profile)
    assert counts(made) == COUNTS
    other = empty(tmp_path / "other")
    done = restore(made.backup.path, other, CLOCK)
    assert done.aside is None
    assert contents(other.folder) == contents(profile.folder)
    rows = {each.name: each.rows for each in inspect(other.database).tables}
    assert rows == {each.name: each.rows for each in inspect(profile.database).tables}
    assert os.access(other.skills / "deploy/scripts/run.sh", os.X_OK)
    assert {stat.S_IMODE(each.stat().st_mode) for each in other.folder.rglob("*")} == {0o700, 0o600}
    assert [each.name for each in other.folder.iterdir() if each.name.startswith(".")] == []


HIDDEN = """\
model: {api_key: &k swordfish}   # password is correcthorse1
hosts: {lab: {kind: openai, base_url: http://127.0.0.1:1, api_key: *k}}
mcp_servers:
  far: {command: far, args: [--password, correcthorse, "--api-key", "abcd1234efgh5678ijkl"]}
  near: {command: near, args: ["--token=correcthorse", "--env=NEAR=correcthorse", "--key=${NEAR_KEY}"]}
"""


async def test_secrets_behind_flags_anchors_and_in_comments_are_not_in_it(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    profile.config.write_text(HIDDEN, "utf-8")
    made = backed_up(profile)
    held = everything(made.backup.path)
    assert [word for word in (b"swordfish", b"correcthorse", b"abcd1234") if word in held] == []
    other = empty(tmp_path / "other")
    done = restore(made.backup.path, other, CLOCK)
    variables = {"MCP_SERVERS_FAR_ARGS_1", "MCP_SERVERS_FAR_ARGS_3", "MODEL_API_KEY"}
    variables |= {"MCP_SERVERS_NEAR_ARGS_0", "MCP_SERVERS_NEAR_ARGS_1"}
    assert variables <= set(done.missing)
    settings = load_settings(other, dict.fromkeys((*done.missing, "NEAR_KEY"), "given back")).settings
    assert settings.hosts["lab"].api_key == settings.model.api_key == "given back"
    assert settings.mcp_servers["far"].args == ("--password", "given back", "--api-key", "given back")
    assert settings.mcp_servers["near"].args == ("--token=given back", "--env=NEAR=given back", "--key=given back")


async def test_it_is_private_and_holds_no_secret(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    path = backed_up(profile).backup.path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    held = everything(path)
    assert TOKEN.encode() not in held
    assert b"never-to-be-copied" not in held
    other = empty(tmp_path / "other")
    done = restore(path, other, CLOCK)
    assert done.missing == ("DISCORD_BOT_TOKEN", "TELEGRAM_BOT_TOKEN")
    text = other.config.read_text("utf-8")
    comment, rest = CONFIG.split("\n", 1)
    assert comment.startswith("#")
    assert TOKEN in comment
    kept = rest.replace(f'"{TOKEN}"', '"${TELEGRAM_BOT_TOKEN}"')
    assert text == f"{LEFT_OUT}\n{kept}"
    assert not other.env.exists()


async def test_settings_that_cannot_be_read_stay_out_and_nothing_else_does(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    profile.config.write_text(f'token: "{TOKEN}\nmemory: [', encoding="utf-8")
    made = backed_up(profile)
    assert TOKEN.encode() not in everything(made.backup.path)
    assert [each for each in made.manifest.left_out if each.startswith("config.yaml is left out")]
    assert counts(made) == COUNTS


async def test_seven_are_kept_and_the_new_one_always(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    stranger = profile.backups / "innkeeper-cat-20200101T000000Z.zip"
    profile.backups.mkdir()
    for path in (stranger, profile.backups / "mine.zip"):
        path.write_text("somebody else's")
    for day in range(7):
        assert backed_up(profile, NOW + day * 86_400).removed == ()
    (foreseen,) = surplus(profile)
    made = backed_up(profile, NOW - 86_400)  # the clock was set back: its name makes it the oldest
    assert made.removed == (foreseen,)
    assert made.backup.path.exists()
    found = backups(profile)
    assert len(found) == 7
    assert [each.manifest.made_at for each in found if each.manifest] == [
        *(NOW + day * 86_400 for day in range(6, 0, -1)),
        NOW - 86_400,
    ]
    assert stranger.exists()
    assert thin(profile, keep=2) == tuple(each.path for each in reversed(found[2:]))
    assert len(backups(profile)) == 2


async def test_two_in_one_second_have_names_of_their_own(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    names = [backed_up(profile).backup.path.name for _ in range(3)]
    assert len(set(names)) == 3
    assert [each.path.name for each in backups(profile)] == names[::-1]


async def test_the_home_of_a_start_that_never_was(tmp_path: Path) -> None:
    profile = Profile("default", tmp_path / "none", tmp_path / "none")
    made = backed_up(profile)
    assert made.manifest.database is None
    assert set(made.manifest.counts.values()) == {0}
    other = empty(tmp_path / "other")
    assert restore(made.backup.path, other, CLOCK).aside is None
    assert not other.database.exists()


async def test_what_is_there_is_set_aside_and_never_lost(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    made = backed_up(profile)
    (profile.memories / "MEMORY.md").write_text("Something newer", encoding="utf-8")
    before = contents(profile.folder)
    with pytest.raises(Occupied, match="--force"):
        restore(made.backup.path, profile, CLOCK)
    assert contents(profile.folder) == before
    done = restore(made.backup.path, profile, CLOCK, force=True)
    assert done.aside is not None
    assert contents(done.aside) == before
    assert inspect(done.aside / "state.db").health.faults == ()
    assert (done.aside / "config.yaml").read_text("utf-8") == CONFIG
    assert b"Something newer" not in b"".join(contents(profile.folder).values())
    assert (profile.env.exists(), (profile.logs / "gateway.log").exists()) == (True, True)
    assert done.missing == ("TELEGRAM_BOT_TOKEN",)  # the other one is in .env, which stayed
    again = restore(made.backup.path, profile, CLOCK, force=True)
    assert again.aside not in (None, done.aside)


async def test_a_running_gateway_may_be_copied_and_not_replaced(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    with ProfileLock(profile, SystemClock()):
        made = backed_up(profile)
        with pytest.raises(ProfileLocked):
            restore(made.backup.path, profile, CLOCK, force=True)
    assert (profile.memories / "MEMORY.md").exists()


async def test_links(tmp_path: Path) -> None:
    """The owner's files may lie elsewhere; a second name in a folder stays one; nothing else is followed."""
    profile = await furnished(tmp_path / "home")
    kept = tmp_path / "dotfiles" / "USER.md"
    kept.parent.mkdir()
    (profile.memories / "USER.md").rename(kept)
    (profile.memories / "USER.md").symlink_to(kept)
    (profile.memories / "people").mkdir()
    (profile.memories / "people" / "telegram-7.md").write_text("Bob", encoding="utf-8")
    (profile.memories / "people" / "telegram-8.md").symlink_to("telegram-7.md")
    (profile.skills / "deploy" / "secret").symlink_to("/etc/hostname")
    (profile.skills / "shared").symlink_to(tmp_path / "dotfiles")
    os.mkfifo(profile.skills / "deploy" / "pipe")
    made = backed_up(profile)
    assert made.manifest.links == (KeptLink("memories/people/telegram-8.md", "telegram-7.md"),)
    assert sorted(made.manifest.left_out) == [
        "skills/deploy/pipe: no ordinary file",
        "skills/deploy/secret: a link to something elsewhere",
        "skills/shared: a link to something elsewhere",
    ]
    other = empty(tmp_path / "other")
    restore(made.backup.path, other, CLOCK)
    assert (other.memories / "USER.md").read_text("utf-8") == "Likes tea"
    assert not (other.memories / "USER.md").is_symlink()
    assert str((other.memories / "people" / "telegram-8.md").readlink()) == "telegram-7.md"


async def test_calls_that_wait_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    """Brought back, one that was approved would be made a second time."""
    profile = await furnished(tmp_path / "home")
    calls = profile.pending / "calls"
    (calls / "approved").mkdir(parents=True)
    (calls / "approved" / "0a1b2c3d.json").write_text("{}")
    assert not any("calls" in each for each in backed_up(profile).manifest.left_out)
    (calls / "0a1b2c3e.json").write_text("{}")
    made = backed_up(profile)
    assert [each for each in made.manifest.left_out if each.startswith("pending/calls: calls of tools that wait")]
    assert not any("pending/calls" in each.path for each in made.manifest.files)


async def test_damage_of_the_database_is_no_backup(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    backed_up(profile)
    path = profile.database  # nobody has it open
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 8192] = b"\x07" * 8192
    path.write_bytes(data)
    with pytest.raises(BackupFault, match="damaged"):
        backed_up(profile, NOW + 60)
    assert [each.name for each in profile.backups.iterdir() if each.name != ".lock"] == [
        each.path.name for each in backups(profile)
    ]
    assert len(backups(profile)) == 1


async def test_a_backup_that_is_not_what_it_was_is_found(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    path = backed_up(profile).backup.path
    verify(path, profile)
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 8, len(data) - 8, len(data) // 8):
        broken = tmp_path / "broken.zip"
        broken.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        try:
            manifest, _ = verify(broken, profile)
        except Damaged:
            continue
        assert manifest.size  # a flip in a head that nobody reads
        assert everything(broken) == everything(path)
    broken.write_bytes(data[: len(data) // 2])
    with pytest.raises(Damaged):
        verify(broken, profile)


async def test_only_one_at_a_time_and_the_dead_leave_nothing(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    backed_up(profile)
    with locked(profile.backups / ".lock"):
        with pytest.raises(BackupFault, match="Another backup"):
            backed_up(profile)
    for stray in (".making-x", ".proof-y"):
        (profile.backups / stray).mkdir()
        (profile.backups / stray / "half").write_bytes(b"half")
    (profile.backups / ".making-77.zip").write_bytes(b"half")
    backed_up(profile, NOW + 1)
    left = [each.name for each in profile.backups.iterdir() if each.name.startswith(".")]
    assert left == [".lock"]


async def test_progress_is_told(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    heard: list[tuple[str, int, int]] = []
    create(profile, NOW, {}, lambda stage, done, total: heard.append((stage, done, total)))
    stages = list(dict.fromkeys(stage for stage, _, _ in heard))
    assert stages == ["files", "database", "counting", "packing", "proving"]
    assert all(done <= total for _, done, total in heard)


async def test_who_stops_it_while_it_counts_does_not_wait_for_the_last_page(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    heard = []

    def told(stage: str, done: int, total: int) -> None:
        heard.append(stage)
        if stage == "counting":
            raise BackupFault("it was stopped")

    with pytest.raises(BackupFault, match="interrupted"):
        create(profile, NOW, {}, told)
    assert heard[-1] == "counting", "nothing was packed"
    assert [each.name for each in profile.backups.iterdir()] == [".lock"]
