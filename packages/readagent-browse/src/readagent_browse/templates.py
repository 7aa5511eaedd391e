"""The prompts of web navigation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from readagent.core.prompts import Prompts
from readagent_browse.ids import harmless

_MAX_URL = 200  # characters of an address that prompts show


@cache
def templates() -> Prompts:
    """Return the templates; they are loaded once."""
    return Prompts.whole(Path(__file__).parent / "prompts")


def page_head(title: str, url: str = "") -> str:
    """Return the lines with the title and the address of a page, which stand above its content within the fence."""
    title = harmless(" ".join(title.split()[:20])[:160])
    url = harmless(url if len(url) <= _MAX_URL else f"{url[: _MAX_URL - 1]}…")
    return "".join(f"<{name}>{text}</{name}>\n" for name, text in (("title", title), ("url", url)) if text)
