"""Benchmark runs over HTTP."""

from __future__ import annotations

from readagent.web.operations import Operation

OPERATIONS: tuple[Operation, ...] = ()
