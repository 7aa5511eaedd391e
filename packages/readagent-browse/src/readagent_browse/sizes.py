"""How long snippets and gists may be so that the memory of a page fits the window."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.session import Session
from readagent_browse.dom import Snapshot
from readagent_browse.fitting import TEMPLATE_TOKENS, check_window
from readagent_browse.snippets import Snippet, cut
from readagent_browse.templates import page_head, templates

MIN_GIST_WORDS = 8
MAX_GIST_WORDS = 60
_TOKENS_PER_WORD = 2  # of a gist, including the rest of its record
MOST_GISTS = 80  # calls for the gists of one page
_RECORD_TOKENS = 64  # a gist of twenty words in its record, with a few ids
_AVERAGE_FILL = 0.5  # average words of a snippet, as a share of the most it may have


def cut_to_window(snapshot: Snapshot, session: Session) -> tuple[Snippet, ...]:
    """Return the snippets of a page, as long as the plan says, or longer if their gists would be too many.

    Gists must fit the window and be at most ``MOST_GISTS``. If longer snippets do not help, they stay as the plan says.
    """
    snippets = cut(snapshot, session.plan.page_words)
    room = _page_room(page_head(snapshot.title, snapshot.url), session)
    full_words = max(1, sum(snippet.words for snippet in snippets))
    word_tokens = sum(session.window.count(snippet.html) for snippet in snippets) / full_words
    longest = max(full_words, session.plan.page_words)
    if room is not None:
        longest = max(1, int(room / 2 / max(0.1, word_tokens)))
    if longest < session.plan.page_words:
        snippets = cut(snapshot, longest)

    def fits(words: int, count: float) -> bool:
        return count <= MOST_GISTS and (room is None or count * _RECORD_TOKENS <= room - words * word_tokens)

    words, longer = min(session.plan.page_words, longest), snippets
    while words < longest and not fits(words, len(longer)):
        words = min(longest, words * 5 // 4 + 1)
        if fits(words, full_words / (_AVERAGE_FILL * words)):  # cutting a long page takes a while
            longer = cut(snapshot, words)
    return longer if fits(words, len(longer)) else snippets


def memory_room(head: str, snippets: Sequence[Snippet], session: Session) -> int | None:
    """Return the tokens that the records may take so that the longest snippet can be opened among them."""
    if (room := _page_room(head, session)) is None:
        return None
    longest = max((session.window.count(snippet.html) for snippet in snippets), default=0)
    return room - min(longest, room // 2)


def view_room(head: str, session: Session) -> int | None:
    """Return the tokens that a view of a very long page may take: half of the room, the rest is for opened snippets."""
    room = _page_room(head, session)
    return None if room is None else room // 2


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
    template = max(session.window.count(templates().fill(name, head=head, page="")) for name in ("memory", "sections"))
    return session.window.prompt - session.window.question - template - TEMPLATE_TOKENS
