"""The prompts of the benchmark itself: those of methods such as MemWalker and MindAct, and those of the raters."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from readagent.core.prompts import Prompts


@cache
def templates() -> Prompts:
    """Return the templates of methods, loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")


@cache
def rater_templates() -> Prompts:
    """Return the templates of the raters, loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts" / "raters")
