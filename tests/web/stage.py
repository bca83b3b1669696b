"""A house with its dashboard open: all that `innkeeper run` puts together, in the test's own loop, the server on a
free port of loopback, and people who look at it with httpx or with Debian's Chromium.

The model host is scripted. No platform is started unless a test names it; who may do what comes from the settings.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from commands.dashboard_ports import Dashboard
from gateway.app import App, running
from gateway.config.extensions import Extensions
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from platforms.messages import ChatRef
from platforms.registry import manifests, usable
from tests.fakes.openai_server import OpenAIServer

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright

ARTEFACTS = Path(__file__).parents[1] / ".artefacts"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESK = (390, 844), (1280, 900)
PATIENCE = 45_000
"""Milliseconds until a test gives up waiting for a page: a machine with much to do is slow, and not broken."""

OWNER, OPERATOR, USER = "telegram:111", "telegram:222", "telegram:333"
"""Ada owns the house, Bob decides in it, Mallory may talk to it and no more."""

CSRF = re.compile(r'<meta name="csrf-token" content="([0-9a-f]+)">')
TOKEN = re.compile(r'name="token" value="([\w-]+)"')


def browser_path() -> str:
    """Where the browser lies. The check installs it, so that there it is a failure when it is not there."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None and "CI" not in os.environ:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    return found or CHROMIUM[0]


class Visitor(httpx.AsyncClient):
    """Somebody with a browser of their own; `submit` sends a form as a page of the dashboard would."""

    async def login(self, url: str) -> httpx.Response:
        """Open a link and press its button."""
        page = await self.get(httpx.URL(url).path)
        found = TOKEN.search(page.text)
        if found is None:
            return page
        return await self.post("/login", data={"token": found[1]})

    async def csrf(self, path: str = "/") -> str:
        """The token that the forms of this login bear."""
        found = CSRF.search((await self.get(path)).text)
        assert found is not None, "nobody is logged in"
        return found[1]

    async def submit(self, path: str, **fields: str) -> httpx.Response:
        """Send a form with its token, and go where the answer leads."""
        return await self.post(path, data={"csrf": await self.csrf(), **fields})


class Chromium:
    """One browser for many tests: begun with the first page, and again when it is gone. Each page has a context of
    its own, with its own login and storage, so that tests share the process and nothing else."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._browser: Browser | None = None

    async def browser(self) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            self._browser = await self._playwright.chromium.launch(
                executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"]
            )
        return self._browser

    async def close(self) -> None:
        if self._browser is not None:
            await self._browser.close()


@dataclass
class Stage:
    """The house (`app`), its scripted model host (`host`), its folder, and who comes to look."""

    app: App
    host: OpenAIServer
    profile: Profile
    address: str
    stack: AsyncExitStack
    chromium: Chromium | None = None

    @property
    def folder(self) -> Path:
        return self.profile.folder

    @property
    def dashboard(self) -> Dashboard:
        port = self.app.engine.ports.dashboard
        assert port is not None
        return port

    async def link(self, who: str = OWNER) -> str:
        """A one-time link with this person's rights, asked for in their direct chat; `shell` for the machine's."""
        chat = ChatRef.parse(who) if who != "shell" else None
        return (await self.dashboard.link(who, chat)).url

    def stranger(self, **headers: str) -> Visitor:
        """Somebody who is not logged in."""
        origin = {"Origin": self.address}
        visitor = Visitor(base_url=self.address, headers=origin | headers, follow_redirects=True, trust_env=False)
        self.stack.push_async_callback(visitor.aclose)
        return visitor

    async def client(self, who: str = OWNER) -> Visitor:
        """Somebody who is."""
        visitor = self.stranger()
        answer = await visitor.login(await self.link(who))
        assert answer.status_code == 200, answer.text
        return visitor

    async def browser(
        self,
        who: str | None = OWNER,
        size: tuple[int, int] = DESK,
        *,
        dark: bool = False,
        javascript: bool = True,
        touch: bool = False,
    ) -> Page:
        """A page in Chromium, on the first page of the dashboard; who is None is not logged in and nowhere yet. A
        script or style that the content policy stops, and a script's fault, are kept in `faults`."""
        assert self.chromium is not None, "dashboard_stage(…, chromium=chromium)"
        context = await (await self.chromium.browser()).new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
            reduced_motion="reduce",
            has_touch=touch,
        )
        self.stack.push_async_callback(context.close)
        context.set_default_timeout(PATIENCE)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)
        if who is not None:
            held = (await self.client(who)).cookies
            await context.add_cookies(
                [{"name": name, "value": value, "url": self.address} for name, value in held.items()]
            )
            await page.goto(f"{self.address}/")
        return page

    faults: list[str] = field(default_factory=list)
    """What Chromium complained about, on all pages."""


async def follows(page: Page) -> None:
    """Wait until the page is told what changes: what changes from now on appears on it."""
    await page.locator("html[data-live=on]").wait_for(state="attached")


async def shot(page: Page, name: str) -> Path:
    """Keep how the whole page looks as `tests/.artefacts/NAME.png`."""
    ARTEFACTS.mkdir(exist_ok=True)
    path = ARTEFACTS / f"{name}.png"
    await page.screenshot(path=path, full_page=True)
    return path


@asynccontextmanager
async def dashboard_stage(
    folder: Path,
    *,
    config: Mapping[str, Any] | None = None,
    before: Callable[[Profile], object] = lambda profile: None,
    only: Sequence[str] = (),
    chromium: Chromium | None = None,
) -> AsyncIterator[Stage]:
    """Open the house in a folder. `config` replaces whole sections of config.yaml; `before` may put files into the
    profile first; `only` names the platforms that start; `chromium` is what `browser` opens pages in."""
    profile = prepare(Profile("default", folder, folder))
    async with OpenAIServer() as host, AsyncExitStack() as stack:
        profile.config.write_text(json.dumps(settings(host) | dict(config or {}), indent=1))  # JSON is YAML
        before(profile)
        extensions = Extensions(platforms=usable(manifests().values()))
        loaded = load_settings(profile, {}, extensions)
        app = await stack.enter_async_context(running(profile, loaded, {}, only=only, extensions=extensions))
        port = app.engine.ports.dashboard
        assert port is not None
        visits = await stack.enter_async_context(AsyncExitStack())
        yield Stage(app, host, profile, await port.start(), visits, chromium)


def settings(host: OpenAIServer) -> dict[str, Any]:
    """What the house is set to when a test says nothing else."""
    return {
        "model": {"provider": "openai", "model": "m", "base_url": host.base_url, "api_key": "none"},
        "platforms": {"telegram": {"token": "1:none", "allowed_users": [111, 222, 333]}},
        "access": {"owners": [OWNER], "operators": [OPERATOR]},
        "auxiliary": {"background_review": {"enabled": False}},
        "gateway": {"drain_seconds": 1},
        "dashboard": {"port": 0},
    }
