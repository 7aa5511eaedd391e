"""What an agent is made with: a mistake is a UsageError in the constructor, not an error later on."""

from __future__ import annotations

import sys
from os import PathLike
from warnings import warn

from readagent.core.plan import Plan, preset
from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.postgres_url import url_or_path
from readagent.models.purse import Budget


def warn_caller(message: str) -> None:
    """Warn with the line outside of this package that made the agent."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("readagent."):
        frame, level = frame.f_back, level + 1
    warn(message, stacklevel=level)


def checked_model(model: object) -> None:
    """Raise UsageError for what is neither a name nor a model."""
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
