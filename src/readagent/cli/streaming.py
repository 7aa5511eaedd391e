"""AnswerStream: prints the answer as it arrives on a terminal, and as a whole elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType

from readagent.cli.output import evidence_lines, on_pages
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, style
from readagent.cli.wrapping import WordWrap, columns_of
from readagent.core.memory import GistMemory
from readagent.core.question import Answer
from readagent.core.trace import AnswerText, Call, Event, Waiting


class AnswerStream(Progress):
    """A progress line that is replaced by the answer, which a terminal shows as it arrives.

    Elsewhere the answer is printed when it is complete, so that a pipe never gets part of a failed answer. The calls
    are added to ``calls``, also those for an answer that fails or is stopped.
    """

    def __init__(self, *, quiet: bool = False, calls: list[Call] | None = None) -> None:
        super().__init__()
        self._calls = [] if calls is None else calls
        self._quiet = quiet or sys.stdout is None or not sys.stdout.isatty()
        self._text: list[str] = []  # the answer so far, as it stands on the screen
        self._interrupted = False  # by a line about a wait, below the answer
        self._wrap = WordWrap(columns_of(sys.stdout))

    @property
    def _streamed(self) -> bool:
        return bool(self._text)

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._hear(event)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Call):
            self._calls.append(event)
        if isinstance(event, AnswerText):
            if not self._quiet:
                self.clear()
                self._hidden = True  # the line would be drawn into the answer
                self._print(event)
        elif isinstance(event, Waiting) or not self._streamed:
            if self._streamed and not self._interrupted:
                self._interrupted, self._hidden = True, False
                self._break_off()
            super().__call__(event)

    def _print(self, event: AnswerText) -> None:
        """Print a piece of the answer. An answer that was interrupted is repeated on a new line."""
        if event.restart:
            if self._streamed and not self._interrupted:
                self._break_off()
            self._text.clear()
            echo(style("(the answer starts again)", dim=True))
        again = "".join(self._text) if self._interrupted else ""
        self._interrupted = False
        self._text.append(event.text)
        echo(self._wrap.feed(again + event.text), nl=False)

    def _break_off(self) -> None:
        """End the line of an answer that goes on later, on a new line."""
        echo(f"{self._wrap.end()}…", wrap=False)
        self._wrap = WordWrap(columns_of(sys.stdout))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and self._streamed and not self._interrupted:
            echo(self._wrap.end(), wrap=False)  # the error gets a line of its own

    def end(self, answer: str) -> None:
        """Print the answer, or end its line if it was streamed."""
        if self._streamed and not self._interrupted:
            echo(self._wrap.end(), wrap=False)
        else:
            echo(answer)

    def finish(self, memory: GistMemory, answer: Answer) -> None:
        """Print the rest of an answer about one document, and its quotes and pages."""
        self.end(str(answer))
        for line in evidence_lines(memory, answer):
            echo(line)
        if answer.did_not_fit:
            echo(f"note: {on_pages(answer.did_not_fit)} did not fit the model's window", err=True)
