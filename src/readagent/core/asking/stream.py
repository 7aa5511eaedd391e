"""Emit a free answer while it arrives, without thinking, labels and quotes; it may turn out to ask for pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from readagent.core.asking.absence import HELD, may_say_absent
from readagent.core.asking.answer_check import may_begin_with_courtesy, may_end_in_courtesy, without_opening
from readagent.core.asking.reply_parts import is_quote, may_become_quote
from readagent.core.asking.wishes import NAMES
from readagent.core.failure_text import SHOWS, failure_in, may_be_failure
from readagent.core.form import THOUGHT
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session
from readagent.core.trace import AnswerText, Event

_MAY_BE_TAG = lazy_pattern(r"</?(?:[a-z]{0,10}|(?:think|thinking|thought|reasoning|reflection)\b[^<>]{0,80})$", re.I)


class ThinkingFilter:
    """Returns the pieces of a reply without its thinking; what may be the beginning of a tag is held back."""

    def __init__(self) -> None:
        self._tail = ""
        self._depth = 0

    def __call__(self, piece: str) -> tuple[str, bool]:
        """Return what a piece adds, and whether all that came before it turned out to be thinking."""
        text = self._tail + piece
        bracket = text.rfind("<")
        cut = bracket if bracket >= 0 and _MAY_BE_TAG.match(text, bracket) else len(text)
        text, self._tail = text[:cut], text[cut:]
        said: list[str] = []
        anew, start = False, 0
        for tag in THOUGHT.finditer(text):
            if self._depth == 0:
                said.append(text[start : tag.start()])
            if not tag[1]:
                self._depth += 1
            elif self._depth:
                self._depth -= 1
            else:  # the thinking began in the prompt
                said.clear()
                anew = True
            start = tag.end()
        if self._depth == 0:
            said.append(text[start:])
        return "".join(said), anew


LABEL = lazy_pattern(r"^\W*answer\W*:[*_]*\s*", re.I)
_REWRITTEN = ("{", "```", "<answer", "<response", "<reply")  # replies that are emitted as a whole, as lines
_OPENING = 32  # characters that must have arrived before anything is emitted


class StreamedAnswer:
    """Emits the answer in a reply while the reply arrives, in time linear in its length.

    Only what is certainly answer is emitted: nothing that may become a tag, a label, a courtesy, a refusal or a quote.
    ``problem`` returns why a text cannot be the answer; the beginning of a reply is held back while there is a reason.
    If a reply broke off and another one starts, nothing is emitted as long as it has the same words; if it has others,
    the answer is emitted from its beginning, with ``AnswerText.restart``.
    """

    def __init__(self, session: Session, problem: Callable[[str], str] = failure_in) -> None:
        self._session, self._problem = session, problem
        self._thinking = ThinkingFilter()
        self._begin("")

    def __call__(self, piece: str) -> None:
        """Receive a piece of the reply."""
        text, anew = self._thinking(piece)
        if anew:
            self._begin(self._emitted())
        if self._ended:
            return
        self._line += text
        if self._open or self._opens():
            self._take_lines()

    def restart(self) -> None:
        """Forget the reply that broke off; the next piece begins another one."""
        self._thinking = ThinkingFilter()
        self._begin(self._emitted())

    def close(self, answer: str) -> None:
        """Emit the rest of the answer, or all of it if something else was emitted."""
        emitted = self._emitted()
        if not answer.startswith(emitted):
            self._session.emit(AnswerText(answer, restart=True))
        elif len(answer) > len(emitted):
            self._session.emit(AnswerText(answer[len(emitted) :]))

    def _begin(self, emitted: str) -> None:
        """Begin a reply, of which ``emitted`` may have been emitted already."""
        self._earlier = emitted
        self._same = 0  # characters of this reply that were emitted earlier
        self._taken: list[str] = []  # the answer in this reply so far
        self._held = ""  # white space, and what may be a courtesy: taken only when an answer follows
        self._line = ""  # the current line, or everything before the opening
        self._open = self._ended = self._in_answer = False

    def _emitted(self) -> str:
        return self._earlier or "".join(self._taken)

    def _opens(self) -> bool:
        """Whether it is certain by now that the reply is an answer."""
        text = without_opening(self._line)
        if may_begin_with_courtesy(text) or text.startswith(_REWRITTEN):
            return False
        if len(text) < _OPENING or may_be_failure(text):
            return False
        problem = self._problem(text) if len(text) <= SHOWS + _OPENING else ""
        if problem and len(text) < SHOWS:
            return False
        if problem or may_say_absent(text):
            self._ended = bool(problem) or len(text) > HELD
            return False
        self._line = LABEL.sub("", text, count=1)
        self._open = True
        return True

    def _take_lines(self) -> None:
        """Take the lines that are complete, and the beginning of the last one if it is certainly answer."""
        *complete, last = self._line.split("\n")
        for line in complete:
            if not self._in_answer and is_quote(line):
                self._ended = True
                return
            self._take(f"{line}\n")
            self._in_answer = False
        self._line = last
        if not last or (not self._in_answer and may_become_quote(last)):
            return
        self._ended = not self._in_answer and is_quote(last)
        if not self._ended:
            self._take(last)
            self._line, self._in_answer = "", True

    def _take(self, text: str) -> None:
        """Add to the answer, and emit what was not emitted earlier."""
        text = self._held + text
        before = self._taken[-1][-4:] if self._taken else ""
        kept = text[: max(0, may_end_in_courtesy(before + text) - len(before))].rstrip()
        self._held = text[len(kept) :]
        if not kept:
            return
        self._taken.append(kept)
        if not self._earlier:
            self._session.emit(AnswerText(kept))
        elif self._earlier.startswith(kept, self._same):
            self._same += len(kept)
        else:
            rest = self._earlier[self._same :]
            same, self._earlier = kept.startswith(rest), ""
            new = kept[len(rest) :] if same else "".join(self._taken)
            self._session.emit(AnswerText(new, restart=not same))


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
