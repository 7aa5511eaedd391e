"""One step on a page: remember it, look up the parts that matter, decide the next action."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.core.choice import Choice
from readagent.core.events import Opened
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Lookup
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.webnav.act import act, closest
from readagent.webnav.action import Action
from readagent.webnav.dom import Element, Snapshot
from readagent.webnav.goal import Goal
from readagent.webnav.remember import PageMemory, cut_for, remember
from readagent.webnav.snippets import Snippet
from readagent.webnav.templates import templates
from readagent.webnav.view import View, check_window, plain_view, room_for

__all__ = ["WEB", "Goal", "Step", "look_up", "memory_view", "next_step"]

WEB = Plan(page_words=300, min_page_words=60, max_pages=5, quotes=False)
"""How a page is read by default: snippets of up to 300 words, of which up to 5 are opened."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was decided, from which parts of the page. ``action`` is None where nothing is left to be done.

    ``opened`` are the snippets shown in full; ``did_not_fit`` those that had no room; ``words`` are the words of
    the page that were shown at the end, of ``full_words``. ``lost_ids`` were missing in the model's gists.
    """

    action: Action | None
    element: Element | None
    opened: tuple[int, ...]
    snippets: tuple[Snippet, ...]
    words: int
    full_words: int
    did_not_fit: tuple[int, ...] = ()
    lost_ids: int = 0
    memory: PageMemory | None = None
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)

    @property
    def compression(self) -> float:
        """The share of the page's words that were not shown when the action was decided."""
        return 1 - self.words / max(1, self.full_words)


async def next_step(snapshot: Snapshot, goal: Goal, session: Session, *, may_stop: bool = False) -> Step:
    """The next action towards the goal. A page of a single snippet is shown as it is: there is nothing to look up.

    With ``look_up="auto"`` so is any page that fits the window and has no more snippets than may be opened.
    """
    check_window(session)
    snippets = cut_for(snapshot, session)
    if len(snippets) <= 1 or _is_cheaper_whole(snapshot, snippets, goal, session):
        view = plain_view(snapshot, snippets, goal.shown(session), session)
        opened = Lookup(tuple(snippet.index for snippet in snippets))
        memory = None
    else:
        memory = await remember(snapshot, session, snippets)
        opened = await look_up(memory, goal, session)
        view = memory_view(memory, opened.pages)
    action = await act(view, goal, session, may_stop=may_stop)
    return Step(
        action,
        snapshot.element(action.element) if action is not None else None,
        opened.pages,
        snippets,
        view.words,
        sum(snippet.words for snippet in snippets),
        opened.did_not_fit,
        memory.lost if memory is not None else 0,
        memory,
        session.trace,
    )


def _is_cheaper_whole(snapshot: Snapshot, snippets: tuple[Snippet, ...], goal: Goal, session: Session) -> bool:
    if session.plan.look_up != "auto" or len(snippets) > session.plan.max_pages:
        return False
    page = templates().fill("page", title="", extent="", page="\n".join(snippet.html for snippet in snippets))
    return room_for(page, goal.shown(session), session)


def memory_view(memory: PageMemory, opened: tuple[int, ...] = ()) -> View:
    """The gists, with these snippets in full in their place."""
    return View(memory.prompt(opened), memory.elements(opened), memory.words(opened))


async def look_up(memory: PageMemory, goal: Goal, session: Session) -> Lookup:
    """The snippets to open, up to as many as the plan allows and as fit; none is a legal answer, too."""
    most = min(session.plan.max_pages, len(memory.records))
    if session.plan.look_up == "none" or most == 0:
        return Lookup()
    told = goal.shown(session)
    prompt = templates().fill("look_up", page=memory.prompt(), goal=told, most=most, last=len(memory.records) - 1)
    indexes = tuple(str(record.index) for record in memory.records)
    ask = Ask("look_up", prompt, Choice(indexes, least=0, most=most, cues=("part", "page")))
    chosen = await session.decide(ask, lambda: _closest(memory, goal))
    opened: tuple[int, ...] = ()
    for index in map(int, chosen):
        if room_for(memory.prompt((*opened, index)), told, session):
            opened = (*opened, index)
    session.emit(Opened(opened))
    return Lookup(opened, tuple(index for index in map(int, chosen) if index not in opened))


def _closest(memory: PageMemory, goal: Goal) -> tuple[str, ...]:
    """The snippet with the element that the instruction fits best: opened when the model names none legibly."""
    elements = memory.elements(range(len(memory.snippets)))
    if not elements:
        return ()
    best = closest(elements, goal)
    return tuple(str(record.index) for record in memory.records if best in memory.snippets[record.index].elements)
