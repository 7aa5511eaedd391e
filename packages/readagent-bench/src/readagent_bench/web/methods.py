"""The methods compared on Mind2Web, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from readagent.core.form import Choice
from readagent.core.model import Ask
from readagent.core.question import letter
from readagent.core.session import Session
from readagent.core.words import count_words
from readagent.retrieval.bm25 import Bm25
from readagent_bench.context import templates
from readagent_bench.methods import Entry, method_named
from readagent_bench.study import Method as TaskMethod
from readagent_bench.web.data import Moment
from readagent_bench.web.rank import NavigationContext, pruned
from readagent_browse.decide import action_on, decide_action
from readagent_browse.dom import Element, Snapshot
from readagent_browse.goal import Action, Goal
from readagent_browse.memory import remember
from readagent_browse.page_view import PageView, cut_and_record, cut_to_window, page_fits, plain_view
from readagent_browse.render import render
from readagent_browse.snippets import Snippet
from readagent_browse.step import look_up, memory_view
from readagent_browse.templates import page_head
from readagent_browse.templates import templates as web_templates

_AT_ONCE = 5
_NONE = "none of these"


@dataclass(frozen=True, slots=True)
class Acted:
    """The action of a method, decided from ``words`` of the ``full_words`` of the page; None if that means nothing.

    ``opened`` are the snippets shown in full. ``skipped`` says why the model was not asked, as in the reference.
    """

    action: Action | None
    words: int | None = None
    full_words: int = 0
    opened: tuple[int, ...] | None = None
    skipped: str = ""


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
    choice = Choice(letters, texts=texts)
    prompt = templates().fill("mindact", form=choice, page=view.prompt, goal=goal.render(session), options=options)
    ask = Ask("act", prompt, choice)
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


Method = TaskMethod[Moment, NavigationContext, Acted]


@dataclass(frozen=True, slots=True)
class RawMethod:
    """Shows the raw page as far as it fits."""

    name: str = "raw"
    title: str = "Raw HTML"

    async def answer(self, moment: Moment, context: NavigationContext) -> Acted:
        async def attempt(session: Session) -> Acted:
            snippets = cut_to_window(moment.page, session)
            return replace(await _from(moment, snippets, snippets, session), opened=None)

        return await context.within_window(context.plan, attempt)


@dataclass(frozen=True, slots=True)
class RetrievalMethod:
    """Shows the ``count`` snippets that a search by words or by vectors ranks highest, in the order of the page."""

    count: int
    neural: bool = False

    @property
    def name(self) -> str:
        return f"{'neural' if self.neural else 'bm25'}:{self.count}"

    @property
    def title(self) -> str:
        return f"{'Neural' if self.neural else 'BM25'} Top-{self.count}"

    async def answer(self, moment: Moment, context: NavigationContext) -> Acted:
        async def attempt(session: Session) -> Acted:
            snippets = cut_to_window(moment.page, session)
            scores = await self._scores([snippet.html for snippet in snippets], moment.goal.search_text(), context)
            best = sorted(range(len(snippets)), key=lambda place: (-scores[place], place))[: self.count]
            return await _from(moment, [snippets[place] for place in sorted(best)], snippets, session)

        return await context.within_window(context.plan, attempt)

    async def _scores(self, texts: Sequence[str], question: str, context: NavigationContext) -> Sequence[float]:
        if not self.neural or not texts:
            return Bm25(texts).scores(question)
        rows = await context.vectors([question, *texts])
        return [float(score) for score in rows[1:] @ rows[0]]


@dataclass(frozen=True, slots=True)
class MemoryMethod:
    """Shows gists with up to ``count`` snippets opened: ReadAgent-P; GistMem if it is 0."""

    count: int

    @property
    def name(self) -> str:
        return f"readagent-p:{self.count}" if self.count else "gistmem"

    @property
    def title(self) -> str:
        if self.count == 0:
            return "GistMem"
        return f"ReadAgent-P {'1' if self.count == 1 else f'1-{self.count}'}"

    async def answer(self, moment: Moment, context: NavigationContext) -> Acted:
        goal = moment.goal

        async def attempt(session: Session) -> Acted:
            memory = await remember(moment.page, session, goal)
            opened = (await look_up(memory, goal, session)).pages
            view = memory_view(memory, opened)
            return Acted(await decide_action(view, goal, session), view.words, memory.full_words, opened)

        plan = replace(context.plan, look_up="parallel", max_pages=self.count)
        return await context.within_window(plan, attempt)


async def _from(moment: Moment, shown: Sequence[Snippet], whole: Sequence[Snippet], session: Session) -> Acted:
    """Return the action decided from these snippets of a page alone."""
    goal = moment.goal
    view = plain_view(moment.page, shown, goal.render(session), session, of=len(whole))
    full = sum(snippet.words for snippet in whole)
    return Acted(await decide_action(view, goal, session), view.words, full, tuple(snippet.index for snippet in shown))


METHODS: Mapping[str, Entry[Method]] = {
    "raw": Entry(lambda _: RawMethod(), "the whole page, as far as it fits"),
    "bm25": Entry(lambda count: RetrievalMethod(count), "the best snippets by BM25", "snippets", 5),
    "neural": Entry(
        lambda count: RetrievalMethod(count, neural=True), "the nearest snippets by vectors", "snippets", 5, embeds=True
    ),
    "gistmem": Entry(lambda _: MemoryMethod(0), "the gists alone"),
    "readagent-p": Entry(lambda count: MemoryMethod(count), "chooses all snippets at once", "snippets at most", 5),
    "mindact": Entry(lambda count: MindActMethod(count), "ranked elements, five at a time", "elements kept", 50),
}
PAPER = ("mindact:50", "raw", "bm25:1", "bm25:5", "neural:1", "neural:5", "gistmem", "readagent-p:1", "readagent-p:5")


def method(name: str) -> Method:
    """Return the method with this name."""
    return method_named(name, METHODS)
