"""How long snippets and gists may be so that the memory of a page fits the window."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.session import Session
from readagent.webnav.dom import Snapshot
from readagent.webnav.fitting import TEMPLATE_TOKENS, check_window
from readagent.webnav.snippets import Snippet, cut
from readagent.webnav.templates import page_head, templates

MIN_GIST_WORDS = 8
MAX_GIST_WORDS = 60
_TOKENS_PER_WORD = 2  # of a gist, including the rest of its record
_RECORD_TOKENS = 64  # a gist of twenty words in its record, with a few ids
_AVERAGE_FILL = 0.5  # average words of a snippet, as a share of the most it may have


def cut_to_window(snapshot: Snapshot, session: Session) -> tuple[Snippet, ...]:
    """Return the snippets of a page, as long as the plan says, or longer if so many gists would not fit the window."""
    words = session.plan.page_words
    snippets = cut(snapshot, words)
    room = _page_room(page_head(snapshot.title, snapshot.url), session)
    if room is None:
        return snippets
    tokens = sum(session.window.count(snippet.html) for snippet in snippets)
    word_tokens = tokens / max(1, sum(snippet.words for snippet in snippets))
    longest = max(1, int(room / 2 / word_tokens))
    words = min(words, longest)
    while (
        words < longest and tokens / (_AVERAGE_FILL * words * word_tokens) * _RECORD_TOKENS > room - words * word_tokens
    ):
        words = min(longest, words * 5 // 4 + 1)
    return snippets if words == session.plan.page_words else cut(snapshot, words)


def memory_room(head: str, snippets: Sequence[Snippet], session: Session) -> int | None:
    """Return the tokens that the records may take so that the longest snippet can be opened among them."""
    if (room := _page_room(head, session)) is None:
        return None
    longest = max((session.window.count(snippet.html) for snippet in snippets), default=0)
    return room - min(longest, room // 2)


def gist_words(head: str, snippets: Sequence[Snippet], session: Session) -> int:
    """Return the most words that a gist may have so that all of them fit."""
    room = memory_room(head, snippets, session)
    if room is None:
        return MAX_GIST_WORDS
    words = int(room / max(1, len(snippets)) / _TOKENS_PER_WORD) - MIN_GIST_WORDS
    return max(MIN_GIST_WORDS, min(MAX_GIST_WORDS, words))


def _page_room(head: str, session: Session) -> int | None:
    """Return the tokens that a page may take in a prompt, next to the template and the goal; None for no limit."""
    if session.window.prompt is None:
        return None
    check_window(session)
    template = session.window.count(templates().fill("memory", head=head, page=""))
    return session.window.prompt - session.window.question - template - TEMPLATE_TOKENS
