"""Decide the next action from a view of the page: first one of the elements shown, then the operation on it."""

from __future__ import annotations

from typing import Any

from readagent.core.form import Choice, Form, Text
from readagent.core.model import Ask, Reply
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.window import largest
from readagent.errors import NoAnswerError
from readagent_browse.dom import Element, best_match, best_name
from readagent_browse.goal import Action, Goal
from readagent_browse.page_view import PageView, cut_page
from readagent_browse.templates import templates

STOP = "DONE"
_MAX_OPTION = 120  # characters of an option that prompts show
_TYPED = Form((Text("Text"),))


async def decide_action(view: PageView, goal: Goal, session: Session, *, may_stop: bool = False) -> Action | None:
    """Return the next action, or None if the model says that nothing is left to do, which ``may_stop`` allows."""
    element = await choose_element(view, goal, session, may_stop=may_stop)
    return None if element is None else await action_on(element, view, goal, session)


async def choose_element(view: PageView, goal: Goal, session: Session, *, may_stop: bool = False) -> Element | None:
    """Return the element to act on, one of those in the view, or None to stop."""
    known = {element.id: element for element in view.elements}
    if not known:
        if may_stop:
            session.fell_back(Fallback("act", "the part of the page that is shown has nothing to act on", STOP))
            return None
        raise NoAnswerError("the part of the page that is shown has nothing to act on")
    stop = templates().fill("stop") if may_stop else ""
    choice = Choice((*known, STOP) if may_stop else tuple(known), label="Element")
    prompt = templates().fill("element", form=choice, page=view.prompt, goal=goal.render(session), stop=stop)
    if len(choice.values) == 1:
        return view.elements[0]
    (chosen,) = await session.decide(
        Ask("act", prompt, choice), lambda: (STOP if may_stop else best_match(view.elements, goal).id,)
    )
    return known.get(chosen)


async def action_on(element: Element, view: PageView, goal: Goal, session: Session) -> Action:
    """Return the action on an element; the model is asked for the operation if several are possible."""
    operations = element.operations
    operation = operations[0]
    if len(operations) > 1:
        choice = Choice(operations, label="Action")
        prompt = _prompt("operation", element, view, goal, session, form=choice)
        (chosen,) = await session.decide(Ask("act", prompt, choice), lambda: (operations[0],))
        operation = next(possible for possible in operations if possible == chosen)
    if operation == "type":
        return Action(element.id, "type", await _text(element, view, goal, session))
    if operation == "select":
        return Action(element.id, "select", await _option(element, view, goal, session))
    return Action(element.id, "click")


async def _option(element: Element, view: PageView, goal: Goal, session: Session) -> str:
    """Return one of the options of a select. If not all fit the window, the first are offered, and this is recorded."""
    if len(element.options) == 1:
        return element.options[0]
    lines = [f"{number}. {option[:_MAX_OPTION]}" for number, option in enumerate(element.options)]
    offered = _fitting_options(lines, element, goal, session)
    if offered < len(lines):
        taken = f"the first {offered} of {len(lines)} options"
        session.fell_back(Fallback("act", "the options are too long for the window", taken))
    options = element.options[:offered]
    choice = _options(len(options))
    prompt = _prompt("option", element, view, goal, session, form=choice, options="\n".join(lines[:offered]))
    (chosen,) = await session.decide(
        Ask("act", prompt, choice), lambda: (str(options.index(best_name(options, goal) or options[0])),)
    )
    return options[int(chosen)]


def _options(count: int) -> Choice:
    return Choice(tuple(map(str, range(count))), label="Option")


def _fitting_options(lines: list[str], element: Element, goal: Goal, session: Session) -> int:
    """Return how many options fit the window in a prompt without the page; at least one."""

    def fits(count: int) -> bool:
        listed, shown = "\n".join(lines[:count]), goal.render(session)
        form, about = _options(count), element.description
        prompt = templates().fill("option", form=form, page="", goal=shown, element=about, options=listed)
        return session.window.fits(prompt)

    return max(1, largest(len(lines), fits))


async def _text(element: Element, view: PageView, goal: Goal, session: Session) -> str:
    """Return the text to type, on one line; empty if two replies are unusable."""
    ask = Ask("act", _prompt("value", element, view, goal, session, form=_TYPED), form=_TYPED)
    text, problem = await session.judged(ask, _typed_text)
    if problem:
        session.fell_back(Fallback("act", problem, "nothing is typed"))
        return ""
    return text


def _typed_text(reply: Reply) -> tuple[str, str]:
    """Return the text to type in a reply, and the problem if there is none."""
    if problem := useless(reply):
        return "", problem
    filled = _TYPED.parse(reply.text)
    if filled is None:
        return "", "it named no text to type"
    line = filled.texts["Text"].strip().splitlines()[0]
    return (line[1:-1] if len(line) > 1 and line[0] == line[-1] and line[0] in "\"'`" else line), ""


def _prompt(template: str, element: Element, view: PageView, goal: Goal, session: Session, **values: Any) -> str:
    """Return a prompt about one element; what exceeds the window is cut off the page and recorded."""

    def fill(page: str) -> str:
        return templates().fill(template, page=page, goal=goal.render(session), element=element.description, **values)

    page = cut_page(view.prompt, lambda text: session.window.fits(fill(text)))
    if len(page) < len(view.prompt):
        session.fell_back(Fallback("act", "the page is too long for the window", f"its first {len(page)} characters"))
    return fill(page)
