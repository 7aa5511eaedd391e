"""The events that a listener is called with while a text is read or a question answered.

Pass a function as ``listen`` to ``read``, ``ask`` and the like; it runs on the agent's thread and should be quick.
"""

from readagent.core.trace import (
    AnswerText,
    Call,
    CallFailed,
    Elsewhere,
    Event,
    Fallback,
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

__all__ = [
    "AnswerText",
    "Call",
    "CallFailed",
    "Elsewhere",
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
