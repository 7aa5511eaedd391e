"""The text itself: the whole of it, or its first or last words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from readagent.core.words import WordIndex
from readagent.errors import ContextOverflowError
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext, excerpt, most_that_fit


@dataclass(frozen=True, slots=True)
class FullTextMethod:
    """Shows the ``first`` or ``last`` words of the text, or all of it if ``words`` is 0.

    If that many words do not fit the window, fewer are shown, which is noted; all of the text is never cut. A window
    that the user gave has room for three words in four tokens, as in the paper. Fewer are shown if the server refuses
    them. Without such a window, it is estimated what fits.
    """

    end: str = "first"
    words: int = 0

    @property
    def name(self) -> str:
        return f"{self.end}:{self.words}" if self.words else "full"

    @property
    def title(self) -> str:
        if not self.words:
            return "Full text"
        return f"{self.end.capitalize()} {self.words // 1000}k words" if self.words % 1000 == 0 else self.name

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        given = context.agent.settings.window
        wanted = min(self.words or asked.document.words, asked.document.words)
        words = wanted if given is None else min(wanted, given * 3 // 4)
        if words < wanted and not self.words:
            raise ContextOverflowError(
                f"a text of {wanted:,} words does not fit a window of {given:,} tokens, at three words for four tokens"
            )
        attempt = partial(self._answer, asked, context)
        if self.words:
            words, outcome = await most_that_fit(words, attempt, sure=given is not None)
        else:
            outcome = await attempt(words, given is not None)
        notes = (f"cut to {words:,} words to fit the window",) if words < wanted else ()
        return replace(outcome, pages=None, notes=notes)

    async def _answer(self, asked: Asked, context: ReadingContext, words: int, sure: bool) -> Outcome:
        text = asked.document.text
        start, end = self._span(text, words)
        shown, cut = excerpt(asked.document, [(start, end)]), bool(text[:start].strip() or text[end:].strip())
        return await context.answer(shown, [0], asked.question, excerpts=cut, sure=sure)

    def _span(self, text: str, words: int) -> tuple[int, int]:
        index = WordIndex(text)
        if not words or words >= len(index):
            return 0, len(text)
        if self.end == "first":
            return 0, index.after(0, words)
        return index.after(0, len(index) - words), len(text)


def make(kind: str, number: int) -> FullTextMethod:
    return FullTextMethod() if kind == "full" else FullTextMethod(kind, number)
