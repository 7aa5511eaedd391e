"""PageReader: run observe.js in a page and in its frames of other origins, and put the parts together."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import BrowserError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.dragging import mark_sortable_lists
from readagent_browse.snapshot import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import CDPSession, Frame, Page

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_HERE = Path(__file__).parent
_SCRIPT = (_HERE / "observe.js").read_text("utf-8")
_SECRET_FIELD = (_HERE / "secret_field.js").read_text("utf-8")


class PageReader:
    """Reads one page. The ids in a frame of another origin begin with letters of its own, such as ``fa``."""

    def __init__(self, page: Page, cdp: CDPSession, patience: float) -> None:
        self._page = page
        self._patience = patience  # seconds for a frame of another origin
        self._cdp = cdp
        self._prefixes: dict[Frame, str] = {}
        self._other_origins: dict[Frame, str] = {}  # in the page that was read last, with their prefixes

    async def read(self) -> dict[str, Any]:
        """Return the HTML, URL and title of the page, and the ids of its usable elements."""
        with translate_errors("could not read the page"):
            page = await self._read_main()
            if page["sorts"] and await mark_sortable_lists(self._cdp):
                page = await self._read_main()
        self._other_origins = {}
        for frame in self._page.frames[1:]:
            if frame.url.startswith("chrome-error:"):  # it was blocked, and shows the browser's own page
                continue
            try:
                await asyncio.wait_for(self._add_frame(frame, page), self._patience)
            except (BrowserError, TimeoutError):
                continue  # it was removed meanwhile, or does not respond: the page is read without it
        return page

    async def _read_main(self) -> dict[str, Any]:
        parameters = {"expression": _script(""), "includeCommandLineAPI": True, "returnByValue": True}
        answer = await self._cdp.send("Runtime.evaluate", parameters)
        if "exceptionDetails" in answer:
            raise BrowserError(f"could not read the page: {answer['result'].get('description', '')[:200]}")
        page: dict[str, Any] = answer["result"]["value"]
        return page

    def frames_with(self, element: str) -> list[Frame]:
        """Return the frames that an id may be from. A frame of another origin has only ids with its own letters."""
        letters = element.rstrip("0123456789")
        return [frame for frame in self._page.frames if self._other_origins.get(frame, "") == letters]

    async def _add_frame(self, frame: Frame, page: dict[str, Any]) -> None:
        """Put the content of a frame into the page, if the page has a place for it, with ids of this frame only."""
        with translate_errors("could not read a frame"):
            element = await frame.frame_element()
            number = await element.get_attribute(f"{ID_ATTRIBUTE}-frame")
            place = f"<!--frame {number}-->"
            if number is None or place not in page["html"]:
                return
            prefix = self._other_origins[frame] = self._prefix(frame)
            inside = await frame.evaluate(f"() => {_script(prefix)}")
        body = inside["html"].partition("</head>")[2].removesuffix("</body></html>").replace("<body", "<div", 1)
        body = re.sub(rf'{ID_ATTRIBUTE}(?!="{prefix}[0-9]+")', "data-other-id", body, flags=re.IGNORECASE)
        page["html"] = page["html"].replace(place, f"{body}</div>" if body else "", 1)
        page["ids"] += [name for name in inside["ids"] if re.fullmatch(f"{prefix}[0-9]+", name)]

    def _prefix(self, frame: Frame) -> str:
        """Return what the ids of a frame begin with."""
        if frame not in self._prefixes:
            number, letters = len(self._prefixes), ""
            while not letters or number:
                number, rest = divmod(number, len(_LETTERS))
                letters += _LETTERS[rest]
            self._prefixes[frame] = f"f{letters}"
        return self._prefixes[frame]


def _script(prefix: str) -> str:
    """Return observe.js, called for ids that begin with a prefix."""
    return f"({_SCRIPT})({ID_ATTRIBUTE!r}, {prefix!r},\n{_SECRET_FIELD})"
