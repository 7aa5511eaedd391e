"""The methods that are compared on Mind2Web, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from readagent.bench.web.mind2web.desk import Desk
from readagent.bench.web.mind2web.mindact import MindActMethod
from readagent.bench.web.mind2web.records import Acted
from readagent.bench.web.mind2web.task import Task
from readagent.core.session import Session
from readagent.errors import UsageError
from readagent.retrieval.bm25 import Bm25
from readagent.webnav.decide import decide_action
from readagent.webnav.dom import Snapshot
from readagent.webnav.goal import Goal
from readagent.webnav.page_view import plain_view
from readagent.webnav.remember import remember
from readagent.webnav.sizes import cut_to_window
from readagent.webnav.snippets import Snippet
from readagent.webnav.step import look_up, memory_view


class Method(Protocol):
    """A way to find the next action. ``title`` is what the paper's table calls it."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...

    async def act(self, task: Task, number: int, page: Snapshot, desk: Desk) -> Acted: ...


@dataclass(frozen=True, slots=True)
class RawMethod:
    """The page as it is, as far as it fits."""

    name: str = "raw"
    title: str = "Raw HTML"

    async def act(self, task: Task, number: int, page: Snapshot, desk: Desk) -> Acted:
        async def attempt(session: Session) -> Acted:
            snippets = cut_to_window(page, session)
            return replace(await _from(page, snippets, snippets, task.goal(number), session), opened=None)

        return await desk.within_window(desk.agent.plan, attempt)


@dataclass(frozen=True, slots=True)
class RetrievalMethod:
    """The ``count`` snippets that a search ranks highest, in the order of the page: by words, or by vectors."""

    count: int
    neural: bool = False

    @property
    def name(self) -> str:
        return f"{'neural' if self.neural else 'bm25'}:{self.count}"

    @property
    def title(self) -> str:
        return f"{'Neural' if self.neural else 'BM25'} Top-{self.count}"

    async def act(self, task: Task, number: int, page: Snapshot, desk: Desk) -> Acted:
        goal = task.goal(number)

        async def attempt(session: Session) -> Acted:
            snippets = cut_to_window(page, session)
            scores = await self._scores([snippet.html for snippet in snippets], goal.search_text(), desk)
            best = sorted(range(len(snippets)), key=lambda place: (-scores[place], place))[: self.count]
            return await _from(page, [snippets[place] for place in sorted(best)], snippets, goal, session)

        return await desk.within_window(desk.agent.plan, attempt)

    async def _scores(self, texts: Sequence[str], question: str, desk: Desk) -> Sequence[float]:
        if not self.neural or not texts:
            return Bm25(texts).scores(question)
        rows = await desk.vectors([question, *texts])
        return [float(score) for score in rows[1:] @ rows[0]]


@dataclass(frozen=True, slots=True)
class MemoryMethod:
    """From gists, with up to ``count`` snippets opened: ReadAgent-P; with none, GistMem."""

    count: int

    @property
    def name(self) -> str:
        return f"readagent-p:{self.count}" if self.count else "gistmem"

    @property
    def title(self) -> str:
        if self.count == 0:
            return "GistMem"
        return f"ReadAgent-P {'1' if self.count == 1 else f'1-{self.count}'}"

    async def act(self, task: Task, number: int, page: Snapshot, desk: Desk) -> Acted:
        goal = task.goal(number)

        async def attempt(session: Session) -> Acted:
            memory = await remember(page, session)
            opened = (await look_up(memory, goal, session)).pages
            view = memory_view(memory, opened)
            return Acted(await decide_action(view, goal, session), view.words, memory.full_words, opened)

        plan = replace(desk.agent.plan, look_up="parallel", max_pages=self.count)
        return await desk.within_window(plan, attempt)


async def _from(
    page: Snapshot, shown: Sequence[Snippet], whole: Sequence[Snippet], goal: Goal, session: Session
) -> Acted:
    """The action that is decided from these snippets of a page alone."""
    view = plain_view(page, shown, goal.render(session), session, of=len(whole))
    full = sum(snippet.words for snippet in whole)
    return Acted(await decide_action(view, goal, session), view.words, full, tuple(snippet.index for snippet in shown))


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind of method: how it is made, what it does, and its number, if it takes one."""

    make: Callable[[int], Method]
    help: str
    number: str = ""
    usual: int = 0


METHODS: Mapping[str, Entry] = {
    "raw": Entry(lambda _: RawMethod(), "the whole page, as far as it fits"),
    "bm25": Entry(lambda count: RetrievalMethod(count), "the best snippets by BM25", "snippets", 5),
    "neural": Entry(
        lambda count: RetrievalMethod(count, neural=True), "the nearest snippets by vectors", "snippets", 5
    ),
    "gistmem": Entry(lambda _: MemoryMethod(0), "the gists alone"),
    "readagent-p": Entry(MemoryMethod, "look up snippets all at once", "snippets at most", 5),
    "mindact": Entry(MindActMethod, "ranked elements, five at a time", "elements kept", 50),
}
PAPER = ("mindact:50", "raw", "bm25:1", "bm25:5", "neural:1", "neural:5", "gistmem", "readagent-p:1", "readagent-p:5")


def method(name: str) -> Method:
    """The method of this name."""
    kind, _, number = name.partition(":")
    entry = METHODS.get(kind)
    if entry is None:
        raise UsageError(f"there is no method {kind!r}", hint=f"methods: {', '.join(METHODS)}")
    most = number.rpartition("-")[2]
    if number and not (entry.number and most.isdigit() and int(most) > 0):
        raise UsageError(
            f"{name!r} is no method", hint=f"{kind}:{entry.usual}" if entry.number else f"{kind} takes no number"
        )
    return entry.make(int(most or entry.usual))
