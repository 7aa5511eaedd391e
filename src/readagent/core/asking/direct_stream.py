"""DirectStream: emit an answer while it arrives, where the reply may also turn out to ask for pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from readagent.core.asking.stream import LABEL, StreamedAnswer
from readagent.core.asking.thinking import ThinkingFilter
from readagent.core.asking.wishes import NAMES
from readagent.core.events import AnswerText, Event
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session

_END = lazy_pattern(r"((?<=[.!?])\s+|(?<=[。！？])|\n)")
_NUMBERS = lazy_pattern(r"[\W\d]+")
_MAY_BE_LABEL = lazy_pattern(r"[^\w\n]{0,8}(?:a|an|ans|answ|answe|answer)?[^\w\n]{0,4}", re.I)


class DirectStream:
    """Emits a reply that begins with ``Answer:``, sentence by sentence, up to the first one that names a page.

    Any other reply is emitted only when it is complete and was found to be an answer. ``emitted`` is whether anything
    was, so that an answer that follows another one can be told to start again.
    """

    def __init__(self, session: Session, problem: Callable[[str], str]) -> None:
        self.emitted = False
        self._emit = session.emit
        self._thinking = ThinkingFilter()
        self._answer = StreamedAnswer(replace(session, emit=self._pass_on), problem)
        self._text, self._labelled, self._ended = "", False, False

    def __call__(self, piece: str) -> None:
        """Receive a piece of the reply."""
        text, anew = self._thinking(piece)
        if anew:
            self._begin()
        self._text += text
        if self._ended or not self._begins():
            return
        *complete, self._text = _END.split(self._text)  # sentences, and what separates them
        for part in complete:
            self._ended = self._ended or bool(NAMES.search(part) or _NUMBERS.fullmatch(part.strip()))
            if not self._ended and part:
                self._answer(part)

    def restart(self) -> None:
        """Forget the reply that broke off; the next piece begins another one."""
        self._thinking = ThinkingFilter()
        self._begin()

    def close(self, answer: str) -> None:
        """Emit the rest of the answer."""
        self._answer.close(answer)

    def _begin(self) -> None:
        self._answer.restart()
        self._text, self._labelled, self._ended = "", False, False

    def _begins(self) -> bool:
        """Whether the reply has begun with the label of an answer, which is then removed."""
        if self._labelled:
            return True
        found = LABEL.match(self._text)
        if found and re.search(r"\w", self._text[found.end() :]):  # the label is complete
            self._text, self._labelled = self._text[found.end() :], True
        elif not found and not _MAY_BE_LABEL.fullmatch(self._text):
            self._ended = True
        return self._labelled

    def _pass_on(self, event: Event) -> None:
        self.emitted = self.emitted or isinstance(event, AnswerText)
        self._emit(event)
