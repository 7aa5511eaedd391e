"""The only module that imports Playwright: it starts the installed Chromium and translates Playwright's errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.advice import missing_extra
from readagent.errors import BrowserError, UsageError
from readagent_browse.live.proxy import FilteringProxy

if TYPE_CHECKING:  # the other modules of this folder import these names from here
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext as BrowserContext
    from playwright.async_api import CDPSession as CDPSession
    from playwright.async_api import Dialog as Dialog
    from playwright.async_api import Download as Download
    from playwright.async_api import ElementHandle as ElementHandle
    from playwright.async_api import Frame as Frame
    from playwright.async_api import Locator as Locator
    from playwright.async_api import Page as Page
    from playwright.async_api import Playwright as Playwright
    from playwright.async_api import Request as Request
    from playwright.async_api import Route as Route
    from playwright.async_api import WebSocket as WebSocket

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
# Requests that the browser makes for a page, past the request gate: reports, sign-in with FedCM, auctions of
# advertisements, bound sessions, payment. The others are what Playwright disables: Chromium heeds only the last flag.
_DISABLED_FEATURES = (
    "Reporting,NetworkErrorLogging,WebPayments,ServiceWorkerPaymentApps,FedCm,InterestGroupStorage,DeviceBoundSessions,AutofillServerCommunication,"
    "WebPayments,ServiceWorkerPaymentApps,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,"
    "PreconnectToSearch,msForceBrowserSignIn,msEdgeUpdateLaunchServicesPreferredVersion"
)
# What opens a window of the browser, which nobody sees and which takes all clicks: sharing the screen or a link,
# choosing a device, a file, a colour of the screen or another display. Pages find that it is not supported.
_DISABLED_IN_PAGES = (
    "FedCm,AdInterestGroupAPI,Fledge,WebIdentityDigitalCredentials,GetDisplayMedia,WebUSB,WebBluetooth,Serial,"
    "WebHID,WebNFC,WebShare,FileSystemAccessLocal,EyeDropperAPI,Presentation,DocumentPictureInPictureAPI,"
    "PaymentApp"
)
_FLAGS = (f"--disable-features={_DISABLED_FEATURES}", f"--disable-blink-features={_DISABLED_IN_PAGES}",
          "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--disable-sync", "--deny-permission-prompts", "--mute-audio")  # fmt: skip
_CONTEXT: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "service_workers": "block"}
_GONE = ("has been closed", "Target crashed", "Connection closed", "browser has disconnected", "Page crashed")


def find_browser(environ: Mapping[str, str] | None = None) -> str:
    """Return the Chromium to use: READAGENT_BROWSER, or the first one found on the PATH or in the usual folders."""
    environ = os.environ if environ is None else environ
    if given := environ.get("READAGENT_BROWSER"):
        found = shutil.which(given, path=environ.get("PATH"))
        if found is None:
            raise UsageError(f"READAGENT_BROWSER is {given}, but there is no such program")
        return found
    for name in _NAMES:
        if found := shutil.which(name, path=environ.get("PATH")):
            return found
    if found := next((path for path in _PATHS if Path(path).is_file()), None):
        return found
    raise UsageError(
        "Chromium was not found",
        hint="install it (apt install chromium, brew install --cask chromium), or set READAGENT_BROWSER",
    )


class Browser:
    """A running Chromium whose only way to the network is ``proxy``. With a profile it has one context."""

    def __init__(
        self, browser: PlaywrightBrowser, proxy: FilteringProxy, context: BrowserContext | None = None
    ) -> None:
        self._browser = browser
        self._context = context
        self.proxy = proxy

    @property
    def version(self) -> str:
        """The version of the program."""
        return self._browser.version

    async def new_context(self) -> BrowserContext:
        """Return a context without cookies and logins, or that of the profile."""
        return self._context or await self._browser.new_context(**_CONTEXT)

    async def close(self) -> None:
        """Close the browser; a profile is saved."""
        await (self._context or self._browser).close()

    async def new_cdp_session(self) -> CDPSession:
        """Return a session of the DevTools protocol for the whole browser."""
        return await self._browser.new_browser_cdp_session()


@asynccontextmanager
async def launch(*, headed: bool = False, profile: Path | None = None) -> AsyncIterator[Browser]:
    """Start a browser with a new profile, which is deleted at the end, or with the profile in a folder, which stays.

    It reaches nothing until a tab is opened, whose network guard then decides.
    """
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        raise missing_extra("browsing", "Playwright", "browser", "readagent-browse") from None
    program = find_browser()
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium's sandbox does not run as root
    flags = [*_FLAGS, "--no-sandbox"] if root else [*_FLAGS]
    async with FilteringProxy() as proxy, async_playwright() as driver:
        settings: dict[str, Any] = {
            "executable_path": program,
            "headless": not headed,
            "args": [*flags, *proxy.browser_flags()],
            "ignore_default_args": ["--disable-popup-blocking"],  # a page opens tabs after an action on it only
            "handle_sigint": False,
        }
        try:
            with translate_errors("starting the browser"):
                browser = await _start(driver, proxy, settings, profile)
        except BrowserError as error:
            hint = "`headed` needs a display: try without it" if headed else "run it in a terminal to see why"
            raise BrowserError(f"could not start {program}", hint=hint) from error
        try:
            yield browser
        finally:
            with suppress(BrowserError), translate_errors("closing the browser"):
                await browser.close()


async def _start(driver: Playwright, proxy: FilteringProxy, settings: dict[str, Any], profile: Path | None) -> Browser:
    if profile is None:
        return Browser(await driver.chromium.launch(**settings), proxy)
    context = await driver.chromium.launch_persistent_context(profile, **settings, **_CONTEXT)
    assert context.browser is not None
    return Browser(context.browser, proxy, context)


def browser_gone() -> BrowserError:
    """Return the error for a browser that ended or a page that crashed."""
    return BrowserError("the browser was closed, or its page crashed", hint="run the command again")


@contextmanager
def translate_errors(doing: str, error_type: type[BrowserError] = BrowserError) -> Iterator[None]:
    """Raise Playwright's errors as ``error_type``, in one line that begins with ``doing``.

    A closed browser or a crashed page is always a BrowserError. The model is shown the text of an ActionFailedError.
    """
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as PlaywrightTimeoutError

    try:
        yield
    except PlaywrightTimeoutError as error:
        raise error_type(f"{doing}: it took too long{_covering_element(error.message)}") from error
    except Error as error:
        if any(sign in error.message for sign in _GONE):
            raise browser_gone() from error
        raise error_type(f"{doing}: {_first_line(error.message)}") from error


def took_too_long(error: BrowserError) -> bool:
    """Return whether an error of ``translate_errors`` is that of a time limit."""
    from playwright.async_api import TimeoutError as PlaywrightTimeoutError

    return isinstance(error.__cause__, PlaywrightTimeoutError)


def _covering_element(message: str) -> str:
    """Return which element covers the one to click, if that is why the click took too long."""
    for line in message.splitlines():
        if "intercepts pointer events" in line:
            return f"; in the way: {line.strip(' -').partition(' intercepts')[0][:120]}"
    return ""


def _first_line(message: str) -> str:
    """Return the first line of an error; ``net::ERR_CONNECTION_REFUSED at …`` becomes "connection refused"."""
    line = next(iter(message.strip().splitlines()), "nothing is known")
    code = line.rpartition("net::ERR_")[2]
    return code.partition(" at ")[0].replace("_", " ").lower() if "net::ERR_" in line else line[:200]
