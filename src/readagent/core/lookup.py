"""Which pages to read again: all at once (parallel), or one after the other (sequential)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import fsum

from readagent.core.choice import Choice
from readagent.core.events import Opened
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Material
from readagent.core.question import Lookup, Question
from readagent.core.reader import Reader

_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Situation:
    """A memory, a question about it, and what was said before: all that the prompts of one answer share."""

    memory: GistMemory
    question: Question
    history: str = ""

    def prompt(self, reader: Reader, template: str, opened: tuple[int, ...] = (), **values: object) -> str:
        """A template filled with the memory, these pages of it in full, the history and the question."""
        memory = reader.prompts.fill("memory", memory=self.memory.render(frozenset(opened)))
        return reader.prompts.fill(
            template, memory=memory, history=self.history, question=self.question.shown(), **values
        )

    def material(self, opened: tuple[int, ...] = ()) -> Material:
        return Material(memory=self.memory, question=self.question, opened=opened)


async def look_up(situation: Situation, reader: Reader, fits: Callable[[tuple[int, ...]], bool]) -> Lookup:
    """The pages to reopen, as the plan says. ``fits`` tells whether there is room for an answer with these open."""
    if reader.plan.look_up == "none" or reader.plan.max_pages == 0:
        return Lookup()
    step = _parallel if reader.plan.look_up == "parallel" else _sequential
    lookup = await step(situation, reader, fits)
    reader.tell(Opened(lookup.pages))
    return lookup


async def _parallel(situation: Situation, reader: Reader, fits: Callable[[tuple[int, ...]], bool]) -> Lookup:
    plan, pages = reader.plan, situation.memory.pages
    most = min(plan.max_pages, len(pages))
    prompt = situation.prompt(
        reader,
        "look_up",
        most=most,
        last=len(pages) - 1,
        order=reader.prompts.fill("order") if plan.by_importance else "",
        nudge=reader.prompts.fill("nudge") if plan.nudge else "",
    )
    choice = Choice(tuple(str(page.number) for page in pages), least=0, most=most, cues=("page",))
    ask = Ask("look_up", prompt, choice, situation.material())
    chosen = await reader.decide(ask, lambda: closest(situation))
    opened: tuple[int, ...] = ()
    for number in map(int, chosen):
        if fits((*opened, number)):
            opened = (*opened, number)
    return Lookup(opened, tuple(number for number in map(int, chosen) if number not in opened))


async def _sequential(situation: Situation, reader: Reader, fits: Callable[[tuple[int, ...]], bool]) -> Lookup:
    opened: tuple[int, ...] = ()
    most = min(reader.plan.max_pages, len(situation.memory.pages))
    while len(opened) < most:
        prompt = situation.prompt(
            reader,
            "look_up_next",
            opened,
            open_pages=", ".join(f"Page {number}" for number in opened) or "none",
            left=most - len(opened),
        )
        if not reader.window.fits(prompt):
            break
        closed = tuple(str(page.number) for page in situation.memory.pages if page.number not in opened)
        ask = Ask("look_up", prompt, Choice((*closed, "STOP"), cues=("page",)), situation.material(opened))
        (chosen,) = await reader.decide(ask, lambda: ("STOP",))
        if chosen == "STOP":
            break
        if not fits((*opened, int(chosen))):
            return Lookup(opened, (int(chosen),))
        opened = (*opened, int(chosen))
    return Lookup(opened)


def closest(situation: Situation) -> tuple[str, ...]:
    """The page that shares the rarest words with the question: what is opened when the model names none legibly."""
    asked = set(_WORD.findall(situation.question.shown().lower()))
    words = [set(_WORD.findall(situation.memory.page_text(page.number).lower())) for page in situation.memory.pages]
    pages_with = Counter(word for page in words for word in page & asked)
    scores = [fsum(1 / pages_with[word] for word in page & asked) for page in words]
    return (str(scores.index(max(scores))),) if any(scores) else ()
