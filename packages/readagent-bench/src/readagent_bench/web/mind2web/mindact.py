"""MindAct: a ranker keeps the best candidates, and the model chooses among five at a time until one is left."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from readagent.core.choice import Choice
from readagent.core.model import Ask
from readagent.core.question import letter
from readagent.core.session import Session
from readagent.core.words import count_words
from readagent_bench.templates import templates
from readagent_bench.web.mind2web.context import NavigationContext
from readagent_bench.web.mind2web.prune import pruned
from readagent_bench.web.mind2web.records import Acted
from readagent_bench.web.mind2web.task import Moment
from readagent_browse.decide import action_on
from readagent_browse.dom import Element, Snapshot
from readagent_browse.fitting import cut_and_record, page_fits
from readagent_browse.goal import Goal
from readagent_browse.page_view import PageView
from readagent_browse.render import render
from readagent_browse.templates import page_head
from readagent_browse.templates import templates as web_templates

_AT_ONCE = 5
_NONE = "none of these"


@dataclass(frozen=True, slots=True)
class MindActMethod:
    """Keeps ``count`` candidates."""

    count: int

    @property
    def name(self) -> str:
        return f"mindact:{self.count}"

    @property
    def title(self) -> str:
        return "MindAct" if self.count == 50 else f"MindAct (best {self.count})"

    async def answer(self, moment: Moment, context: NavigationContext) -> Acted:
        kept = await self._kept(moment, context)
        if not any(element.id in moment.step.positives for element in kept):
            return Acted(None, skipped=f"no right element among the {len(kept)} that the ranker kept")
        return await context.within_window(context.plan, lambda session: _pick(moment, list(kept), session))

    async def _kept(self, moment: Moment, context: NavigationContext) -> list[Element]:
        task, step, page = moment.task, moment.step, moment.page
        known = {element.id: element for element in page.elements}
        ids = [one for one in step.candidates if one in known]
        scores = await context.ranker.scores(task, step, page, ids)
        order = sorted(range(len(ids)), key=lambda place: (-scores[place], place))
        return [known[ids[place]] for place in order[: self.count]]


async def _pick(moment: Moment, left: list[Element], session: Session) -> Acted:
    """Play rounds of five, the winner of each joining the end of the queue, until one is left, or none.

    One that is left because every other was rejected was never shown to the model. It is not acted on, as in the
    reference.
    """
    page, goal = moment.page, moment.goal
    Random(moment.step.id).shuffle(left)
    winner: Element | None = None
    while len(left) > 1:
        group, left = left[:_AT_ONCE], left[_AT_ONCE:]
        chosen = await _one_of(group, page, goal, session)
        if chosen is not None:
            left.append(chosen)
            winner = chosen
    if not left or winner is None:
        return Acted(None)
    view = _view(page, [winner], goal, session)
    return Acted(await action_on(winner, view, goal, session))


async def _one_of(group: list[Element], page: Snapshot, goal: Goal, session: Session) -> Element | None:
    view = _view(page, group, goal, session)
    texts = (_NONE, *(element.description for element in group))
    letters = tuple(letter(place) for place in range(len(texts)))
    options = "\n".join(f"({name}) {text}" for name, text in zip(letters, texts, strict=True))
    prompt = templates().fill("mindact", page=view.prompt, goal=goal.render(session), options=options)
    ask = Ask("act", prompt, Choice(letters, texts=texts))
    (chosen,) = await session.decide(ask, lambda: (letters[0],))
    place = letters.index(chosen)
    return group[place - 1] if place else None


def _view(page: Snapshot, elements: list[Element], goal: Goal, session: Session) -> PageView:
    """Return the page around these elements."""
    text = render(pruned(page.root, [element.id for element in elements]))

    def fill(part: str) -> str:
        return web_templates().fill("page", head=page_head(page.title), extent=": a part of it", page=part)

    choices = "\n".join(element.description for element in elements)
    text = cut_and_record(
        text, lambda part: page_fits(fill(part) + choices, goal.render(session), session), "act", "the page", session
    )
    return PageView(fill(text), tuple(elements), count_words(text))
