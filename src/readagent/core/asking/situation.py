"""Situation: a question, the memory it is asked of, and the prompts made from them, with gists cut so that they fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import inf
from typing import Any

from readagent.core.escaping import escape_tags
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Hint, Material
from readagent.core.question import Lookup, Question
from readagent.core.session import Session
from readagent.core.window import largest
from readagent.core.words import count_words, lead

_SHORTENED = (24, 12, 6)  # words kept of gists that are not in full; tried in this order
_SHORTEST = (*_SHORTENED, 2, 0)  # if pages are opened in their place
_PARTS = 4  # how much shorter than gists the entries of parts are


def shorten_gists(memory: GistMemory, ranked: Iterable[int], fits: Callable[[GistMemory], bool]) -> GistMemory | None:
    """Return the memory with gists cut to their first words, except those of the first ``ranked``, as many as fit.

    Return None if it does not fit even then.
    """
    order = list(dict.fromkeys(page for page in ranked if 0 <= page < len(memory.pages)))
    for words in _SHORTENED:
        short = tuple(cut_short(gist, words) for gist in memory.gists)
        if fits(replace(memory, gists=short)):
            count = largest(len(order), lambda count: fits(_in_full(memory, short, order[:count])))  # noqa: B023
            return _in_full(memory, short, order[:count])
    return None


def save_tokens(
    memory: GistMemory, ranked: Sequence[int], tokens: int, count: Callable[[str], int], *, evenly: bool = False
) -> GistMemory | None:
    """Return the memory with so many ``ranked`` gists cut that at least ``tokens`` are saved, the last ones first.

    With ``evenly``, all of them are first cut to the greatest length that saves enough. Gists that are not ranked stay
    as they are. Return None if so much cannot be saved.
    """
    full = {number: count(memory.gists[number].text) for number in ranked}

    def all_cut(cut: Callable[[Gist], Gist]) -> dict[int, Gist]:
        return {number: cut(memory.gists[number]) for number in full}

    def spared(short: dict[int, Gist]) -> int:
        return sum(full[number] - count(gist.text) for number, gist in short.items()) - tokens

    cuts: list[Callable[[Gist], Gist]] = [partial(_entry, words=words) for words in _SHORTEST]
    if evenly:
        longest = max((memory.gists[number].words for number in full), default=0)
        words = largest(longest, lambda words: spared(all_cut(partial(cut_short, words=words))) >= 0)
        cuts.insert(0, partial(cut_short, words=max(words, _SHORTENED[0])))
    for cut in cuts:
        short = all_cut(cut)
        if (spare := spared(short)) < 0:
            continue
        for number, size in full.items():  # in full again, as long as enough is saved
            if (saved := size - count(short[number].text)) <= spare:
                spare -= saved
                del short[number]
        return replace(memory, gists=tuple(short.get(number, gist) for number, gist in enumerate(memory.gists)))
    return None


def _entry(gist: Gist, words: int) -> Gist:
    """Return a gist cut to so many words, or the entry of a part, which the model has seen before, to a quarter."""
    return cut_short(gist, words // _PARTS if gist.origin == "part" else words)


def _in_full(memory: GistMemory, short: tuple[Gist, ...], pages: Collection[int]) -> GistMemory:
    """Return the memory with the full gists of these pages and the short ones of the others."""
    kept = set(pages)
    gists = (gist if number in kept else short[number] for number, gist in enumerate(memory.gists))
    return replace(memory, gists=tuple(gists))


@lru_cache(2048)  # the gists of one memory are cut again for each prompt, and for each set of opened pages
def cut_short(gist: Gist, words: int) -> Gist:
    """Return the first sentences of a gist, at most ``words`` words, with an ellipsis if something is left out."""
    if gist.words <= words:
        return gist
    text = f"{lead(gist.text, words).rstrip('. ')} …" if words else "…"
    return Gist(text, count_words(text), gist.origin)


Span = tuple[int, int]
_HINTED = 8  # pages to show as hints where gists are cut; more than can be opened, for the model to choose from


@dataclass(frozen=True, slots=True)
class Situation:
    """A question about a memory, with what all prompts for one answer share.

    ``history`` is the earlier turns of the conversation, as text. ``hints`` are the pages that a search finds.
    ``excerpts`` if the memory consists of parts of the text, and the rest is not shown. With ``may_cut``, gists are cut
    where a prompt would be too long. With ``may_be_whole`` the model may reply that the question is about the whole
    text. ``tree`` is the memory whose parts were chosen to get here, if any, and ``seen``
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
    may_be_whole: bool = False
    tree: GistMemory | None = field(default=None, compare=False, repr=False)
    seen: frozenset[Span] = frozenset()
    earlier: tuple[tuple[GistMemory, Lookup], ...] = field(default=(), compare=False, repr=False)
    before: int = field(default=0, compare=False, repr=False)
    sizes: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def prompt(self, session: Session, template: str, opened: tuple[int, ...] = (), **values: Any) -> str:
        """Return a prompt with the memory, the opened pages in full, the history and the question."""

        values.setdefault("language", "the language of the question")

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
