"""The next action, decided from what is shown of a page: an element that is shown, then what to do to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum

from readagent.core.choice import Choice
from readagent.core.model import Ask, Reply
from readagent.core.replies import is_refusal, strip_thinking, unfenced
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.errors import NoAnswerError
from readagent.webnav.action import Action
from readagent.webnav.dom import Element
from readagent.webnav.goal import Goal
from readagent.webnav.templates import templates
from readagent.webnav.view import View, fitted

STOP = "DONE"
_LONGEST = 120  # characters of an option that are shown
_WORD = re.compile(r"\w{3,}")
_LABEL = re.compile(r"^\W*(?:value|text|answer|type|the text to type(?: is)?)\s*:\s*", re.IGNORECASE)


async def act(view: View, goal: Goal, session: Session, *, may_stop: bool = False) -> Action | None:
    """The next action; None where nothing is left to be done, which only ``may_stop`` allows."""
    element = await choose(view, goal, session, may_stop=may_stop)
    return None if element is None else await do(element, view, goal, session)


async def choose(view: View, goal: Goal, session: Session, *, may_stop: bool = False) -> Element | None:
    """The element to act on, one of those that are shown."""
    known = {element.id: element for element in view.elements}
    if not known:
        if may_stop:
            session.fell_back(Fallback("act", "there is nothing to act on in what is shown", STOP))
            return None
        raise NoAnswerError("there is nothing to act on in what is shown of the page")
    stop = templates().fill("stop") if may_stop else ""
    prompt = templates().fill("element", page=view.prompt, goal=goal.shown(session), stop=stop)
    choice = Choice((*known, STOP) if may_stop else tuple(known), cues=("element", "id"))
    if len(choice.values) == 1:
        return view.elements[0]
    (chosen,) = await session.decide(
        Ask("act", prompt, choice), lambda: (STOP if may_stop else closest(view.elements, goal).id,)
    )
    return known.get(chosen)


async def do(element: Element, view: View, goal: Goal, session: Session) -> Action:
    """What to do to an element: asked only where more than one thing can be done to it."""
    operations = element.operations
    operation = operations[0]
    if len(operations) > 1:
        prompt = _prompt("operation", element, view, goal, session, operations=", ".join(operations), first=operation)
        choice = Choice(operations, cues=("action", "operation"))
        (chosen,) = await session.decide(Ask("act", prompt, choice), lambda: (operations[0],))
        operation = next(one for one in operations if one == chosen)
    if operation == "type":
        return Action(element.id, "type", await _text(element, view, goal, session))
    if operation == "select":
        return Action(element.id, "select", await _option(element, view, goal, session))
    return Action(element.id, "click")


async def _option(element: Element, view: View, goal: Goal, session: Session) -> str:
    """One of the options of a select. Of more than fit the window, the first are offered, and that is recorded."""
    if len(element.options) == 1:
        return element.options[0]
    lines = "\n".join(f"{number}. {option[:_LONGEST]}" for number, option in enumerate(element.options))
    room = _rest(element, "option", goal, session)
    offered = fitted(lines, lambda text: room(text) or not text).count("\n") + 1
    if offered < len(element.options):
        taken = f"the first {offered} of {len(element.options)} options"
        session.fell_back(Fallback("act", "the options are too long for the window", taken))
    options = element.options[:offered]
    listed = "\n".join(lines.splitlines()[:offered])
    prompt = _prompt("option", element, view, goal, session, options=listed)
    choice = Choice(tuple(map(str, range(len(options)))), cues=("option", "answer"))
    (chosen,) = await session.decide(
        Ask("act", prompt, choice), lambda: (str(options.index(_best(options, goal) or options[0])),)
    )
    return options[int(chosen)]


async def _text(element: Element, view: View, goal: Goal, session: Session) -> str:
    """What to type: free text on one line; nothing where the model says nothing usable twice."""
    ask = Ask("act", _prompt("value", element, view, goal, session))
    text, problem = await session.judged(ask, _typed, templates().fill("wanted_value"))
    if problem:
        session.fell_back(Fallback("act", problem, "nothing is typed"))
        return ""
    return text


def _typed(reply: Reply) -> tuple[str, str]:
    if problem := useless(reply):
        return "", problem
    text = unfenced(strip_thinking(reply.text))
    lines = [line for part in text.splitlines() if (line := _LABEL.sub("", part).strip())]
    if not lines or is_refusal(text):
        return "", "it named no text to type"
    line = lines[0]
    return (line[1:-1] if len(line) > 1 and line[0] == line[-1] and line[0] in "\"'`" else line), ""


def _prompt(template: str, element: Element, view: View, goal: Goal, session: Session, **values: object) -> str:
    """A prompt about one element; what of the page exceeds the window is cut off, and that is recorded."""

    def fill(page: str) -> str:
        return templates().fill(template, page=page, goal=goal.shown(session), element=told(element), **values)

    page = fitted(view.prompt, lambda text: session.window.fits(fill(text)))
    if len(page) < len(view.prompt):
        session.fell_back(Fallback("act", "the page is too long for the window", f"its first {len(page)} characters"))
    return fill(page)


def _rest(element: Element, template: str, goal: Goal, session: Session) -> Callable[[str], bool]:
    """Whether a prompt with these options, and without the page, fits the window."""
    return lambda text: session.window.fits(
        templates().fill(template, page="", goal=goal.shown(session), element=told(element), options=text)
    )


def told(element: Element) -> str:
    """An element in a line."""
    return f'{element.tag} [{element.id}] "{element.label}"'


def closest(elements: Sequence[Element], goal: Goal) -> Element:
    """The element whose name shares the rarest words with the instruction: taken when the model names none legibly."""
    names = [f"{element.label} {' '.join(element.options)}" for element in elements]
    best = _best(names, goal)
    return elements[names.index(best)] if best else elements[0]


def _best(names: Sequence[str], goal: Goal) -> str:
    """The name that shares the rarest words with the instruction; empty where none shares any."""
    asked = set(_WORD.findall(goal.instruction.lower()))
    words = [set(_WORD.findall(name.lower())) & asked for name in names]
    having = Counter(word for own in words for word in own)
    scores = [fsum(1 / having[word] for word in own) for own in words]
    return names[scores.index(max(scores))] if any(scores) else ""
