"""The working folder and the console of the tests of the command line."""

from __future__ import annotations

from cli.conftest import console, desk, server

__all__ = ["console", "desk", "server"]
