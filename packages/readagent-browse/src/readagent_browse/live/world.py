"""World: our scripts run beside those of a page, on the same elements, with built-ins that no page can change."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError, BrowserError
from readagent_browse.live.browser import translate_errors
from readagent_browse.snapshot import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import BrowserContext, CDPSession, Frame, Page

_SCRIPT = (Path(__file__).parent / "world.js").read_text("utf-8")
_HINTS = (Path(__file__).parent / "hints.js").read_text("utf-8")
_PATIENCE_MS = 2000  # for the hints that a page's own world gives
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FRAME = f"{ID_ATTRIBUTE}-frame"


class World:
    """Runs the functions of world.js in one page and its frames of other origins.

    The ids in a frame of another origin begin with letters of its own, such as ``fa``; those in frames of the same
    origin are ids of the page.
    """

    def __init__(self, context: BrowserContext, page: Page, cdp: CDPSession, patience: float) -> None:
        self._context = context
        self._page = page
        self._cdp = cdp
        self._patience = patience  # seconds for a frame of another origin
        self._sessions: dict[Frame, CDPSession] = {}
        self._prefixes: dict[Frame, str] = {}
        self._places: dict[Frame, tuple[CDPSession, str]] = {}  # of the page and the frames that were read last

    async def run(self, name: str, *given: Any, frame: Frame | None = None) -> Any:
        """Return the result of a function in the page, or in a frame that was read."""
        return await self._value(frame or self._page.main_frame, "run", name, *given)

    async def on(self, element: str, name: str, *given: Any) -> Any:
        """Return the result of a function for an element; ActionFailedError if it is not on the page any more."""
        letters = element.rstrip("0123456789")
        frames = [frame for frame in self._places if self._prefixes.get(frame, "") == letters]
        found = await self._value(frames[0], "on", element, name, *given) if frames else None
        if found is None:
            raise ActionFailedError(f"the element {element} is not on the page any more")
        return found[0]

    async def read(self) -> dict[str, Any]:
        """Return the HTML, URL and title of the page, and the ids of its usable elements."""
        with translate_errors("could not read the page"):
            self._places = {self._page.main_frame: await self._main_place()}
            await self._take_hints()
            page: dict[str, Any] = await self.run("read", "")
        for frame in self._page.frames[1:]:
            if frame.url.startswith("chrome-error:"):  # it was blocked, and shows the browser's own page
                continue
            with suppress(BrowserError, TimeoutError):  # it was removed meanwhile, or does not respond
                await asyncio.wait_for(self._add_frame(frame, page), self._patience)
        return page

    @property
    def frames(self) -> list[Frame]:
        """The page and the frames of other origins that were read last."""
        return [self._page.main_frame, *(frame for frame in self._places if frame != self._page.main_frame)]

    def frames_with(self, element: str) -> list[Frame]:
        """Return the frames that an id may be from. A frame of another origin has only ids with its own letters."""
        letters = element.rstrip("0123456789")
        prefixes = {frame: self._prefixes[frame] for frame in self._places if frame in self._prefixes}
        return [frame for frame in self._page.frames if prefixes.get(frame, "") == letters]

    async def _take_hints(self) -> None:
        """Let the page's own world tell which elements listen to what; one that is broken tells nothing."""
        name = f"readagent-{secrets.token_hex(8)}"
        await self.run("listen", name)
        asked = {"expression": f"({_HINTS})({name!r})", "includeCommandLineAPI": True, "timeout": _PATIENCE_MS}
        with suppress(BrowserError), translate_errors("no hints"):
            await self._cdp.send("Runtime.evaluate", asked)

    async def _add_frame(self, frame: Frame, page: dict[str, Any]) -> None:
        """Put the content of a frame into the page, if the page has a place for it, with ids of this frame only."""
        with translate_errors("could not read a frame"):
            element = await frame.frame_element()
            number = await element.get_attribute(_FRAME)
            place = f"<!--frame {number}-->"
            if number is None or place not in page["html"]:
                return
            self._places[frame] = await self._place(frame, number)
            prefix = self._prefix(frame)
            inside = await self.run("read", prefix, frame=frame)
        body = inside["html"].partition("</head>")[2].removesuffix("</body></html>").replace("<body", "<div", 1)
        body = re.sub(rf'{ID_ATTRIBUTE}(?!="{prefix}[0-9]+")', "data-other-id", body, flags=re.IGNORECASE)
        page["html"] = page["html"].replace(place, f"{body}</div>" if body else "", 1)
        page["ids"] += [name for name in inside["ids"] if re.fullmatch(f"{prefix}[0-9]+", name)]

    async def _main_place(self) -> tuple[CDPSession, str]:
        tree = await self._cdp.send("Page.getFrameTree")
        return self._cdp, str(tree["frameTree"]["frame"]["id"])

    async def _place(self, frame: Frame, number: str) -> tuple[CDPSession, str]:
        """Return where a frame of another origin is reached: its element in the page around it knows its id."""
        around = frame.parent_frame
        while around is not None and around not in self._places:
            around = around.parent_frame
        session, _ = self._places[around or self._page.main_frame]
        found = await self._evaluate(around or self._page.main_frame, f"frame({json.dumps(number)})", by_value=False)
        node = await session.send("DOM.describeNode", {"objectId": found["objectId"]})
        if frame not in self._sessions:
            with suppress(BrowserError), translate_errors("it shares the process of the page around it"):
                self._sessions[frame] = await self._context.new_cdp_session(frame)
        return self._sessions.get(frame, session), str(node["node"]["frameId"])

    async def _value(self, frame: Frame, call: str, *given: Any) -> Any:
        answer = await self._evaluate(frame, f"{call}({', '.join(map(json.dumps, given))})")
        return answer.get("value")

    async def _evaluate(self, frame: Frame, call: str, *, by_value: bool = True) -> dict[str, Any]:
        """Return what a call in world.js gives, which is started in every document that has none."""
        if frame not in self._places:
            self._places[frame] = await self._main_place()
        session, frame_id = self._places[frame]
        made = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": "readagent"})
        answer = await session.send("Runtime.evaluate", {
            "expression": f"(globalThis[Symbol.for('readagent')] ||= {_SCRIPT}).{call}", "awaitPromise": True,
            "contextId": made["executionContextId"], "returnByValue": by_value,
        })  # fmt: skip
        if "exceptionDetails" in answer:
            raise ActionFailedError(f"the page gives no useful answer: {answer['result'].get('description', '')[:200]}")
        result: dict[str, Any] = answer["result"]
        return result

    def _prefix(self, frame: Frame) -> str:
        """Return what the ids of a frame begin with."""
        if frame not in self._prefixes:
            number, letters = len(self._prefixes), ""
            while not letters or number:
                number, rest = divmod(number, len(_LETTERS))
                letters += _LETTERS[rest]
            self._prefixes[frame] = f"f{letters}"
        return self._prefixes[frame]
