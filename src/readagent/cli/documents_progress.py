"""The progress of a command that reads documents: a line for all of them, and one for each that is being read.

It is drawn on standard error, only on a terminal, and cleared before anything else is printed. A single document has
only its own line, which appears with its first event. Where it cannot be drawn, waiting is told by plain lines.
"""

from __future__ import annotations

import io
from time import monotonic
from typing import TextIO

from readagent.cli.output import counted
from readagent.cli.progress import NOTICED, Drawn, Pace, Progress, cut, fitted, is_work, passed, short
from readagent.core.document import Document
from readagent.core.trace import Call, Event, GistDone, Usage, Waiting

_SHOWN = 6  # documents with a line of their own


class DocumentsProgress(Drawn):
    """Shows how far the documents of a command are.

    ``expected`` is their number, and ``words`` those of all, as far as they are known.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__(stream)
        self._open: dict[int, Progress] = {}
        self._weights: dict[int, int] = {}  # words of those that are open
        self.expected = self.words = self._words = 0
        self._pace = Pace()
        self._done = self._failed = self._pages = 0
        self._paid = Usage()
        self._loading = ""
        self._began_loading = self._began

    @property
    def single(self) -> bool:
        """Whether there is one document only."""
        return self.expected == 1

    def load(self, name: str) -> None:
        """Show that a file is being loaded."""
        with self._lock:
            self._loading, self._began_loading = name, monotonic()
            self._update_all()

    def open(self, document: Document, name: str) -> None:
        """Show a document that is being read from now on."""
        with self._lock:
            self._loading = ""
            self._weights[id(document)] = document.words
            self._open[id(document)] = (
                Progress(io.StringIO(), doing="reading") if self.single else Progress(io.StringIO(), label=name)
            )
            self._update_all()

    def close(self, document: Document, *, failed: bool = False) -> None:
        """Show a document no longer."""
        with self._lock:
            self._open.pop(id(document), None)
            self._weights.pop(id(document), None)
            self._done += 1
            self._words += document.words
            self._pace.note(self._share())
            self._failed += failed
            self._update_all()

    def __call__(self, document: Document, event: Event) -> None:
        """Take in an event of the reading of a document."""
        with self._lock:
            match event:
                case Waiting():
                    for progress in self._open.values() if self.single else ():
                        progress(event)
                    self._wait(event)
                    return
                case GistDone():
                    self._pages += 1
                case Call():
                    self._paid += event.usage if event.paid else Usage()
            if id(document) in self._open:
                self._open[id(document)](event)
            self._pace.note(self._share(), paid=is_work(event))
            self._update()

    def _update_all(self) -> None:
        """Draw, if there are several documents."""
        if not self.single:
            self._update()

    def lines(self, width: int, rows: int) -> list[str]:
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
        tokens = self._paid.prompt_tokens + self._paid.reply_tokens
        return fitted(width, [
            self._waiting(width),
            f"{self._done:,} of {counted(self.expected, 'document')}",
            f"{self._failed:,} failed" if self._failed else "",
            counted(self._pages, "page") if self._pages else "",
            self._pace.left(),
            f"${self._paid.cost:.4f}" if self._paid.cost else "",
            f"{short(tokens)} tokens" if tokens else "",
            cut(f"loading {self._loading}", width // 2) if self._loading else "",
        ])  # fmt: skip

    def _share(self) -> float:
        """Return the share of the work that is done: of the words where they are known, otherwise of the documents."""
        if self.words:
            begun = sum(progress.share * self._weights[one] for one, progress in self._open.items())
            return min(1.0, (self._words + begun) / self.words)
        return (self._done + sum(progress.share for progress in self._open.values())) / max(1, self.expected)
