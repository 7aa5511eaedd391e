"""``progress``: a listener that shows how far a reading is, in a notebook or on a terminal."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from html import escape
from time import monotonic
from typing import Any, Protocol, TextIO

from readagent.core.document import Document
from readagent.core.escaping import counted
from readagent.core.trace import (
    Call,
    CallFailed,
    Elsewhere,
    Event,
    GistDone,
    Merging,
    Opened,
    PageFound,
    Started,
    Usage,
    Waiting,
    Working,
)

_BETWEEN = 0.1  # seconds between two updates


class Progress:
    """Shows pages, calls, tokens and cost on one line as events come in.

    It is a listener for one document, and for many: then it is called with a document and an event.
    """

    def __init__(self, show: Callable[[str], None], clock: Callable[[], float] = monotonic) -> None:
        self._show, self._clock = show, clock
        self._lock = threading.Lock()
        self._shown = float("-inf")
        self._words: dict[str, tuple[int, int]] = {}  # of each document: all, and those on pages that were found
        self._pages = self._gists = self._calls = 0
        self._paid = Usage()
        self._doing = self._working = ""

    def __call__(self, *given: Document | Event) -> None:
        """Take an event, or a document and an event."""
        name, event = ("", given[0]) if len(given) == 1 else (_id(given[0]), given[1])
        with self._lock:
            self._take(name, event)
            finished = self._pages == self._gists and all(found >= most for most, found in self._words.values())
            if finished or isinstance(event, Waiting | CallFailed) or self._clock() - self._shown >= _BETWEEN:
                self._shown = self._clock()
                self._show(self.line())

    def _take(self, name: str, event: object) -> None:
        self._doing = "" if isinstance(event, Call) else self._doing
        match event:
            case Started(words):
                self._words[name] = (words, 0)
            case PageFound(_, words):
                self._pages += 1
                self._words[name] = (self._words.get(name, (words, 0))[0], words)
            case GistDone():
                self._gists += 1
                self._pages = max(self._pages, self._gists)
            case Merging(pages):
                self._doing = f"indexing {pages} pages"
            case Opened():
                self._doing = "answering"
            case Working(doing, done, parts):
                self._working = f"{doing} {done}/{parts}" if parts > 1 else doing
            case Waiting(seconds, reason):
                self._doing = f"waiting {seconds:.0f} s: {reason}"
            case Elsewhere():
                self._doing = "waiting for another process, which does the same"
            case CallFailed(reason):
                self._doing = f"failed: {reason}"
            case Call():
                self._calls += event.paid
                self._paid += event.usage if event.paid else Usage()

    def line(self) -> str:
        """Return the line."""
        most, found = (sum(column) for column in zip(*self._words.values(), strict=True)) if self._words else (0, 0)
        tokens = self._paid.prompt_tokens + self._paid.reply_tokens
        parts = [
            counted(len(self._words), "document") if len(self._words) > 1 else "",
            f"{found / most:.0%} of {most:,} words" if most else "",
            f"{self._gists} of {counted(self._pages, 'page')}" if self._pages else "",
            self._working,
            counted(self._calls, "call"),
            counted(tokens, "token") if tokens else "",
            f"${self._paid.cost:.4f}" if self._paid.cost else "",
            self._doing,
        ]
        return " · ".join(filter(None, parts))


def progress() -> Progress:
    """Return a listener for ``read``, ``ask`` and the like that shows a line of progress.

    In a notebook the line is below the cell; otherwise it is on standard error, if that is a terminal.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        return Progress(_in_notebook())
    return Progress(_on_terminal(sys.stderr))


class _Handle(Protocol):
    def update(self, obj: Any, **kwargs: Any) -> None: ...


def _in_notebook() -> Callable[[str], None]:
    from IPython.display import display

    def data(line: str) -> dict[str, str]:
        return {"text/plain": line, "text/html": f"<small>{escape(line)}</small>"}

    handle: _Handle = display(data(""), display_id=True, raw=True)
    return lambda line: handle.update(data(line), raw=True)


def _on_terminal(stream: TextIO | None) -> Callable[[str], None]:
    def show(line: str) -> None:
        if stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb":
            stream.write(f"\r\x1b[K{line}")
            stream.flush()

    return show


def _id(document: object) -> str:
    assert isinstance(document, Document)
    return document.id
