"""AnswerStream: prints the answer as it arrives on a terminal, and as a whole elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType

from readagent.cli.output import evidence_lines
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, style
from readagent.core.events import AnswerText, Event, Waiting
from readagent.core.memory import GistMemory
from readagent.core.question import Answer


class AnswerStream(Progress):
    """A progress line that is replaced by the answer, which a terminal shows as it arrives.

    Elsewhere the answer is printed when it is complete, so that a pipe never gets part of a failed answer.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__()
        self._quiet = quiet or sys.stdout is None or not sys.stdout.isatty()
        self._text: list[str] = []  # the answer so far, as it stands on the screen
        self._interrupted = False  # by a line about a wait, below the answer

    @property
    def _streamed(self) -> bool:
        return bool(self._text)

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._hear(event)

    def _hear(self, event: Event) -> None:
        if isinstance(event, AnswerText):
            if not self._quiet:
                self.clear()
                self._hidden = True  # the line would be drawn into the answer
                self._print(event)
        elif isinstance(event, Waiting) or not self._streamed:
            if self._streamed and not self._interrupted:
                self._interrupted, self._hidden = True, False
                echo("…")
            super().__call__(event)

    def _print(self, event: AnswerText) -> None:
        """Print a piece of the answer. An answer that was interrupted is repeated on a new line."""
        if event.restart:
            if self._streamed and not self._interrupted:
                echo("…")
            self._text.clear()
            echo(style("(the answer starts again)", dim=True))
        if self._interrupted:
            echo("".join(self._text), nl=False)
        self._interrupted = False
        self._text.append(event.text)
        echo(event.text, nl=False)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and self._streamed and not self._interrupted:
            echo()  # the error gets a line of its own

    def end(self, answer: str) -> None:
        """Print the answer, or end its line if it was streamed."""
        echo("" if self._streamed and not self._interrupted else answer)

    def finish(self, memory: GistMemory, answer: Answer) -> None:
        """Print the rest of an answer about one document, and its quotes and pages."""
        self.end(f"({answer.choice}) {answer.text}" if answer.question.kind == "choice" else answer.text)
        for line in evidence_lines(memory, answer):
            echo(line)
        if answer.did_not_fit:
            missing = ", ".join(map(str, answer.did_not_fit))
            pages = "page" if len(answer.did_not_fit) == 1 else "pages"
            echo(f"note: {pages} {missing} did not fit the model's window", err=True)
