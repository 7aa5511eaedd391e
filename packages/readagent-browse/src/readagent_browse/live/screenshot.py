"""Screenshot: a picture of the visible part of a page, in which secrets are masked; none where that is not certain."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from readagent.errors import BrowserError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.secrets import Secrets
from readagent_browse.snapshot_builder import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import Frame, Locator, Page

_SHOWN_TEXTS = (Path(__file__).parent / "shown_texts.js").read_text("utf-8")
_SECRET_FIELDS = (
    '[type=password], [autocomplete*="cc-"], [autocomplete*="one-time-code"], [autocomplete*="current-password"],'
    ' [autocomplete*="new-password"]:not([role=combobox], [type=search])'
)
_MASK = "#607080"
_MASKED = f"{ID_ATTRIBUTE}-masked"
_ROUNDS = 6  # of elements around others


class UnmaskedSecretError(BrowserError):
    """A page shows a secret that cannot be masked."""


class Screenshot:
    """A picture of a page. ``in_time`` waits for the page, which has ``seconds`` for the picture itself."""

    def __init__(
        self, page: Page, secrets: Secrets, in_time: Callable[[Awaitable[Any]], Awaitable[Any]], seconds: float
    ) -> None:
        self._page, self._secrets, self._in_time = page, secrets, in_time
        self._timeout = 1000 * seconds

    async def take(self, hidden: Sequence[Locator]) -> bytes:
        """Return the visible part as a PNG file; secret fields, the ``hidden`` elements and secrets are masked."""
        frames = self._page.frames if self._secrets.values() else []
        with translate_errors("could not take a screenshot"):
            masks = list(hidden)
            for frame in self._page.frames:
                masks += [frame.locator(_SECRET_FIELDS), frame.locator(f"[{_MASKED}]")]
            try:
                for frame in frames:
                    await self._hide_secrets(frame)
                taking = self._page.screenshot(mask=masks, mask_color=_MASK, timeout=self._timeout)
                picture: bytes = await self._in_time(taking)
                for frame in self._page.frames if frames else ():  # the page may have changed meanwhile
                    await self._check_hidden(frame, "read")
            finally:
                for frame in frames:
                    with suppress(BrowserError), translate_errors("a frame is gone"):
                        await self._in_time(frame.evaluate(_SHOWN_TEXTS, [_MASKED, "show", []]))
        return picture

    async def _hide_secrets(self, frame: Frame) -> None:
        """Make the elements of a frame that show a secret invisible, in whatever form, also by a style.

        Those inside others come first: what surrounds them is hidden only if it still shows a secret without them.
        """
        for _ in range(_ROUNDS):
            texts = (await self._shown_in(frame, "read"))["texts"]
            chosen = self._with_secrets(texts)
            if not chosen:
                break
            await self._in_time(frame.evaluate(_SHOWN_TEXTS, [_MASKED, "hide", chosen]))
        await self._check_hidden(frame, "watch")

    async def _check_hidden(self, frame: Frame, what: Literal["read", "watch"]) -> None:
        """Raise UnmaskedSecretError if a frame shows a secret, or has shown one since it is watched."""
        shown = await self._shown_in(frame, what)
        if self._with_secrets((*shown["texts"], shown["whole"], shown["loose"], *shown["later"])):
            raise UnmaskedSecretError("no screenshot was taken: the page shows a secret that cannot be masked")

    async def _shown_in(self, frame: Frame, what: Literal["read", "watch"]) -> dict[str, Any]:
        """Return the result of shown_texts.js. A page may break its own language, and then there is no screenshot."""
        shown: dict[str, Any] = await self._in_time(frame.evaluate(_SHOWN_TEXTS, [_MASKED, what, []]))
        match shown:
            case {"texts": list(texts), "whole": str(), "loose": str(), "later": list(later)}:
                if all(isinstance(one, str) for one in (*texts, *later)):
                    return shown
        raise BrowserError("a frame does not tell what it shows")

    def _with_secrets(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of the texts that contain a secret."""
        if not self._secrets.is_in("\n".join(texts)):
            return []
        return [number for number, text in enumerate(texts) if self._secrets.is_in(text)]
