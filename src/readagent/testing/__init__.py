"""Models and servers for your own tests. Nothing here needs a network, a key or weights.

- ``ScriptedModel`` replies from a list or with a function, and records what it was asked.
- ``Skimmer`` is a deterministic model that reads any text; ``Habits`` sets how.
- ``Recorder`` writes the replies of a model to a file, and ``Replay`` replies from it.
- ``LoopbackServer`` is an OpenAI-compatible server on 127.0.0.1; ``Faults`` makes it fail, ``Pace`` makes it slow.
- ``no_waiting`` lets waits for a busy server pass at once, on a ``FakeClock``.
- ``forbid_live_requests`` and ``live_requests`` keep tests off the network.
"""

from readagent.models.hosts import forbid_live_requests, live_requests
from readagent.testing.faults import FakeClock, Fault, Faults, no_waiting
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ReceivedRequest
from readagent.testing.loopback.responses import Pace
from readagent.testing.scripted import Recorder, Replay, ScriptedModel, Skimmer
from readagent.testing.skim import Habits, skim

__all__ = [
    "FakeClock",
    "Fault",
    "Faults",
    "Habits",
    "LoopbackServer",
    "Pace",
    "ReceivedRequest",
    "Recorder",
    "Replay",
    "ScriptedModel",
    "Skimmer",
    "forbid_live_requests",
    "live_requests",
    "no_waiting",
    "skim",
]
