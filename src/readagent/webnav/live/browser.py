"""The one door to Playwright: it starts the system's Chromium, and its errors come out as ours."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.errors import BrowserError, UsageError

if TYPE_CHECKING:  # the rest of this folder takes these names from here
    from playwright.async_api import Browser as Browser
    from playwright.async_api import CDPSession as CDPSession
    from playwright.async_api import Dialog as Dialog
    from playwright.async_api import Locator as Locator
    from playwright.async_api import Page as Page
    from playwright.async_api import Request as Request
    from playwright.async_api import Route as Route

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_FLAGS = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--disable-sync", "--deny-permission-prompts", "--mute-audio")  # fmt: skip
_GONE = ("has been closed", "Target crashed", "Connection closed", "browser has disconnected", "Page crashed")


def find_browser(environ: Mapping[str, str] | None = None) -> str:
    """The Chromium to drive: the one READAGENT_BROWSER names, or the first of the usual names on the PATH."""
    environ = os.environ if environ is None else environ
    if given := environ.get("READAGENT_BROWSER"):
        found = shutil.which(given, path=environ.get("PATH"))
        if found is None:
            raise UsageError(f"READAGENT_BROWSER is {given}, which is not a program here")
        return found
    for name in _NAMES:
        if found := shutil.which(name, path=environ.get("PATH")):
            return found
    if found := next((place for place in _PLACES if Path(place).is_file()), None):
        return found
    raise UsageError(
        "there is no Chromium here",
        hint="install it (apt install chromium, brew install --cask chromium), or name one in READAGENT_BROWSER",
    )


@asynccontextmanager
async def launch(*, headed: bool = False) -> AsyncIterator[Browser]:
    """A browser with a fresh profile, which is gone at the end."""
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        raise UsageError("browsing needs Playwright", hint="pip install 'readagent[web]'") from None
    program = find_browser()
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium's sandbox does not run as root
    flags = [*_FLAGS, "--no-sandbox"] if root else [*_FLAGS]
    async with async_playwright() as driver:
        try:
            with translate_errors("starting"):
                browser = await driver.chromium.launch(
                    executable_path=program, headless=not headed, args=flags, handle_sigint=False
                )
        except BrowserError as error:
            hint = "a window needs a screen: try without --headed" if headed else "start it by hand to see why"
            raise BrowserError(f"{program} cannot be started", hint=hint) from error
        try:
            yield browser
        finally:
            with suppress(BrowserError), translate_errors("closing the browser"):
                await browser.close()


@contextmanager
def translate_errors(doing: str, failing: type[BrowserError] = BrowserError) -> Iterator[None]:
    """What Playwright raises in here comes out as one clear line; ``failing`` is what it is where the page is well."""
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as TooLongError

    try:
        yield
    except TooLongError as error:
        raise failing(f"{doing}: it took too long{_covered(error.message)}") from error
    except Error as error:
        if any(sign in error.message for sign in _GONE):
            raise BrowserError("the browser was closed, or its page crashed", hint="run the command again") from error
        raise failing(f"{doing}: {_first_line(error.message)}") from error


def _covered(message: str) -> str:
    """What is in the way of a click, where that is why it took too long."""
    for line in message.splitlines():
        if "intercepts pointer events" in line:
            return f"; in the way: {line.strip(' -').partition(' intercepts')[0][:120]}"
    return ""


def _first_line(message: str) -> str:
    """What an error says, in words: ``net::ERR_CONNECTION_REFUSED at …`` is "connection refused"."""
    line = next(iter(message.strip().splitlines()), "nothing is known")
    code = line.rpartition("net::ERR_")[2]
    return code.partition(" at ")[0].replace("_", " ").lower() if "net::ERR_" in line else line[:200]
