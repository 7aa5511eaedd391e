"""The progress of a command that reads documents: a line for all of them, and one for each that is being read.

It is drawn on standard error, only on a terminal, and cleared before anything else is printed. A single document has
only its own line, which appears with its first event. Where it cannot be drawn, waiting is told by plain lines.
"""

from __future__ import annotations

import io
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TextIO

from readagent.cli.log import is_logging
from readagent.cli.output import counted
from readagent.cli.progress import (
    NOTICED,
    WIDTH,
    PlainLines,
    Progress,
    Ticker,
    cut,
    fitted,
    mark,
    passed,
    short,
    time_left,
)
from readagent.cli.screen import redraws, safe
from readagent.core.document import Document
from readagent.core.trace import Call, Event, GistDone, Usage, Waiting

_BETWEEN = 0.1  # seconds between two updates
_SHOWN = 6  # documents with a line of their own
_OTHER_ROWS = 4  # of a terminal, that are left alone


class DocumentsProgress:
    """Shows how far the documents of a command are. Events may come from another thread than what is printed.

    ``expected`` is how many documents there are, as far as that is known. Where it cannot be drawn, long waits are
    told, each once, and now and then how far the documents are.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = redraws(self._stream) and not is_logging()
        self._plain = PlainLines(self._stream)
        self._ticker = Ticker(self._tick)
        self._lock = threading.RLock()
        self._rows = 0  # that are drawn now
        self._drawn = 0.0
        self._began = monotonic()
        self._open: dict[int, Progress] = {}
        self.expected = 0
        self._done = self._failed = self._pages = 0
        self._paid = Usage()
        self._loading = ""
        self._began_loading = self._began
        self._waits_until, self._waits_for = 0.0, ""

    @property
    def single(self) -> bool:
        """Whether there is one document only."""
        return self.expected == 1

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Draw again and again in the block, so that the time that passes is seen; clear the screen at its end."""
        if self._shown or not is_logging():
            self._ticker.start()
        try:
            yield
        finally:
            self._ticker.stop()
            self.clear()

    def _tick(self) -> None:
        with self._lock:
            if self._shown:
                self._draw()
            elif self._plain.due:
                self._plain.tell(self.lines(WIDTH)[0])

    def load(self, name: str) -> None:
        """Show that a file is being loaded."""
        with self._lock:
            self._loading, self._began_loading = name, monotonic()
            self._update(several=True)

    def open(self, document: Document, name: str) -> None:
        """Show a document that is being read from now on."""
        with self._lock:
            self._loading = ""
            self._open[id(document)] = (
                Progress(io.StringIO(), doing="reading") if self.single else Progress(io.StringIO(), label=name)
            )
            self._update(several=True)

    def close(self, document: Document, *, failed: bool = False) -> None:
        """Show a document no longer."""
        with self._lock:
            self._open.pop(id(document), None)
            self._done += 1
            self._failed += failed
            self._update(several=True)

    def __call__(self, document: Document, event: Event) -> None:
        """Take in an event of the reading of a document."""
        with self._lock:
            match event:
                case Waiting():
                    self._wait(event)
                    return
                case GistDone():
                    self._pages += 1
                case Call():
                    self._paid += event.usage if event.paid else Usage()
            if id(document) in self._open:
                self._open[id(document)](event)
            self._update()

    def clear(self) -> None:
        """Clear what is drawn."""
        with self.aside():
            pass

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Clear the screen of what is drawn, so that something else can be printed in the block."""
        with self._lock:
            if self._rows:
                up = f"\x1b[{self._rows - 1}A" if self._rows > 1 else ""
                self._stream.write(f"{up}\r\x1b[J" if up else "\r\x1b[K")
                self._stream.flush()
                self._rows, self._drawn = 0, 0.0
            yield

    def lines(self, width: int, rows: int = _SHOWN) -> list[str]:
        """Return the lines: one for all documents, and one for each of those that are being read, as many as fit."""
        if self.single:
            return [progress.line(width) for progress in self._open.values()] or [self._load_line(width)]
        shown = sorted(self._open.values(), key=lambda progress: -progress.share)[: max(0, min(rows, _SHOWN))]
        return [self._line(width), *(f"  {progress.line(max(0, width - 2))}" for progress in shown)]

    def _load_line(self, width: int) -> str:
        """Return the line for a document that is being loaded, with the time it has taken."""
        took = monotonic() - self._began_loading
        return cut(f"loading {self._loading}".strip() + (f" · {passed(took)}" if took >= NOTICED else ""), width)

    def _line(self, width: int) -> str:
        """Return the line for all documents: the most important parts first, as many as fit."""
        waits = self._waits_until - monotonic() if self._waits_for else 0.0
        tokens = self._paid.prompt_tokens + self._paid.reply_tokens
        share = (self._done + sum(progress.share for progress in self._open.values())) / max(1, self.expected)
        return fitted(width, [
            cut(f"waiting {waits:.0f} s: {self._waits_for}", width) if waits > 0 else "",
            f"{self._done:,} of {counted(self.expected, 'document')}",
            f"{self._failed:,} failed" if self._failed else "",
            counted(self._pages, "page") if self._pages else "",
            time_left(monotonic() - self._began, share),
            f"${self._paid.cost:.4f}" if self._paid.cost else "",
            f"{short(tokens)} tokens" if tokens else "",
            cut(f"loading {self._loading}", width // 2) if self._loading else "",
        ])  # fmt: skip

    def _wait(self, event: Waiting) -> None:
        self._waits_until, self._waits_for = max(self._waits_until, monotonic() + event.seconds), event.reason
        for progress in self._open.values() if self.single else ():
            progress(event)
        if self._shown:
            self._draw()
        else:
            self._plain.wait(event.seconds, event.reason)

    def _update(self, *, several: bool = False) -> None:
        """Draw, if the last time is long enough ago; ``several``: only if there are several documents."""
        if self._shown and not (several and self.single) and monotonic() - self._drawn > _BETWEEN:
            self._draw()

    def _draw(self) -> None:
        size = shutil.get_terminal_size()
        first, *others = self.lines(size.columns - 3, size.lines - _OTHER_ROWS)
        lines = [f"{mark()} {first}", *others]
        with self.aside():
            self._stream.write(("\r\x1b[K" if len(lines) == 1 else "") + "\n".join(map(safe, lines)))
            self._stream.flush()
            self._rows, self._drawn = len(lines), monotonic()
