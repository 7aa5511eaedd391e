"""The events that a listener is called with while a text is read or a question answered.

Pass a function as ``listen`` to ``read``, ``ask`` and the like; it runs on the agent's thread and should be quick.
"""

from readagent.core.events import (
    AnswerText,
    CallFailed,
    Event,
    GistDone,
    Improving,
    Listener,
    Merging,
    Opened,
    PageFound,
    Started,
    Waiting,
    Working,
)
from readagent.core.trace import Call, Fallback

__all__ = [
    "AnswerText",
    "Call",
    "CallFailed",
    "Event",
    "Fallback",
    "GistDone",
    "Improving",
    "Listener",
    "Merging",
    "Opened",
    "PageFound",
    "Started",
    "Waiting",
    "Working",
]
