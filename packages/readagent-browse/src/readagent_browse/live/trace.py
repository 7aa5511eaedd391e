"""TraceFolder: the record of a visit on disk, written as it happens: steps, screenshots, snippets and prompts.

All text is redacted before it is written, so that no file contains a secret.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from readagent.core.question import Answer
from readagent.errors import BrowserError, UsageError
from readagent.models.wire import encode
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.network_guard import host_of
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import VisitStep
from readagent_browse.snapshot import ID_ATTRIBUTE
from readagent_browse.step import Step

if TYPE_CHECKING:
    from readagent_browse.live.browser import Frame, Locator, Page


class TraceFolder:
    """``trace.jsonl``, and for each step ``step-01.png``, ``step-01.snippets.jsonl`` and ``step-01.calls.jsonl``."""

    def __init__(self, path: Path, secrets: Secrets) -> None:
        self.path = path
        self._secrets = secrets
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"could not create the folder {path}: {(error.strerror or str(error)).lower()}") from error
        if (path / "trace.jsonl").exists():
            raise UsageError(
                f"{path} already contains the trace of another visit", hint="choose another folder with `folder`"
            )

    def start(self, **settings: Any) -> None:
        """Write the line that opens the trace."""
        self._append("trace.jsonl", [{"event": "began", "at": f"{datetime.now().astimezone():%FT%T%z}", **settings}])

    @property
    def downloads(self) -> Path:
        """The folder for files that the user agreed to save; it is created with the first one."""
        return self.path / "downloads"

    def screenshot_path(self, number: int) -> Path:
        """Return the file for the screenshot of a step."""
        return self.path / f"step-{number:02d}.png"

    def add_step(self, taken: VisitStep, step: Step) -> None:
        """Write a step: the action, the snippets of the page with their gists, and the prompts and replies."""
        gists = step.memory.gists() if step.memory else {}
        self._append(f"step-{taken.number:02d}.snippets.jsonl", [
            {"index": one.index, "opened": one.index in step.opened, "gist": gists.get(one.index, ""), "html": one.html}
            for one in step.snippets
        ])  # fmt: skip
        self._append(f"step-{taken.number:02d}.calls.jsonl", [
            {"step": call.step, "prompt": call.prompt, "reply": call.reply, "paid": call.paid}
            for call in step.trace.calls
        ])  # fmt: skip
        self._append("trace.jsonl", [{"event": "step", **step_record(taken)}])

    def end(self, ended: str, reason: str, answer: Answer | None = None, **more: Any) -> None:
        """Write the line that closes the trace."""
        record = {"event": "ended", "ended": ended, "reason": reason, "answer": answer and answer_record(answer)}
        self._append("trace.jsonl", [{**record, **more}])

    def _append(self, name: str, records: Iterable[dict[str, Any]]) -> None:
        lines = (encode(self._redacted(record)).decode("utf-8", "replace") for record in records)
        with (self.path / name).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def _redacted(self, value: Any) -> Any:
        """Return a value with the secrets in its texts replaced, before it is encoded: the line has to stay JSON."""
        if isinstance(value, str):
            return self._secrets.redact(value)
        if isinstance(value, dict):
            return {name: self._redacted(one) for name, one in value.items()}
        return [self._redacted(one) for one in value] if isinstance(value, (list, tuple)) else value


def new_folder(home: Path, url: str) -> Path:
    """Return where the trace of a visit goes by default: a new folder below home, named after the time and the host."""
    host = re.sub(r"[^\w.-]", "_", host_of(url))[:80]
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{host or 'page'}"
    visits = home / "visits"
    return next(one for n in range(1, 1000) if not (one := visits / (name if n == 1 else f"{name}-{n}")).exists())


def step_record(taken: VisitStep) -> dict[str, Any]:
    """Return a step as `browse --json` prints it and as the trace stores it."""
    action = taken.action and {
        "element": taken.action.element, "operation": taken.action.operation, "value": taken.action.value,
    }  # fmt: skip
    return {
        "number": taken.number, "url": taken.url, "title": taken.title, "action": action,
        "description": taken.description, "context": taken.context, "opened": list(taken.opened),
        "page_words": taken.page_words, "compression": round(taken.compression, 4),
        "largest_prompt": taken.largest_prompt, "events": list(taken.events), "error": taken.error,
    }  # fmt: skip


def answer_record(answer: Answer) -> dict[str, Any]:
    """Return the answer of a visit as `browse --json` prints it and as the trace stores it."""
    return {
        "text": answer.text,
        "quotes": [{"text": quote.text, "url": quote.place, "exact": quote.exact, "by_us": quote.by_us}
                   for quote in answer.quotes],
        "false_quotes": answer.false_quotes,
        "statements": [{"text": one.text, "state": one.state, "quotes": list(one.quotes)}
                       for one in answer.statements],
        "checked_by": answer.support.checked_by,
        "verified": answer.verified,
        "found_on_pages": answer.found_in_text,
    }  # fmt: skip


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
