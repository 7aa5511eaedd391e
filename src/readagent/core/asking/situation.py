"""Situation: a question, the memory it is asked of, and the prompts made from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from readagent.core.asking.answer_language import answer_language
from readagent.core.asking.shortening import save_tokens
from readagent.core.memory import GistMemory
from readagent.core.model import Hint, Material
from readagent.core.question import Lookup, Question
from readagent.core.session import Session
from readagent.core.tags import escape_tags

Span = tuple[int, int]
_HINTED = 8  # pages to show as hints where gists are cut; more than can be opened, for the model to choose from


@dataclass(frozen=True, slots=True)
class Situation:
    """A question about a memory, with what all prompts for one answer share.

    ``history`` is the earlier turns of the conversation, as text. ``hints`` are the pages that a search finds.
    ``excerpts`` if the memory consists of parts of the text, and the rest is not shown. With ``may_cut``, gists are cut
    where a prompt would be too long. ``tree`` is the memory whose parts were chosen to get here, if any, and ``seen``
    the extents of the parts that were looked into and of the pages that were opened before. ``earlier`` are the views
    of the tree in which the answer was not found, with the pages opened there. ``before`` are the calls in the trace
    before the question was asked. ``sizes`` are tokens that were counted.
    """

    memory: GistMemory
    question: Question
    history: str = ""
    hints: tuple[Hint, ...] = ()
    excerpts: bool = False
    may_cut: bool = False
    tree: GistMemory | None = field(default=None, compare=False, repr=False)
    seen: frozenset[Span] = frozenset()
    earlier: tuple[tuple[GistMemory, Lookup], ...] = field(default=(), compare=False, repr=False)
    before: int = field(default=0, compare=False, repr=False)
    sizes: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def prompt(self, session: Session, template: str, opened: tuple[int, ...] = (), **values: object) -> str:
        """Return a prompt with the memory, the opened pages in full, the history and the question."""

        values.setdefault("language", answer_language(self.question, self.memory))

        def filled(memory: GistMemory) -> str:
            return session.prompts.fill(
                template,
                memory=memory.render(frozenset(opened)),
                several=bool(memory.parts),
                tree=any(gist.origin == "part" for gist in memory.gists),
                excerpts=self.excerpts,
                whole=memory.is_whole(opened),
                history=escape_tags(self.history),
                question=escape_tags(self.question.shown()),
                **values,
            )

        def count(text: str) -> int:
            if text not in self.sizes:
                self.sizes[text] = window.count(text)
            return self.sizes[text]

        prompt, window, tokens = filled(self.memory), session.window, 0
        while self.may_cut and (excess := window.count(prompt) - (window.prompt or inf)) > 0:
            tokens += int(excess)
            evenly = not self.hints and not opened  # nothing tells which gists matter
            short = save_tokens(self.memory, self._most_useful(opened), tokens, count, evenly=evenly)
            if short is None:
                break
            prompt = filled(short)
        return prompt

    def _most_useful(self, opened: tuple[int, ...]) -> list[int]:
        """Return the pages in the order in which their gists stay in full: hints, then pages, nearest to the opened
        ones first, then parts.
        """
        hinted = [hint.page for hint in (self.hints if self.memory.parts else self.hints[:_HINTED])]
        gists = self.memory.gists

        def distance(number: int) -> tuple[bool, int, int]:
            near = min((abs(number - page) for page in opened), default=0)
            return gists[number].origin == "part", near, number

        order = [*hinted, *sorted(range(len(gists)), key=distance)]
        return [number for number in dict.fromkeys(order) if number not in opened]

    def most_hints(self, max_pages: int) -> int:
        """Return how many pages to show as hints if so many may be opened."""
        return max(_HINTED, max_pages) if self.may_cut else max_pages

    def material(self, opened: tuple[int, ...] = ()) -> Material:
        """Return the same content as data, for models that do not use the prompt."""
        return Material(memory=self.memory, question=self.question, opened=opened)
