"""The keywords of ``ask``, written once for agents, shelves and conversations; and what an agent is made with."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from typing import Any, TypedDict
from warnings import warn

from readagent.core.plan import LookUp, Plan, preset
from readagent.core.question import Turn
from readagent.core.trace import Listener
from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.postgres_url import url_or_path
from readagent.models.ledger import Budget


class LookUpOptions(TypedDict, total=False):
    """How pages are looked up. What is None or not given is taken from the plan that the document was read with."""

    look_up: LookUp | None  # "direct": answer or ask for pages; "parallel", "sequential": as in the paper; "none"
    max_pages: int | None  # maximum pages opened
    quotes: bool | None  # ask for verbatim quotes
    check: bool | None  # ask the model once more which statements of the answer its quotes support
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


_PLAN = ("look_up", "max_pages", "quotes", "check")


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
    """Return the plan with those of the options that are set."""
    return replace(plan, **{name: options[name] for name in _PLAN if options.get(name) is not None})


def warn_caller(message: str) -> None:
    """Warn with the line outside of this package that made the agent."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("readagent."):
        frame, level = frame.f_back, level + 1
    warn(message, stacklevel=level)


def checked_model(model: object) -> None:
    """Raise UsageError for what is neither a name nor a model."""
    if isinstance(model, str) and not model.strip():
        raise UsageError("the name of the model is empty", hint="leave it out to use the one that is set up")
    if isinstance(model, str | None):
        return
    name, complete = getattr(model, "name", None), getattr(model, "complete", None)
    if isinstance(model, type) or not isinstance(name, str) or not callable(complete):
        kind = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise UsageError(
            f"model must be a name, a URL, a path, or an object with name and complete, not {kind}",
            hint='for example "ollama/qwen3:8b"',
        )


def checked_budget(budget: object) -> Budget:
    """Return the budget, by default one without limits."""
    if budget is None:
        return Budget()
    if not isinstance(budget, Budget):
        hint = "for example Budget(tokens=100_000) or Budget(cost=0.50)"
        raise UsageError(f"budget must be a Budget, not {type(budget).__name__}", hint=hint)
    return budget


def opened_library(library: object) -> Library:
    """Return the library, or that at a path; by default one in memory."""
    if library is None:
        return Library.in_memory()
    if isinstance(library, str | PathLike) and str(library):
        return Library(url_or_path(library))
    if not isinstance(library, Library):
        hint = 'for example "my-library" or "postgresql://user@host/name"'
        raise UsageError(f"library must be a Library or the path of one, not {type(library).__name__}", hint=hint)
    return library


def named_plan(plan: object) -> Plan:
    """Return the plan, or the preset of this name."""
    if isinstance(plan, Plan):
        return plan
    if not isinstance(plan, str):
        hint = 'for example "books" or Plan(page_words=400)'
        raise UsageError(f"plan must be a Plan or the name of a preset, not {type(plan).__name__}", hint=hint)
    return preset(plan)
