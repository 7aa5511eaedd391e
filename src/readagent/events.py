"""The events that a listener is called with while a text is read or a question answered.

Pass a function as ``listen`` to ``read``, ``ask`` and the like; it runs on the agent's thread and should be quick.
"""

from readagent.core.events import Event, Gisted, Improving, Listener, Opened, Paged, Said, Shrinking, Started
from readagent.core.trace import Call, Fallback

__all__ = [
    "Call",
    "Event",
    "Fallback",
    "Gisted",
    "Improving",
    "Listener",
    "Opened",
    "Paged",
    "Said",
    "Shrinking",
    "Started",
]
