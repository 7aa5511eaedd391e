"""Say when a reading is of little use: hardly shorter than its text, in tiny pages, or with none that can be opened."""

from __future__ import annotations

from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.core.window import Window

_LONG = 1000  # words; a shorter text need not become shorter
_HARDLY_SHORTER = 0.8  # share of the words that the gists keep
_TINY = 60  # average words of pages, where the plan allows ten times as many


def warnings(memory: GistMemory, wanted: Plan, window: Window) -> tuple[str, ...]:
    """Return what is wrong with a finished memory, for people, with what to change; nothing if it is as it should be."""
    whole, found = memory.finer or memory, list[str]()
    average = whole.full_words // max(1, len(whole.pages))
    tiny = average < _TINY and len(whole.pages) > 1 and wanted.page_words >= 10 * _TINY
    cause = f"the window of {window.tokens:,} tokens is too small" if window.tokens else "the model hardly shortens"
    change = "use a model with a larger window, or give the real one with --window" if window.tokens else (
        "use another model, or limit the gists with --memory-words"
    )  # fmt: skip
    if tiny:
        found.append(f"{cause}: the {len(whole.pages):,} pages have only {average} words each; {change}")
    if whole.full_words > _LONG and memory.words() > _HARDLY_SHORTER * whole.full_words and not tiny:
        share = f"{1 - memory.words() / whole.full_words:.0%}".replace("-0%", "0%")
        found.append(
            f"the gists are only {share} shorter than the text; use another model, or pages of more words (--page-words)"
        )
    if not tiny and len(whole.pages) > 1 and not _can_open_any(whole, window):
        found.append(f"no page fits the window of {window.tokens:,} tokens next to the gists; {change}")
    return tuple(found)


def _can_open_any(whole: GistMemory, window: Window) -> bool:
    """Return whether the shortest page fits next to gists, which get at least half of the window."""
    shortest = min(whole.pages, key=lambda page: page.end - page.start)
    return window.prompt is None or window.count(whole.page_text(shortest.number)) <= window.free // 2
