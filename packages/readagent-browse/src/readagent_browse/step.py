"""One step on a page: remember it, look up the parts that matter, decide the next action."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.core.form import Choice
from readagent.core.model import Ask, number_ranges
from readagent.core.plan import Plan
from readagent.core.question import Lookup
from readagent.core.session import Session
from readagent.core.trace import Opened, Trace
from readagent_browse.decide import decide_action
from readagent_browse.dom import Element, Snapshot, best_match
from readagent_browse.goal import Action, Goal
from readagent_browse.material import templates
from readagent_browse.memory import PageMemory, remember
from readagent_browse.page_view import PageView, check_window, cut_to_window, page_fits, plain_view
from readagent_browse.snippets import Snippet

__all__ = ["WEB", "Goal", "Step", "Viewed", "look_up", "memory_view", "next_step", "view_page"]

WEB = Plan(page_words=300, min_page_words=60, max_pages=5, quotes=False)
"""The default plan for web pages: snippets of up to 300 words, of which up to 5 are opened."""


@dataclass(frozen=True, slots=True)
class Step:
    """The action decided, and the parts of the page it is based on. ``action`` is None if nothing is left to do.

    ``opened`` are the snippets shown in full, ``did_not_fit`` those for which there was no room. ``words`` counts the
    words of the page in the last prompt, ``full_words`` those of the whole page. ``lost_ids`` counts the ids that the
    model's gists left out.
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
        """The share of the page's words that the model did not see when it chose the element."""
        return 1 - self.words / max(1, self.full_words)


@dataclass(frozen=True, slots=True)
class Viewed:
    """A page as a prompt shows it: the view, the snippets that were opened, and the memory if there is one."""

    view: PageView
    opened: Lookup
    snippets: tuple[Snippet, ...]
    memory: PageMemory | None = None

    def step(self, action: Action | None, element: Element | None, trace: Trace) -> Step:
        """Return the step that was decided from this view."""
        full_words = sum(snippet.words for snippet in self.snippets)
        lost_ids = self.memory.lost_ids if self.memory is not None else 0
        return Step(
            action, element, self.opened.pages, self.snippets, self.view.words, full_words, self.opened.did_not_fit,
            lost_ids, self.memory, trace,
        )  # fmt: skip


async def view_page(snapshot: Snapshot, goal: Goal, session: Session, asked: str = "") -> Viewed:
    """Return the page with the parts opened that matter for the goal. ``asked`` is what the prompt adds below it.

    A page of one snippet is shown in full, without gists.
    """
    check_window(session)
    snippets = cut_to_window(snapshot, session)
    if len(snippets) <= 1:
        view = plain_view(snapshot, snippets, goal.render(session) + asked, session)
        return Viewed(view, Lookup(tuple(snippet.index for snippet in snippets)), snippets)
    memory = await remember(snapshot, session, goal, snippets)
    opened = await look_up(memory, goal, session, asked)
    return Viewed(memory_view(memory, opened.pages), opened, snippets, memory)


async def next_step(snapshot: Snapshot, goal: Goal, session: Session, *, may_stop: bool = False) -> Step:
    """Return the next action towards the goal: a click, typing, or selecting an option."""
    viewed = await view_page(snapshot, goal, session)
    action = await decide_action(viewed.view, goal, session, may_stop=may_stop)
    element = snapshot.element(action.element) if action is not None else None
    return viewed.step(action, element, session.trace)


def memory_view(memory: PageMemory, opened: tuple[int, ...] = ()) -> PageView:
    """Return a view of the gists, with the opened snippets in full in place of theirs."""
    return PageView(memory.prompt(opened), memory.elements(opened), memory.words(opened))


async def look_up(memory: PageMemory, goal: Goal, session: Session, asked: str = "") -> Lookup:
    """Return the snippets to open: as many as the model wants, the plan allows and the window holds; possibly none.

    They fit above ``asked``, which is what the next prompt adds below the goal.
    """
    most = min(session.plan.max_pages, len(memory.records))
    if session.plan.look_up == "none" or most == 0:
        return Lookup()
    shown_goal = goal.render(session)
    indexes = [record.index for record in memory.records]
    offered = number_ranges(indexes)
    choice = Choice(tuple(map(str, indexes)), least=0, most=most, label="Parts")
    page = memory.prompt()
    prompt = templates().fill("look_up", form=choice, page=page, goal=shown_goal, most=most, offered=offered)
    ask = Ask("look_up", prompt, choice)
    chosen = await session.decide(ask, lambda: _closest(memory, goal))
    opened: tuple[int, ...] = ()
    for index in map(int, chosen):
        if page_fits(memory.prompt((*opened, index)), shown_goal + asked, session):
            opened = (*opened, index)
    session.emit(Opened(opened))
    return Lookup(opened, tuple(index for index in map(int, chosen) if index not in opened))


def _closest(memory: PageMemory, goal: Goal) -> tuple[str, ...]:
    """Return the snippet with the element that best matches the instruction: the fallback of look_up."""
    snippets = [memory.snippets[record.index] for record in memory.records]
    inside = {element.id: snippet.index for snippet in snippets for element in snippet.elements}
    elements = [element for element in memory.elements(inside.values()) if element.id in inside]
    return (str(inside[best_match(elements, goal).id]),) if elements else ()
