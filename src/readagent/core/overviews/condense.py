"""Condense entries until they fit: a model takes notes on one window after another, then notes on these notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from readagent.core.asking.absence import says_absent
from readagent.core.failure_text import failure_in, is_refusal
from readagent.core.model import Ask, Material, Reply
from readagent.core.overviews.cited import points_in
from readagent.core.overviews.entries import Entry, by_document, pages_of, shown, windows, words_of
from readagent.core.overviews.prompting import prompt, reply_words
from readagent.core.overviews.working import for_each
from readagent.core.patterns import lazy_pattern
from readagent.core.replies import strip_thinking
from readagent.core.session import Session, useless
from readagent.core.task_talk import task_talk
from readagent.core.terms import all_terms, shared, terms
from readagent.core.trace import Fallback
from readagent.core.words import lead

Fits = Callable[[Sequence[Entry]], bool]
_NONE = lazy_pattern(r"\W*none\W*", re.I)
_SHARE = 0.3  # of the words of a window that notes on it may have
_LEVELS = 12  # a bound: each level has at most half of the words of the one below


async def condense(entries: Sequence[Entry], session: Session, fits: Fits, about: str = "") -> list[Entry]:
    """Return the entries, or notes on them that fit together. With ``about`` only what bears on that is kept."""
    return fitting(await take_notes(entries, session, fits, about), session, fits)


async def take_notes(entries: Sequence[Entry], session: Session, fits: Fits, about: str = "") -> list[Entry]:
    """Return the entries, or notes on them, and notes on these, until they fit; in rare cases they never do."""
    entries = list(entries)
    for _ in range(_LEVELS):
        if len(entries) < 2 or fits(entries):
            break
        groups = [
            group
            for run in by_document(entries)
            for group in windows(run, lambda some: session.window.fits(_prompt(some, session, about)))
        ]
        notes = await for_each(groups, lambda group: _notes(group, session, about), session, "taking notes")
        shorter = [note for some in notes for note in some]
        if words_of(shorter) >= 0.9 * words_of(entries):
            shorter = [Entry(one.pages, lead(one.text, max(5, words_of([one]) // 2)), one.title) for one in entries]
        entries = shorter
    return entries


def fitting(entries: Sequence[Entry], session: Session, fits: Fits) -> list[Entry]:
    """Return the entries, or the first of them that fit together; then a fallback is recorded."""
    if fits(entries):
        return list(entries)
    kept = next(iter(windows(entries, fits)), [])
    session.fell_back(Fallback("note", "the notes do not fit the window", f"{len(kept)} of {len(entries)} notes"))
    return kept


def _prompt(entries: Sequence[Entry], session: Session, about: str) -> str:
    words = min(reply_words(session.window), max(25, int(_SHARE * words_of(entries))))
    return prompt("note", memory=shown(entries), words=words, about=about)


async def _notes(entries: Sequence[Entry], session: Session, about: str) -> list[Entry]:
    """Return notes on some entries; after two useless replies, the beginning of each entry."""
    pages, words = pages_of(entries), min(reply_words(session.window), max(25, int(_SHARE * words_of(entries))))
    title = next((entry.title for entry in entries if entry.title), "")

    def judge(reply: Reply) -> tuple[list[Entry], str]:
        if problem := useless(reply):
            return [], problem
        text = strip_thinking(reply.text).strip()
        if about and (_NONE.fullmatch(text) or ("\n" not in text and says_absent(text))):
            return [], ""
        return _read(text, pages, "\n".join(entry.text for entry in entries))

    material = Material(passages=tuple(entry.text for entry in entries), words=words, opened=pages)
    notes, problem = await session.judged(Ask("note", _prompt(entries, session, about), material=material), judge)
    if problem:
        session.fell_back(Fallback.on(pages, "note", problem, "the beginning of each page's gist"))
        each = max(8, words // len(entries))
        return [Entry(entry.pages, lead(entry.text, each), entry.title) for entry in entries]
    return [Entry(notes[0].pages, notes[0].text, title), *notes[1:]] if notes else []


def _read(reply: str, pages: tuple[int, ...], source: str) -> tuple[list[Entry], str]:
    """Return the notes of a reply, or why it has none. ``source`` is what they are on: what it says is no refusal."""
    found = points_in(reply, pages)
    points = [one for one in found if not is_refusal(one.text) or _folded(one.text) in _folded(source)]
    if not points or not any(one.pages for one in points):
        failing = failure_in(reply) or task_talk(reply, source)
        if failing or not points or _NONE.fullmatch(reply):
            return [], failing or "it had no content"
        if len(pages) > 1:
            return [], "it names no pages"
        if not shared(terms(reply), all_terms(source)):
            return [], "it shares no words with the page"
    return [Entry(one.pages or pages, one.text) for one in points], ""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" \"'“”„«».…")
