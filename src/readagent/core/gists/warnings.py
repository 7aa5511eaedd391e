"""Say when a memory is of little use: too long, in tiny pages, without gists, or with no page that fits."""

from __future__ import annotations

from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.core.window import Window

_LONG = 200  # words; a shorter text need not become shorter
_HARDLY_SHORTER = 0.8  # share of the words that the gists keep
_TINY = 60  # average words of pages, where the plan allows ten times as many
_TINY_TOKENS = 100  # their average tokens; a page of a few long words can have many


def warnings(memory: GistMemory, wanted: Plan, window: Window) -> tuple[str, ...]:
    """Return what is wrong with a finished memory, for people, and what to change; empty if nothing is wrong."""
    whole, found = memory.finer or memory, list[str]()
    average = whole.full_words // max(1, len(whole.pages))
    if average < _TINY and wanted.page_words >= 10 * _TINY and _are_tiny(whole, window):
        found.append(f"{_too_small(window)}: the {len(whole.pages):,} pages have {average} words on average")
    elif whole.full_words > _LONG and _is_hardly_shorter(memory, whole):
        found.append(
            f"the gists have {memory.words():,} words, and the text has {whole.full_words:,}; "
            "use another model, or limit the gists with --memory-words"
        )
    elif len(whole.pages) > 1 and not _can_open_any(whole, window):
        found.append(f"{_too_small(window)}: no page fits next to the gists")
    if 2 * len(whole.leads) > len(whole.pages):
        pages = f"{len(whole.leads):,} of {len(whole.pages):,} pages"
        found.append(f"{pages} have no gist but their opening sentences; use another model")
    return tuple(found)


def _are_tiny(whole: GistMemory, window: Window) -> bool:
    return len(whole.pages) > 1 and window.count(whole.document.text) < _TINY_TOKENS * len(whole.pages)


def _is_hardly_shorter(memory: GistMemory, whole: GistMemory) -> bool:
    """Return whether the gists keep most of the words and of the characters."""
    characters = sum(len(gist.text) for gist in memory.gists)
    keeps = characters > _HARDLY_SHORTER * len(whole.document.text)
    return keeps and memory.words() > _HARDLY_SHORTER * whole.full_words


def _too_small(window: Window) -> str:
    known = f"the window of {window.tokens:,} tokens" if window.tokens else "the window"
    return f"{known} is too small; use a model with a larger one, or give the real size with --window"


def _can_open_any(whole: GistMemory, window: Window) -> bool:
    """Return whether the shortest page fits next to gists, which get at least half of the window."""
    shortest = min(whole.pages, key=lambda page: page.end - page.start)
    return window.prompt is None or window.count(whole.page_text(shortest.number)) <= window.free // 2
