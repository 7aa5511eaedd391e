"""The prompts of the benchmark itself: those of MemWalker, MindAct and the raters."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from readagent.core.prompts import Prompts


@cache
def templates() -> Prompts:
    """Return the templates, loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")
