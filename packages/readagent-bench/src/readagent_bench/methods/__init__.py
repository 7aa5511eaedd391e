"""The methods that are compared, one file each. A method is named as on the command line: ``bm25:3``."""

from __future__ import annotations

from readagent_bench.methods.registry import METHODS, Method, method, uses_gists

__all__ = ["METHODS", "Method", "method", "uses_gists"]
