"""ReadAgent lets any language model read texts far longer than it can take in.

The public names are those below and those of ``readagent.errors``, ``readagent.events``, ``readagent.testing`` and the
modules of ``readagent.adapters``. Everything else may change from one version to the next.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readagent.agent import AsyncReadAgent
    from readagent.conversation import AsyncConversation
    from readagent.core.chat import Spoken
    from readagent.core.document import Document
    from readagent.core.memory import Gist, GistMemory, Page
    from readagent.core.model import Ask, Embedder, Hint, Hinter, Model, Reply, Vectors
    from readagent.core.overviews.points import (
        Entity,
        Extract,
        Note,
        Overview,
        Person,
        Point,
        Section,
        StudyQuestion,
        Summary,
        Term,
        TimelineEvent,
    )
    from readagent.core.overviews.shelf_summary import ShelfSummary
    from readagent.core.plan import PRESETS, Plan, preset
    from readagent.core.question import Answer, Question, Quote, Turn
    from readagent.core.shelf.shelf_answer import Card, Citation, ShelfAnswer
    from readagent.core.statement import Statement, Support
    from readagent.core.trace import Trace, Usage
    from readagent.errors import ReadAgentError
    from readagent.estimates import Estimate, Estimates, estimate
    from readagent.library import Library
    from readagent.loaders import Loaded, Skipped, load, load_all
    from readagent.models.ledger import Budget
    from readagent.progress_line import progress
    from readagent.shelf import AsyncShelf
    from readagent.stream import AsyncTextStream, TextStream
    from readagent.sync import Conversation, ReadAgent, Shelf

    __version__: str

__all__ = [
    "PRESETS",
    "Answer",
    "Ask",
    "AsyncConversation",
    "AsyncReadAgent",
    "AsyncShelf",
    "AsyncTextStream",
    "Budget",
    "Card",
    "Citation",
    "Conversation",
    "Document",
    "Embedder",
    "Entity",
    "Estimate",
    "Estimates",
    "Extract",
    "Gist",
    "GistMemory",
    "Hint",
    "Hinter",
    "Library",
    "Loaded",
    "Model",
    "Note",
    "Overview",
    "Page",
    "Person",
    "Plan",
    "Point",
    "Question",
    "Quote",
    "ReadAgent",
    "ReadAgentError",
    "Reply",
    "Section",
    "Shelf",
    "ShelfAnswer",
    "ShelfSummary",
    "Skipped",
    "Spoken",
    "Statement",
    "StudyQuestion",
    "Summary",
    "Support",
    "Term",
    "TextStream",
    "TimelineEvent",
    "Trace",
    "Turn",
    "Usage",
    "Vectors",
    "__version__",
    "estimate",
    "load",
    "load_all",
    "preset",
    "progress",
]

_MODULES = {
    "agent": ["AsyncReadAgent"],
    "conversation": ["AsyncConversation"],
    "core.document": ["Document"],
    "core.memory": ["Gist", "GistMemory", "Page"],
    "core.model": ["Ask", "Embedder", "Hint", "Hinter", "Model", "Reply", "Vectors"],
    "core.overviews.points": [
        "Entity",
        "Extract",
        "Note",
        "Overview",
        "Person",
        "Point",
        "Section",
        "StudyQuestion",
        "Summary",
        "Term",
        "TimelineEvent",
    ],
    "core.plan": ["PRESETS", "Plan", "preset"],
    "core.question": ["Answer", "Question", "Quote", "Turn"],
    "core.overviews.shelf_summary": ["ShelfSummary"],
    "core.shelf.shelf_answer": ["Card", "Citation", "ShelfAnswer"],
    "core.statement": ["Statement", "Support"],
    "core.trace": ["Trace", "Usage"],
    "core.chat": ["Spoken"],
    "errors": ["ReadAgentError"],
    "estimates": ["Estimate", "Estimates", "estimate"],
    "library": ["Library"],
    "loaders": ["Loaded", "Skipped", "load", "load_all"],
    "models.ledger": ["Budget"],
    "progress_line": ["progress"],
    "shelf": ["AsyncShelf"],
    "stream": ["AsyncTextStream", "TextStream"],
    "sync": ["Conversation", "ReadAgent", "Shelf"],
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("readagent")
    for module, names in _MODULES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"readagent.{module}"), name)
            return value
    raise AttributeError(f"module 'readagent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
