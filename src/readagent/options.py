"""The keywords of ``ask``, written once for agents, shelves and conversations, so that type checkers know them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypedDict

from readagent.core.events import Listener
from readagent.core.plan import LookUp, Plan
from readagent.core.question import Turn
from readagent.errors import UsageError


class LookUpOptions(TypedDict, total=False):
    """How pages are looked up. What is None or not given is taken from the plan that the document was read with."""

    look_up: LookUp | None  # choose pages at once, one by one, only if gists do not answer, adaptively, or none
    max_pages: int | None  # maximum pages opened
    open_first: int | None  # of these, opened by a search before the model is asked; implies direct look-up
    quotes: bool | None  # ask for verbatim quotes
    check: bool | None  # ask the model once more which statements of the answer its quotes support
    hints: bool | None  # show the pages that a search finds
    retry: bool  # for a question about the whole text: ask again where the model returned nothing usable before
    listen: Listener  # called with every event


class AskOptions(LookUpOptions, total=False):
    """The keywords of ``ask`` for a document or a conversation."""

    up_to: int | str | None  # use the text only up to a page, a chapter's heading, a share ("40%") or a sentence in it
    history: Sequence[Turn]  # earlier questions and answers
    thread: str  # a name under which the library keeps the question together with others


class ShelfOptions(LookUpOptions, total=False):
    """The keywords of ``ask`` for a shelf."""

    compare: bool  # ask every chosen document for one line, and answer from these lines
    documents: int | None  # maximum documents opened: 4, or 20 to compare
    up_to: Mapping[str, int | str]  # use documents, by id, only up to a position, as for a single one
    history: Sequence[Turn]  # earlier questions and answers


_PLAN = ("look_up", "max_pages", "open_first", "quotes", "check", "hints")


def check_options(options: Mapping[str, Any], known: type, caller: str) -> None:
    """Raise TypeError for a keyword that is not in this TypedDict, as Python does for any other function."""
    names = known.__annotations__
    for name in options.keys() - names.keys():
        near = get_close_matches(name, names, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"{caller}() got an unexpected keyword argument {name!r}{hint}")


def turns(history: Sequence[Turn]) -> Sequence[Turn]:
    """Return the history; raise TypeError for anything but turns."""
    if not all(isinstance(turn, Turn) for turn in history):
        raise TypeError('history must be a list of Turn(question, answer), for example [Turn("Who?", "Irma.")]')
    return history


def plan_with(plan: Plan, options: Mapping[str, Any]) -> Plan:
    """Return the plan with those of the options that are set. Pages that are opened first need direct look-up."""
    check_open_first(options)
    if options.get("open_first"):
        plan = replace(plan, look_up="direct")
    return replace(plan, **{name: options[name] for name in _PLAN if options.get(name) is not None})


def check_open_first(options: Mapping[str, Any]) -> None:
    """Raise UsageError if pages are to be opened first, with a look-up that cannot do that."""
    look_up = options.get("look_up")
    if options.get("open_first") and look_up not in (None, "direct"):
        raise UsageError(
            f"pages can be opened first with direct look-up only, not with {look_up}",
            hint="set `look_up=direct`, or do not set it",
        )
