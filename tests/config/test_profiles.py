"""Which profile is meant, and what making and deleting one does."""

from __future__ import annotations

import stat

import pytest

from gateway.config import profiles
from gateway.config.load import load_settings
from gateway.config.lock import ProfileLock
from gateway.errors import ConfigurationError, ProfileLocked
from tests.config.house import House


def env(house: House) -> dict[str, str]:
    return {"INNKEEPER_HOME": str(house.home)}


def test_the_default_profile_is_the_home_folder(house: House) -> None:
    found = profiles.resolve(None, env(house))
    assert (found.name, found.folder) == ("default", house.home)
    assert profiles.resolve("default", env(house)) == found


def test_a_named_profile_has_everything_of_its_own(house: House) -> None:
    made = profiles.create(house.home, "work")
    assert made.folder == house.home / "profiles" / "work"
    assert made.models == house.home / "models"
    for folder in (made.folder.parent, made.folder, made.memories, made.skills, made.pending, made.logs, made.cache):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert made.soul.read_text()
    assert load_settings(made, {}).origins == {}
    assert profiles.resolve("work", env(house)) == made
    assert [found.name for found in profiles.profiles(house.home)] == ["default", "work"]


def test_the_one_in_use_is_remembered_until_it_is_deleted(house: House) -> None:
    profiles.create(house.home, "work")
    profiles.use(house.home, "work")
    assert profiles.resolve(None, env(house)).name == "work"
    assert profiles.resolve("default", env(house)).name == "default"
    profiles.delete(house.home, "work")
    assert profiles.resolve(None, env(house)).name == "default"


def test_a_profile_in_use_that_vanished_is_said(house: House) -> None:
    made = profiles.create(house.home, "work")
    profiles.use(house.home, "work")
    made.folder.rename(house.home / "moved")
    with pytest.raises(ConfigurationError, match=r"no profile 'work' \(chosen by active_profile"):
        profiles.resolve(None, env(house))


@pytest.mark.parametrize("name", ["", "-x", ".x", "../x", "a/b", "Work", "ü", "a" * 65, "a b", "a\n"])
def test_names_are_plain(house: House, name: str) -> None:
    with pytest.raises(ConfigurationError, match="no profile name"):
        profiles.create(house.home, name)


def test_existing_files_are_never_overwritten(house: House) -> None:
    house.write("memory: {share: true}\n")
    house.profile.soul.write_text("mine")
    profiles.furnish(house.profile)
    assert (house.text, house.profile.soul.read_text()) == ("memory: {share: true}\n", "mine")
    profiles.create(house.home, "work")
    with pytest.raises(ConfigurationError, match="exists already"):
        profiles.create(house.home, "work")


def test_the_default_and_a_running_profile_are_not_deleted(house: House) -> None:
    made = profiles.create(house.home, "work")
    with ProfileLock(made), pytest.raises(ProfileLocked, match="stop it first"):
        profiles.delete(house.home, "work")
    with pytest.raises(ConfigurationError, match="default profile"):
        profiles.delete(house.home, "default")
    with pytest.raises(ConfigurationError, match="no profile 'other'"):
        profiles.delete(house.home, "other")
    profiles.delete(house.home, "work")
    assert not made.folder.exists()


def test_a_home_that_cannot_be_made_is_one_line(house: House) -> None:
    (house.home / "file").write_text("")
    with pytest.raises(ConfigurationError, match="INNKEEPER_HOME"):
        profiles.prepare(profiles.resolve(None, {"INNKEEPER_HOME": str(house.home / "file" / "home")}))
