"""A running gateway follows its settings, and a broken file changes nothing."""

from __future__ import annotations

from gateway.config.reload import Broken, Reloaded, Watcher
from tests.config.house import House, telegram

GOOD = "memory: {write_approval: true}\nplatforms: {telegram: {token: '1:a-token', allowed_users: [111]}}\n"


def watching(house: House) -> Watcher:
    house.write(GOOD)
    return Watcher(house.profile, house.load(), {})


def test_nothing_changed_nothing_said(house: House) -> None:
    watcher = watching(house)
    assert watcher.check() is None
    assert watcher.check(force=True) == Reloaded(watcher.current, (), ())


def test_access_gates_and_notices_take_effect(house: House) -> None:
    watcher = watching(house)
    house.set("platforms.telegram.allowed_users", "[111, 222]")
    house.set("memory.write_approval", "auto")
    house.set("display.memory_notifications", "verbose")
    house.set("gateway.budgets.chat", "5000")
    report = watcher.check()
    assert isinstance(report, Reloaded)
    assert set(report.changed) == {
        "platforms.telegram.allowed_users",
        "memory.write_approval",
        "display.memory_notifications",
        "gateway.budgets.chat",
    }
    assert report.waiting == ()
    assert telegram(watcher.current)["allowed_users"] == ("111", "222")
    assert watcher.current.settings.memory.write_approval == "auto"
    assert watcher.check() is None


def test_what_needs_a_restart_is_named_and_stays(house: House) -> None:
    watcher = watching(house)
    house.write(
        GOOD.replace("1:a-token", "2:b-token") + "model: {model: other}\nhosts: {lab: {}}\nmemory: {share: true}\n"
    )
    house.write(
        "memory: {write_approval: true, share: true}\nmodel: {model: other}\nhosts: {lab: {}}\n"
        "platforms: {telegram: {token: '2:b-token', allowed_users: [111]}}\n"
    )
    report = watcher.check()
    assert isinstance(report, Reloaded)
    assert report.changed == ("memory.share",)
    assert {key.split(".")[0] for key in report.waiting} == {"model", "hosts", "platforms"}
    settings = report.loaded.settings
    assert (settings.model.model, settings.hosts, telegram(report.loaded)["token"]) == ("auto", {}, "1:a-token")
    assert report.loaded.secrets >= {"1:a-token", "2:b-token"}
    house.write(GOOD)
    back = watcher.check()
    assert isinstance(back, Reloaded)
    assert (back.changed, back.waiting) == (("memory.share",), ())


def test_a_broken_file_is_reported_once_and_the_last_good_stays(house: House) -> None:
    watcher = watching(house)
    good = watcher.current
    house.write("broken: [unclosed\n")
    report = watcher.check()
    assert isinstance(report, Broken)
    assert report.problems[0].startswith("config.yaml:2 ")
    assert watcher.check() is None
    assert watcher.current is good
    house.write("memroy: {}\n")
    assert isinstance(watcher.check(), Broken)
    assert watcher.current.settings.memory.write_approval is True
    assert telegram(watcher.current)["allowed_users"] == ("111",)
    house.write(GOOD)
    mended = watcher.check()
    assert isinstance(mended, Reloaded)
    assert (mended.changed, mended.waiting) == ((), ())
    assert watcher.check() is None


def test_a_file_that_vanishes_or_is_emptied_does_not_mean_defaults(house: House) -> None:
    watcher = watching(house)
    house.write("")
    assert isinstance(watcher.check(), Broken)
    house.profile.config.unlink()
    assert isinstance(watcher.check(), Broken)
    assert watcher.check() is None
    assert telegram(watcher.current)["allowed_users"] == ("111",)
    house.write(GOOD.replace("111", "222"))
    assert isinstance(watcher.check(), Reloaded)
    assert telegram(watcher.current)["allowed_users"] == ("222",)


def test_the_env_file_is_followed_too(house: House) -> None:
    house.write("memory:\n  write_approval: ${GATE}\n", env="GATE=true\n")
    watcher = Watcher(house.profile, house.load(), {})
    house.write(house.text, env="GATE=auto\n")
    report = watcher.check()
    assert isinstance(report, Reloaded)
    assert report.changed == ("memory.write_approval",)
    house.write(house.text, env="")
    assert isinstance(watcher.check(), Broken)
    assert watcher.current.settings.memory.write_approval == "auto"
