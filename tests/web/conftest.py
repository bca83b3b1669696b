"""The browser that tests of pages share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.web.stage import PATIENCE, Chromium


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Chromium]:
    """One for all tests of a worker. Whoever uses it runs in the session's loop, in which it lives."""
    from playwright.async_api import async_playwright, expect

    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        found = Chromium(playwright)
        yield found
        await found.close()
