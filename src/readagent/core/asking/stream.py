"""StreamedAnswer: emit a free answer while it arrives, without thinking, labels and quotes."""

from __future__ import annotations

import re

from readagent.core.asking.reply_parts import before_quotes
from readagent.core.events import AnswerText
from readagent.core.failure_text import may_be_failure
from readagent.core.replies import strip_thinking
from readagent.core.session import Session

LABEL = re.compile(r"^\W*answer\W*:\s*", re.I)
_OPENING = 24  # characters that must have arrived before anything is emitted


class StreamedAnswer:
    """Emits the answer in a reply while the reply arrives."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._received = ""
        self._emitted = ""

    def __call__(self, piece: str) -> None:
        """Receive a piece and emit what is certainly answer: nothing that may become a tag, a label or a refusal."""
        self._received += piece
        sure, bracket, tag = self._received.rpartition("<")
        text = strip_thinking(sure if bracket and len(tag) < 12 else self._received)
        if len(text) >= _OPENING and not may_be_failure(text):
            self._emit(before_quotes(LABEL.sub("", text)).rstrip())

    def close(self, answer: str) -> None:
        """Emit the rest. If the answer differs from what was emitted, emit all of it on a new line."""
        if answer.startswith(self._emitted):
            self._emit(answer)
        else:
            self._session.emit(AnswerText("\n" + answer))

    def _emit(self, text: str) -> None:
        if len(text) > len(self._emitted) and text.startswith(self._emitted):
            self._session.emit(AnswerText(text[len(self._emitted) :]))
            self._emitted = text
