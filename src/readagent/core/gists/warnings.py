"""Say when a memory is of little use: too long, in tiny pages, without gists, or with no page that fits."""

from __future__ import annotations

from readagent.core.gists.measure import length_in_words
from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.core.window import Window

_LONG = 200  # words; a shorter text need not become shorter
_HARDLY_SHORTER = 0.8  # share of the words that the gists keep
_OTHER_MODEL = "use another model"
_SIGNS = ("cut off by the token limit", "too long")  # of a reason that is about room
_TINY = 45  # average words of pages, where the plan allows ten times as many
_TINY_TOKENS = 100  # their average tokens; a page of a few long words can have many


def warnings(memory: GistMemory, wanted: Plan, window: Window) -> tuple[str, ...]:
    """Return what is wrong with a finished memory, for people, and what to change; empty if nothing is wrong."""
    whole, found = memory.whole, list[str]()
    limited = memory if memory.plan.memory_words else whole  # a memory that must be short may be merged for that
    average = whole.full_words // max(1, len(whole.pages))
    if average < _TINY and wanted.page_words >= 10 * _TINY and _are_tiny(whole, window):
        found.append(f"{_too_small(window)}: the {len(whole.pages):,} pages have {average} words on average")
    elif length_in_words(whole.document.text) > _LONG and _is_hardly_shorter(limited):
        found.append(
            f"the gists have {limited.words():,} words, and the text has {whole.full_words:,}; "
            "use another model, or limit the gists with `memory_words`"
        )
    elif len(whole.pages) > 1 and not _can_open_any(whole, window):
        found.append(f"{_too_small(window)}: no page fits next to the gists")
    shown = whole if len(memory.leads) * len(whole.pages) <= len(whole.leads) * len(memory.pages) else memory
    if 3 * len(shown.leads) >= len(shown.pages):
        found.append(_without_gists(shown, merged=shown is not whole, short_of_room=_short_of_room(memory, whole)))
    return tuple(found)


def _without_gists(memory: GistMemory, *, merged: bool, short_of_room: bool) -> str:
    parts = f"{len(memory.leads):,} of {len(memory.pages):,} {'merged ' if merged else ''}pages"
    advice = "use a model with a larger window, or give the real size with `window`" if short_of_room else _OTHER_MODEL
    return f"{parts} have no gist but their opening sentences; {advice}"


def _short_of_room(*memories: GistMemory) -> bool:
    """Return whether most pages have no gist because the reply was cut off, or the page was too long."""
    reasons = [one.reason for memory in memories for one in memory.trace.fallbacks if one.step == "gist"]
    return 2 * sum(any(sign in reason for sign in _SIGNS) for reason in reasons) > len(reasons)


def _are_tiny(whole: GistMemory, window: Window) -> bool:
    return len(whole.pages) > 1 and window.count(whole.document.text) < _TINY_TOKENS * len(whole.pages)


def _is_hardly_shorter(memory: GistMemory) -> bool:
    """Return whether the gists keep most of the words and of the characters."""
    characters = sum(len(gist.text) for gist in memory.gists)
    keeps = characters > _HARDLY_SHORTER * len(memory.document.text)
    return keeps and memory.words() > _HARDLY_SHORTER * memory.full_words


def _too_small(window: Window) -> str:
    known = f"the window of {window.tokens:,} tokens" if window.tokens else "the window"
    return f"{known} is too small; use a model with a larger one, or give the real size with `window`"


def _can_open_any(whole: GistMemory, window: Window) -> bool:
    """Return whether the shortest page fits next to gists, which get at least half of the window."""
    shortest = min(whole.pages, key=lambda page: page.end - page.start)
    return window.prompt is None or window.count(whole.page_text(shortest.number)) <= window.free // 2
