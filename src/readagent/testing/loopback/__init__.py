"""A scripted OpenAI-compatible server on 127.0.0.1, with faults on demand, for tests, demos and benchmarks.

As a program, ``python -m readagent.testing.loopback --port 0``, it prints its base URL and serves until it is killed.
"""

from readagent.testing.loopback.server import LoopbackServer

__all__ = ["LoopbackServer"]
