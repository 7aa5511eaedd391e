"""Emit a free answer word by word while it arrives, as soon as its label has been seen."""

from __future__ import annotations

import re

from readagent.core.form import THOUGHT, Choice, Form, Text
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session
from readagent.core.trace import AnswerText

_MAY_BE_TAG = lazy_pattern(r"</?(?:[a-z]{0,10}|(?:think|thinking|thought|reasoning|reflection)\b[^<>]{0,80})$", re.I)
_LONGEST = 80  # characters of the beginning of a line that may become a label
_HELD = " \t\r\n*_`"  # at the end: it may be the markup of a label, or nothing may follow


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


class StreamedAnswer:
    """Emits what stands under the label of an answer, in time linear in its length, up to the next label or word.

    Nothing is emitted where pages are asked for above the answer. If a reply broke off and another one starts, nothing
    is emitted as long as it has the same words; if it has others, the answer is emitted from its beginning, with
    ``AnswerText.restart``. ``emitted`` is the answer so far.
    """

    def __init__(self, session: Session, form: Form) -> None:
        self._session, self._form = session, form
        self._names = [one.label.casefold() for one in form.fields]
        self._sayings = [" ".join(word.casefold().split()) for word in form.all_words()]
        self._thinking = ThinkingFilter()
        self._begin("")

    def __call__(self, piece: str) -> None:
        """Receive a piece of the reply."""
        text, anew = self._thinking(piece)
        if anew:
            self._begin(self.emitted)
        for part in text.splitlines(keepends=True):
            if self._ended:
                return
            self._add(part)

    def restart(self) -> None:
        """Forget the reply that broke off; the next piece begins another one."""
        self._thinking = ThinkingFilter()
        self._begin(self.emitted)

    def close(self, answer: str) -> None:
        """Emit the rest of the answer, or all of it if something else was emitted."""
        if not answer.startswith(self.emitted):
            self._session.emit(AnswerText(answer, restart=True))
        elif len(answer) > len(self.emitted):
            self._session.emit(AnswerText(answer[len(self.emitted) :]))

    @property
    def emitted(self) -> str:
        return self._earlier or "".join(self._taken)

    def _begin(self, emitted: str) -> None:
        """Begin a reply, of which ``emitted`` may have been emitted already."""
        self._earlier = emitted
        self._same = 0  # characters of this reply that were emitted earlier
        self._taken: list[str] = []  # the answer in this reply so far
        self._held = ""  # what is taken only when more of the answer follows
        self._line = ""  # the beginning of a line that is not certain yet
        self._open = self._ended = self._inside = False

    def _add(self, part: str) -> None:
        """Add a line, or a piece of it."""
        whole = part[-1] in "\r\n"
        if not self._inside:
            self._line += part
            if not whole and self._uncertain():
                return
            part, self._line = self._answer_in(self._line, whole=whole), ""
        if self._open and not self._ended:
            self._take(part)
        self._inside = self._open and not whole

    def _uncertain(self) -> bool:
        """Whether the beginning of a line may become a label or a word, or has no answer yet."""
        found = self._form.label_in(self._line[:_LONGEST])
        words = re.findall(r"\w+", (found[1] if found else self._line[:_LONGEST]).casefold())
        said = " ".join(words)
        if found:
            return not words or any(one.startswith(said) for one in self._sayings)
        if not self._open:
            return True
        while words and words[0].isdigit():
            words.pop(0)
        said = " ".join(words)
        if any(one.startswith(said) for one in (*self._names, *self._sayings)):
            return True
        return any(re.fullmatch(rf"{re.escape(name)}s?[\s\d]*", said) for name in self._names)

    def _answer_in(self, line: str, *, whole: bool) -> str:
        """Return what of a line is answer."""
        found = self._form.label_in(line)
        if self._form.word_in(line) or (found and self._open):
            self._ended = True
        elif found is None:
            return line
        elif isinstance(found[0], Text):
            self._open, self._ended = True, whole and bool(self._form.word_in(found[1]))
            return found[1]
        elif isinstance(found[0], Choice):
            self._ended = bool(found[0].read(found[1]))  # the answer below it does not count
        return ""

    def _take(self, text: str) -> None:
        """Add to the answer, and emit what was not emitted earlier."""
        text = self._held + text
        text = text if self._taken else text.lstrip()
        kept = text.rstrip(_HELD)
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
