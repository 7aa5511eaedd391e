"""Choose the pages that are opened for a message: those that the model names, what a search finds, and the newest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

from readagent.core.asking.hints import pages_to_show
from readagent.core.asking.lookup import all_at_once
from readagent.core.asking.situation import Situation
from readagent.core.memory import GistMemory
from readagent.core.model import Hint
from readagent.core.question import Question
from readagent.core.trace import Fallback
from readagent.errors import ReadAgentError
from readagent.proxy.chat import Count
from readagent.proxy.memory import PageMemory
from readagent.retrieval.hints import WordHinter

MOST_OPENED = 6  # pages
_ENTRY = 48  # tokens of an entry for a page; where there is no room for all entries, a search chooses


Finders = Literal["both", "model", "search"]


async def pages_for(
    memory: PageMemory, question: str, history: str, room: int, count: Count, by: Finders = "both"
) -> list[int]:
    """Return the pages to open for a question, the most useful first; they have at most ``room`` tokens together.

    ``history`` is what was said before it. If the model cannot be asked, the search alone decides; what room is left
    then is for the newest pages. ``by`` leaves one of the two out, to measure what the other finds.
    """
    tokens = [count(memory.page(number)) + 2 for number in range(len(memory.sheets))]
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
    """Return the pages that the model asks for and those that a search finds, in turn: either may miss what counts."""
    asked, whole, hinter = Question(question), memory.as_memory(), WordHinter()
    hints = [Hint(page.number, 0.0) for page in whole.pages] if by == "model" else await hinter.hints(whole, asked)
    wider = await hinter.hints(whole, Question(f"{question}\n\n{history}")) if history and by != "model" else ()
    found = list(dict.fromkeys((*pages_to_show(hints, MOST_OPENED), *pages_to_show(wider, MOST_OPENED))))
    named = await _named(memory, whole, asked, history, hints, room) if by != "search" else []
    return [number for both in zip_longest(named, found) for number in both if number is not None]


async def _named(
    memory: PageMemory, whole: GistMemory, asked: Question, history: str, hints: Sequence[Hint], room: int
) -> list[int]:
    """Return the pages that the model asks for. Where there are too many to show, it sees those that a search finds."""
    session = memory.session
    most = (session.window.prompt or room) // _ENTRY
    numbers = sorted(hint.page for hint in hints[:most])
    places = {number: at for at, number in enumerate(numbers)}
    part = len(numbers) < len(whole.pages)
    shown = memory.as_memory(numbers) if part else whole
    near = tuple(Hint(places[hint.page], hint.score) for hint in hints[:most])
    situation = Situation(shown, asked, history, near, excerpts=part, may_cut=True)
    try:
        lookup = await all_at_once(situation, session, lambda pages: True, MOST_OPENED)
    except ReadAgentError as error:
        session.fell_back(Fallback("look_up", str(error), "the pages that a search finds"))
        return []
    return [numbers[page] for page in lookup.pages]
