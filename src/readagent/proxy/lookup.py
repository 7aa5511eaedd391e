"""Choose the pages that are opened for a message: what a search finds, those that the model names, and the newest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import inf
from typing import Literal

from readagent.core.asking.lookup import all_at_once
from readagent.core.asking.prepare import likely_pages
from readagent.core.asking.situation import Situation
from readagent.core.asking.view import view_of
from readagent.core.memory import GistMemory
from readagent.core.model import Hint
from readagent.core.question import Question
from readagent.core.trace import Fallback
from readagent.core.words import count_words, sentences
from readagent.errors import ReadAgentError
from readagent.proxy.chat import Count
from readagent.proxy.memory import PageMemory
from readagent.proxy.paging import IN_THE_RECORD
from readagent.retrieval.hints import WordHinter

MOST_OPENED = 6  # pages
_SHORT = 60  # words; a longer message may be a question together with a text
_QUESTION = 12  # words, which most questions do not exceed
_NEAR = 3  # sentences, at the start or the end of a message, one of which may be a question


Finders = Literal["both", "model", "search"]


async def pages_for(
    memory: PageMemory, question: str, history: str, room: int, count: Count, by: Finders = "both"
) -> list[int]:
    """Return the pages to open for a question, the most useful first; they have at most ``room`` tokens together.

    ``history`` is what was said before it. If the model cannot be asked, the search alone decides; what room is left
    then is for the newest pages. ``by`` leaves one of the two out, to measure what the other finds.
    """
    tokens = [count(memory.page(number)) + 2 for number in range(len(memory.pages))]
    left = room - count(memory.opened(()))
    if len(tokens) <= MOST_OPENED and sum(tokens) <= left:
        return list(range(len(tokens)))
    if min(tokens) > left:
        return []
    named = await _for_question(memory, question, history, room, by) if question else []
    chosen = list[int]()
    for number in dict.fromkeys((*named, *reversed(range(len(tokens))))):
        if tokens[number] <= left and len(chosen) < MOST_OPENED:
            chosen.append(number)
            left -= tokens[number]
    return chosen


async def _for_question(memory: PageMemory, question: str, history: str, room: int, by: Finders) -> list[int]:
    """Return the pages that a search finds and those that the model asks for, in turn: either may miss what counts."""
    asked, whole, hinter = Question(question), memory.as_memory(), WordHinter()
    hints = [Hint(page.number, 0.0) for page in whole.pages]
    if by != "model":
        hints = _joined([await hinter.hints(whole, Question(text)) for text in _searched(question)])
    wider = await hinter.hints(whole, Question(f"{question}\n\n{history}")) if history and by != "model" else ()
    found = list(dict.fromkeys((*likely_pages(hints)[:MOST_OPENED], *likely_pages(wider)[:MOST_OPENED])))
    named = await _named(memory, whole, asked, history, hints) if by != "search" else []
    return [number for both in zip_longest(found, named) for number in both if number is not None]


def _searched(message: str) -> list[str]:
    """Return what to search for: the message, and before it the last and the first words of one with a long text.

    They are usually the question. It may be in one line with the text, so that its last words are searched for alone,
    too, without the sentences before a question.
    """
    if count_words(message) <= _SHORT and IN_THE_RECORD not in message:
        return [message]
    lines = [line for line in message.splitlines() if count_words(line) and not line.startswith(IN_THE_RECORD)]
    if not lines:
        return [message]
    first, last = _up_to(sentences(lines[0])), _up_to(sentences(lines[-1])[::-1])[::-1]
    begins = next((at for at in range(len(last) - 1, -1, -1) if at >= len(last) - _NEAR and _asks(last[at])), 0)
    ends = next((at for at, one in enumerate(first[:_NEAR], start=1) if _asks(one)), len(first))
    question = " ".join(" ".join(last[begins:]).split()[-_QUESTION:])
    return [*dict.fromkeys((question, " ".join(first[:ends]), " ".join(last), message))]


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)»").endswith(("?", "？", "؟"))


def _up_to(lines: Sequence[str]) -> list[str]:
    """Return the first sentences that are short together, at least one."""
    words, taken = 0, list[str]()
    for line in lines:
        words += count_words(line)
        if taken and words > _SHORT:
            break
        taken.append(line)
    return taken


def _joined(searches: Sequence[Sequence[Hint]]) -> list[Hint]:
    """Return all pages, each with the best score that a search gives it, relative to that of the best page."""
    scores: dict[int, float] = {}
    for hints in searches:
        best = hints[0].score if hints and hints[0].score > 0 else 1.0
        for hint in hints:
            scores[hint.page] = max(scores.get(hint.page, hint.score / best), hint.score / best)
    return [Hint(page, score) for page, score in sorted(scores.items(), key=lambda one: -one[1])]


async def _named(
    memory: PageMemory, whole: GistMemory, asked: Question, history: str, hints: Sequence[Hint]
) -> list[int]:
    """Return the pages that the model asks for. Where there are too many to show, it sees those that a search finds."""
    session = memory.session
    ranked = tuple(hint.page for hint in hints)
    count = session.window.count
    room = session.window.index - count(history) - count(asked.text) if session.window.index else inf
    view = view_of(whole, ranked, room, count)
    situation = Situation(view, asked, history, ranked)
    try:
        lookup = await all_at_once(situation, session, lambda pages: True, MOST_OPENED)
    except ReadAgentError as error:
        session.fell_back(Fallback("look_up", str(error), "the pages that a search finds"))
        return []
    return list(lookup.pages)
