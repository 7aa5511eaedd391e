"""An OpenAI-compatible server on 127.0.0.1 for tests, demos and benchmarks, with faults on demand.

Run as a program, ``python -m readagent.testing.loopback --port 0`` prints its base URL and serves until it is killed.
"""

from readagent.testing.loopback.responses import Call
from readagent.testing.loopback.server import LoopbackServer

__all__ = ["Call", "LoopbackServer"]
