"""How a window is divided: recent turns, memory, and what is left for pages that are opened.

The sizes of pages and gists depend on the window alone, so that the same text gives the same pages in every request.
"""

from __future__ import annotations

from dataclasses import dataclass

_PAGE = 10  # parts of the window; a page has one of them
_SMALLEST_PAGE, _LARGEST_PAGE = 120, 1600  # tokens
_GIST = 6  # parts of a page
_SMALLEST_GIST = 32
_ENTRY = 2  # parts of a gist; the entry of several pages has one of them
TAG = 12  # tokens of the tag above a gist
_RECENT = 0.45  # of what system prompt, tools and reply leave free
_FOUND = 0.15  # of the same, for what is found for the last message: little, since no later prompt begins with it
_NEWEST = 1.2  # of the room for recent turns; what was said just now may have so much
_AFTER = 0.4  # of the room for recent turns: what they have at most when older ones have been put away
_STEPS = 4  # in which the memory makes room for growing recent turns
_STEP = 256  # tokens; a little more or less in the request does not change how it is divided
_SMALLEST_ROOM = 320  # tokens that a conversation needs at least
_TOKENS_PER_WORD = 1.4
DOUBT = 1.25  # times the estimate: what a text has at most, in a language that tokenizers are not made for
_MOST_IN_DOUBT = 4096  # tokens
_SHORT_REPLY = 16  # parts of the window


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in tokens: of a page, of its gist, and of the recent turns together."""

    page: int
    gist: int
    recent: int

    @property
    def newest(self) -> int:
        """What the newest turns may have, if they are too long for the room but would all have to be put away."""
        return int(_NEWEST * self.recent)

    @property
    def after(self) -> int:
        """What recent turns have at most when older ones have been put away: a large step, so that it is a rare one."""
        return int(_AFTER * self.recent)

    @property
    def long(self) -> int:
        """A message with more tokens than this is put away in pages as soon as it is there."""
        return 2 * self.page

    @property
    def end(self) -> int:
        """What is kept of a long message where it stands: so much of its start, and of its end."""
        return max(40, self.page // 4)

    @property
    def entry(self) -> int:
        """What the entry of several pages may have."""
        return self.gist // _ENTRY

    @property
    def gist_words(self) -> int:
        """The words that a gist may have."""
        return max(12, int(self.gist / _TOKENS_PER_WORD))

    @property
    def entry_words(self) -> int:
        """The words that the entry of several pages may have."""
        return max(8, int(self.entry / _TOKENS_PER_WORD))

    def memory(self, room: int, recent: int, *, grows: bool) -> int:
        """Return the room for the memory, of what it shares with the recent turns and with what is found.

        It stays the same while the recent turns grow to be put away again, so that prompts begin in the same way. If
        they were never put away, it changes in few steps.
        """
        step = self.recent if grows else max(1, self.recent // _STEPS)
        return room - max(recent, min(self.recent, -(-recent // step) * step)) - self.found(room)

    def found(self, room: int) -> int:
        """Return the room for what is found for the last message: at least a page, and a little more."""
        return max(int(_FOUND * room), self.page * 5 // 4)


def careful_room(window: int, longest_reply: int | None) -> int:
    """Return the estimated tokens of a prompt that fits although it has a quarter more than estimated.

    Where the request does not say how long the reply may be, a short one is enough. In large windows less is left free:
    their servers refuse what is too long, and a request that fits is better passed on as it is.
    """
    room = window - least_reply_room(window, longest_reply)
    return max(int(room / DOUBT), room - _MOST_IN_DOUBT)


def least_reply_room(window: int, longest_reply: int | None) -> int:
    """Return the tokens that a reply needs at least: all that the request allows, or a few if it does not say."""
    return window // _SHORT_REPLY if longest_reply is None else longest_reply


def reply_room(window: int, longest_reply: int | None) -> int:
    """Return the tokens that are kept free for the reply: all that the request allows, since servers count them."""
    return min(1024, window // 4) if longest_reply is None else longest_reply


def sizes_for(window: int, fixed: int) -> Sizes | None:
    """Return the sizes for a window of which ``fixed`` tokens are taken; None if too little is left."""
    page = min(_LARGEST_PAGE, max(_SMALLEST_PAGE, window // _PAGE))
    gist = max(_SMALLEST_GIST, page // _GIST)
    free = window - fixed
    if free < _SMALLEST_ROOM:
        return None
    free = max(_SMALLEST_ROOM, free // _STEP * _STEP)
    return Sizes(page, gist, int(_RECENT * free))
