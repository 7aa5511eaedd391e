"""ThinkingFilter: leave out a model's thinking while its reply arrives."""

from __future__ import annotations

import re

from readagent.core.patterns import lazy_pattern
from readagent.core.replies import THOUGHT

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
