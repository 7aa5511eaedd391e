"""The progress line: on standard error, only on a terminal, and cleared when the work is done.

Where it cannot be drawn, long waits are told by plain lines.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import Self, TextIO

from readagent.cli.log import is_logging
from readagent.cli.screen import redraws, safe
from readagent.cli.wrapping import width_of
from readagent.core.trace import (
    Call,
    Elsewhere,
    Event,
    Fallback,
    GistDone,
    Improving,
    Merging,
    Opened,
    PageFound,
    Started,
    Usage,
    Waiting,
    Working,
)

_EVERY = 0.1  # seconds
_MARKS = "|/-\\"


def mark() -> str:
    """Return the mark of this moment."""
    return _MARKS[int(monotonic() / _EVERY) % len(_MARKS)]


def passed(seconds: float) -> str:
    """Return a time that has passed: "42 s" or "3:05"."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


_LONG = 4.0  # seconds; shorter waits are not told, nor that a wait lasts so much longer than was told
_BETWEEN = 0.1  # seconds between two updates
_OTHER_ROWS = 4  # of a terminal, that are left alone
_TELLING = 0.02  # of the work, from which on it tells how long the rest takes
NOTICED = 2.0  # seconds after which the time is shown
_ASKING = ("reading", "answering")


class Drawn:
    """Lines on what is being done. Events may come from another thread than what is printed.

    As a context manager it draws them again while nothing happens, and clears them at the end. Long waits are told
    where they cannot be drawn, each once.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = redraws(self._stream) and not is_logging()
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._hidden = False  # while something else is being printed
        self._rows = 0  # that are drawn now
        self._drawn = 0.0
        self._began = monotonic()
        self._told_until = 0.0  # the end of the last wait that was told
        self._waits_until, self._waits_for = 0.0, ""

    def lines(self, width: int, rows: int) -> list[str]:
        """Return the first line, and below it up to this number of others."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        if self._shown:
            self._over.clear()
            self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self.clear()

    def _run(self) -> None:
        while not self._over.wait(_EVERY):
            self._tick()

    def _tick(self) -> None:
        with self._lock:
            if self._shown and not self._hidden:
                self._draw()

    def _update(self) -> None:
        """Draw, if the last time is long enough ago."""
        if self._shown and monotonic() - self._drawn > _BETWEEN:
            self._draw()

    def _wait(self, event: Waiting) -> None:
        """Show a wait, or tell it, unless it is short or lasts hardly longer than one that was told."""
        until = monotonic() + event.seconds
        self._waits_until, self._waits_for = max(self._waits_until, until), event.reason
        if self._shown:
            self._draw()
        elif event.seconds >= _LONG and until > self._told_until + _LONG:
            self._told_until = until
            self._write(f"{safe(f'waiting {event.seconds:.0f} s: {event.reason}')}\n")

    def _waiting(self, width: int) -> str:
        """Return what is waited for now, and how long."""
        waits = self._waits_until - monotonic() if self._waits_for else 0.0
        return cut(f"waiting {waits:.0f} s: {self._waits_for}", width) if waits > 0 else ""

    def clear(self) -> None:
        """Clear what is drawn, so that something else can be printed."""
        with self._lock:
            if self._rows:
                self._write(self._erased())
                self._rows, self._drawn = 0, 0.0

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Clear what is drawn, and draw nothing before the end of the block, in which something else is printed."""
        with self._lock:
            self.clear()
            hidden, self._hidden = self._hidden, True
            try:
                yield
            finally:
                self._hidden = hidden

    def _draw(self) -> None:
        size = shutil.get_terminal_size()
        first, *others = map(safe, self.lines(size.columns - 3, size.lines - _OTHER_ROWS))
        begin = self._erased() or ("" if others else "\r\x1b[K")
        self._write(begin + "\n".join([f"{mark()} {first}", *others]))
        self._rows, self._drawn = 1 + len(others), monotonic()

    def _erased(self) -> str:
        """Return what erases the lines that are drawn."""
        return f"\x1b[{self._rows - 1}A\r\x1b[J" if self._rows > 1 else "\r\x1b[K" * self._rows

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()


def is_work(event: Event) -> bool:
    """Whether an event shows that a reply was not kept before: it was paid for, or another process is making it."""
    return isinstance(event, Elsewhere) or (isinstance(event, Call) and event.paid)


class Pace:
    """How long the rest of the work takes, by the time that what is done has taken, without what was kept before."""

    def __init__(self) -> None:
        self._base = self._last = (monotonic(), 0.0)
        self._paid = False

    def note(self, share: float, *, paid: bool = False) -> None:
        """Note how far the work is now; it is ``paid`` with the first reply that was not kept before."""
        self._paid = self._paid or paid
        if share != self._last[1] or not self._paid:
            self._last = monotonic(), share
        if not self._paid:
            self._base = self._last

    def left(self) -> str:
        """Return how long the rest takes; nothing if that cannot be said yet.

        Between two steps the time passes; a step that takes longer than was expected makes the rest longer.
        """
        (began, before), (at, share) = self._base, self._last
        if share - before < _TELLING or at - began < 1:
            return ""
        since = monotonic() - at
        left = int(max((1 - share) * (at - began) / (share - before) - since, since / 4))
        return f"{left // 60}:{left % 60:02d} left" if left < 3600 else f"{left // 3600}:{left // 60 % 60:02d} h left"


class Progress(Drawn):
    """Shows pages, words, tokens, cost and the time left on one line, as events come in.

    ``label`` names the document where there are several, and ``doing`` what is done before the first event.
    """

    def __init__(self, stream: TextIO | None = None, *, label: str = "", doing: str = "") -> None:
        super().__init__(stream)
        self._label = label
        self._last = self._began
        self._total = self._paged = 0
        self._pages = self._gists = self._fallbacks = 0
        self._paid = Usage()
        self._doing = doing
        self._pace = Pace()
        self._elsewhere = False

    def __call__(self, event: Event) -> None:
        """Update the line with an event."""
        with self._lock:
            self._last = monotonic()
            self._take(event)
            self._pace.note(self.share, paid=is_work(event))

    def _take(self, event: Event) -> None:
        match event:
            case Waiting():
                self._wait(event)
                return
            case Started(words):
                self._total, self._doing = words, "reading"
            case PageFound(number, words):
                self._pages, self._paged = number + 1, words
            case GistDone():
                self._gists += 1
            case Merging(pages):
                self._doing = f"indexing {pages:,} pages"
            case Improving(pages):
                self._doing = "rewriting the gist" if pages == 1 else f"rewriting {pages:,} gists"
            case Opened():
                self._doing = "answering"
            case Working(doing, done, parts):
                self._doing = f"{doing} {done:,}/{parts:,}" if parts > 1 else doing
            case Elsewhere():
                self._elsewhere = True
            case Call():
                self._paid += event.usage if event.paid else Usage()
                self._elsewhere = self._elsewhere and not event.paid
            case Fallback():
                self._fallbacks += 1
            case _:
                return
        self._update()

    def __enter__(self) -> Self:
        if self._doing and self._shown:
            self._draw()
        return super().__enter__()

    def lines(self, width: int, rows: int) -> list[str]:
        """Return the only line."""
        return [self.line(width)]

    def line(self, width: int) -> str:
        """Return the line: the most important parts first, as many as fit."""
        share, tokens = self.share, self._paid.prompt_tokens + self._paid.reply_tokens
        waiting = self._waiting(width)
        doing = self._doing or ("loading" if self._label else "looking up")
        return fitted(width, [
            waiting,
            cut(self._label, width // 2),
            f"{doing} {share:.0%}" if doing == "reading" else doing,
            "by another process, too" if self._elsewhere else "",
            f"{self._gists:,}/{self._pages:,} pages" if self._pages else "",
            self._pace.left() if self._doing == "reading" else "",
            self._passed(waiting),
            f"${self._paid.cost:.4f}" if self._paid.cost else "",
            f"{short(tokens)} tokens" if tokens else "",
            f"{self._paged:,}/{self._total:,} words" if self._total else "",
            f"{self._fallbacks} fallback{'s'[: self._fallbacks > 1]}" if self._fallbacks else "",
        ])  # fmt: skip

    def _passed(self, waiting: str) -> str:
        """Return how long nothing has happened, or how long it has taken so far, where the line does not say it."""
        now = monotonic()
        if self._doing in _ASKING and now - self._last >= NOTICED and not waiting:
            return f"waiting for the model, {passed(now - self._last)}"
        return passed(now - self._began) if not self._pages and now - self._began >= NOTICED else ""

    @property
    def share(self) -> float:
        """Return the share of the work that is done: half of it is finding pages, half is writing gists."""
        if not self._total or not self._pages:
            return 0.0
        paged = self._paged / self._total
        return paged * (1 + self._gists / self._pages) / 2


def fitted(width: int, parts: Sequence[str]) -> str:
    """Return the parts on one line, as many of them as fit."""
    line = ""
    for part in filter(None, parts):
        longer = f"{line} · {part}" if line else part
        line = longer if width_of(longer) <= width else line
    return line


def duration(seconds: float) -> str:
    """Return a rough time in words: 40 seconds, 3 minutes, 2.5 hours."""
    for size, unit in ((3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= 1.5 * size or size == 1:
            number = f"{max(1, seconds / size):.2g}"
            return f"{number} {unit}" if number == "1" else f"{number} {unit}s"
    raise AssertionError


def cut(text: str, width: int) -> str:
    """Return as much of a text as fits, without control characters."""
    shown = "".join(character if character.isprintable() else "?" for character in text)
    if width_of(shown) <= width:
        return shown
    shown = shown[: max(0, width - 1)]
    while width_of(shown) > max(0, width - 1):
        shown = shown[:-1]
    return f"{shown}…"


def short(number: int) -> str:
    """Return a number in short: 1.2M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)
