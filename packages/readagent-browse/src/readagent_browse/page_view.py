"""PageView: what one prompt shows of a page, and the elements that a model can name from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readagent.core.model import Step
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.window import largest
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent_browse.dom import Element, Snapshot
from readagent_browse.material import page_head, templates
from readagent_browse.snippets import Snippet, cut

MIN_WINDOW = 1536  # tokens; a smaller window has no room for a page next to the instruction
TEMPLATE_TOKENS = 240  # what the longest template adds to a page and a goal, with a margin

_BEGINNING, _END = "\n<page>\n", "\n</page>"


def check_window(session: Session) -> None:
    """Raise UsageError if the window has no room for a page."""
    if session.window.tokens is not None and session.window.tokens < MIN_WINDOW:
        raise UsageError(
            f"a window of {session.window.tokens} tokens is too small for web pages",
            hint=f"the minimum is {MIN_WINDOW} tokens",
        )


def page_fits(page: str, goal: str, session: Session) -> bool:
    """Return whether the longest prompt with this page and this goal fits the window."""
    return session.window.prompt is None or session.window.fits(page + goal + "." * int(3.5 * TEMPLATE_TOKENS))


def cut_to_fit(text: str, fits: Callable[[str], bool]) -> str:
    """Return as much of the beginning of a text as fits.

    It ends at the end of a line, or of a word if the first line is too long.
    """
    if fits(text):
        return text
    end = largest(len(text), lambda count: fits(text[:count])) + 1
    kept = text
    while kept and not fits(kept):  # another end can be a token more
        kept = text[: max(text.rfind("\n", 0, end), 0) or max(text.rfind(" ", 0, end), 0)].rstrip()
        end = len(kept)
    return kept


def cut_page(prompt: str, fits: Callable[[str], bool]) -> str:
    """Return as much of the beginning of a prompt with a page as fits. The fence around the page stays closed."""
    if fits(prompt):
        return prompt
    kept = cut_to_fit(prompt.removesuffix(_END), lambda text: fits(text + _END))
    return kept + _END if _BEGINNING in kept else ""


def cut_and_record(text: str, fits: Callable[[str], bool], step: Step, what: str, session: Session) -> str:
    """Cut a text to what fits, and record a fallback if something was cut off."""
    kept = cut_to_fit(text, fits)
    if len(kept) < len(text):
        session.fell_back(Fallback(step, f"{what} is too long for the window", f"its first {count_words(kept)} words"))
    return kept


_TAG_WITH_ID = re.compile(r"<[a-zA-Z][^\s<>]* id=([^\s<>]+)")


@dataclass(frozen=True, slots=True)
class PageView:
    """A page, or parts of it, as the beginning of a prompt; ``words`` counts the words of the page only."""

    prompt: str
    elements: tuple[Element, ...]
    words: int


def plain_view(
    snapshot: Snapshot, snippets: Sequence[Snippet], goal: str, session: Session, *, of: int | None = None
) -> PageView:
    """Return these snippets in full, one after the other; what exceeds the window is cut off and recorded.

    ``of`` is the number of snippets of the whole page, if these are not all of them.
    """
    extent = f": {len(snippets)} of its {of} parts" if of is not None and of > len(snippets) else ""

    def fill(page: str) -> str:
        return templates().fill("page", head=page_head(snapshot.title, snapshot.url), page=page, extent=extent)

    text = cut_to_fit(
        "\n".join(snippet.html for snippet in snippets), lambda page: page_fits(fill(page), goal, session)
    )
    total = sum(snippet.words for snippet in snippets)
    if (words := count_words(text)) < total:
        session.fell_back(Fallback("act", "the page is too long for the window", f"its first {words} of {total} words"))
    shown = set(_TAG_WITH_ID.findall(text))
    elements = (element for snippet in snippets for element in snippet.elements if element.id in shown)
    return PageView(fill(text), tuple(elements), words)


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
