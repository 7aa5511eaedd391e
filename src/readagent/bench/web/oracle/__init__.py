"""A public fake for web tasks: it knows how each MiniWoB task is solved, and sees nothing but the prompts."""

from __future__ import annotations

from readagent.bench.web.oracle.model import Oracle

__all__ = ["Oracle"]
