"""The prompts of web navigation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from readagent.core.prompts import Prompts


@cache
def templates() -> Prompts:
    """Return the templates; they are loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")


def title_phrase(title: str) -> str:
    """Return the title of a page as prompts mention it; empty if there is none."""
    return f', titled "{" ".join(title.split()[:20])[:160]}"' if title else ""
