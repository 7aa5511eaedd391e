"""Models and servers for tests: scripted replies, a skimming model, recorded runs, and a loopback server with faults.

This package is public. None of it needs a network, a key or weights.
"""

from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.record import Recorder, Replay
from readagent.testing.scripted import ScriptedModel, Skimmer
from readagent.testing.skim import Habits

__all__ = ["Faults", "Habits", "LoopbackServer", "Recorder", "Replay", "ScriptedModel", "Skimmer"]
