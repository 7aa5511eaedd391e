"""The prompts of web navigation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from readagent.core.prompts import Prompts


@cache
def templates() -> Prompts:
    """Loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")
