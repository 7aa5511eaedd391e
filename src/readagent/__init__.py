"""ReadAgent: lets any language model read texts far longer than it can take in."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readagent.agent import AsyncReadAgent
    from readagent.conversation import AsyncConversation
    from readagent.core.document import Document
    from readagent.core.memory import Gist, GistMemory, Page
    from readagent.core.model import Ask, Model, Reply
    from readagent.core.plan import PRESETS, Plan, preset
    from readagent.core.question import Answer, Question
    from readagent.core.shelf.records import Card, ShelfAnswer
    from readagent.core.trace import Trace, Usage
    from readagent.errors import ReadAgentError
    from readagent.library import Library
    from readagent.loaders import Loaded, Skipped, load, load_all
    from readagent.shelf import AsyncShelf
    from readagent.sync import Conversation, ReadAgent, Shelf

__all__ = [
    "PRESETS",
    "Answer",
    "Ask",
    "AsyncConversation",
    "AsyncReadAgent",
    "AsyncShelf",
    "Card",
    "Conversation",
    "Document",
    "Gist",
    "GistMemory",
    "Library",
    "Loaded",
    "Model",
    "Page",
    "Plan",
    "Question",
    "ReadAgent",
    "ReadAgentError",
    "Reply",
    "Shelf",
    "ShelfAnswer",
    "Skipped",
    "Trace",
    "Usage",
    "load",
    "load_all",
    "preset",
]

_ROOMS = {
    "agent": ["AsyncReadAgent"],
    "conversation": ["AsyncConversation"],
    "core.document": ["Document"],
    "core.memory": ["Gist", "GistMemory", "Page"],
    "core.model": ["Ask", "Model", "Reply"],
    "core.plan": ["PRESETS", "Plan", "preset"],
    "core.question": ["Answer", "Question"],
    "core.shelf.records": ["Card", "ShelfAnswer"],
    "core.trace": ["Trace", "Usage"],
    "errors": ["ReadAgentError"],
    "library": ["Library"],
    "loaders": ["Loaded", "Skipped", "load", "load_all"],
    "shelf": ["AsyncShelf"],
    "sync": ["Conversation", "ReadAgent", "Shelf"],
}


def __getattr__(name: str) -> object:
    """Public names are fetched from their rooms when first used, so that importing the package costs nothing."""
    for room, names in _ROOMS.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"readagent.{room}"), name)
            return value
    raise AttributeError(f"module 'readagent' has no attribute {name!r}")
