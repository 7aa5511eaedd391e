"""The methods compared on Mind2Web, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from readagent.core.session import Session
from readagent.retrieval.bm25 import Bm25
from readagent_bench.methods import Entry, method_named
from readagent_bench.study import Method as TaskMethod
from readagent_bench.web.data import Acted, Moment
from readagent_bench.web.mindact import MindActMethod, NavigationContext
from readagent_browse.decide import decide_action
from readagent_browse.memory import remember
from readagent_browse.page_view import cut_to_window, plain_view
from readagent_browse.snippets import Snippet
from readagent_browse.step import look_up, memory_view

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
