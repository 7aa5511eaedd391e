"""Decide the next action in one call, from what is shown of a page."""

from __future__ import annotations

from readagent.core.model import Ask
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.errors import NoAnswerError
from readagent_browse.command import Scope, forms, parse_command
from readagent_browse.dom import Element, best_match, best_name
from readagent_browse.goal import Action, Goal
from readagent_browse.material import templates
from readagent_browse.page_view import PageView, cut_page


async def decide_action(view: PageView, goal: Goal, session: Session, *, may_stop: bool = False) -> Action | None:
    """Return the next action on a recorded page: a click, typing, or selecting an option.

    None if the model says that nothing is left to do, which ``may_stop`` allows. After two unusable replies it is an
    action on the element whose name shares most words with the instruction, or None if it may stop.
    """
    if not view.elements and not may_stop:
        raise NoAnswerError("the part of the page that is shown has nothing to act on")
    action, problem = await decide_command(view, goal, session, Scope(may_stop=may_stop))
    if problem and not may_stop:
        action = _on_best_match(view, goal)
    if problem:
        session.fell_back(Fallback("act", problem, "nothing is done" if action is None else action.describe()))
    return None if action is None or action.operation == "done" else action


async def decide_command(
    view: PageView, goal: Goal, session: Session, scope: Scope, picture: bytes = b""
) -> tuple[Action | None, str]:
    """Return the action that the model names, and the problem if it named none in two replies.

    What exceeds the window is cut off the page and recorded. The model is also shown the picture.
    """
    shown = goal.render(session)

    def prompt(page: str) -> str:
        return command_prompt(page, shown, view.elements, scope, picture)

    page = cut_page(view.prompt, lambda text: session.window.fits(prompt(text)))
    if len(page) < len(view.prompt):
        session.fell_back(Fallback("act", "the page is too long for the window", f"its first {len(page)} characters"))
    ask, wanted = Ask("act", prompt(page), picture=picture), templates().fill("wanted_command")
    return await session.judged(ask, lambda reply: parse_command(reply, view.elements, scope), wanted)


def command_prompt(page: str, goal: str, elements: tuple[Element, ...], scope: Scope, picture: bytes = b"") -> str:
    """Return the prompt for the next action."""
    listed = forms(elements, scope)
    return templates().fill(
        "command", page=page, goal=goal, forms=listed, picture=bool(picture), may_stop=scope.may_stop
    )


def _on_best_match(view: PageView, goal: Goal) -> Action:
    element = best_match(view.elements, goal)
    operation = element.operations[0]
    value = (best_name(element.options, goal) or element.options[0]) if operation == "select" else ""
    return Action(element.id, operation, value)
