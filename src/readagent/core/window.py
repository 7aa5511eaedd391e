"""Window: how many tokens a model accepts, how they are shared out, and what an overflow says about them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from readagent.core.tokens import TokenEstimate
from readagent.core.words import WordIndex, paragraph_starts, sentence_ends
from readagent.errors import ContextOverflowError, UsageError

SMALLEST = 512
_TOO_SMALL = f"the minimum is {SMALLEST} tokens: use a model with a larger window"
_TEMPLATE = 320  # tokens reserved for the template around a memory; the longest one needs fewer

_SHORT_QUESTION = 128  # tokens


@dataclass(frozen=True, slots=True)
class Window:
    """The model's window in tokens, for prompt and reply together; None if unknown. ``counter`` estimates tokens.

    Its parts are separate numbers: ``prompt`` is the room for a prompt, ``reply`` what is kept free for the reply.
    """

    tokens: int | None = None
    counter: TokenEstimate = field(default_factory=TokenEstimate, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.tokens is not None and self.tokens < SMALLEST:
            raise UsageError(f"a window of {self.tokens} tokens is too small to read with", hint=_TOO_SMALL)

    @property
    def reply(self) -> int:
        """The tokens reserved for the reply."""
        return 0 if self.tokens is None else min(1024, self.tokens // 4)

    @property
    def question(self) -> int:
        """The tokens reserved for the question and the earlier turns of a conversation."""
        return 1024 if self.tokens is None else max(128, min(1024, self.tokens // 8))

    @property
    def prompt(self) -> int | None:
        """The maximum tokens of a prompt; None if unknown."""
        return None if self.tokens is None else self.tokens - self.reply

    @property
    def free(self) -> int:
        """The tokens left for a memory and its opened pages; 0 if the window is unknown."""
        return 0 if self.prompt is None else max(64, self.prompt - _TEMPLATE - self.question)

    @property
    def index(self) -> int:
        """The tokens left for a memory next to a short question and no opened page; 0 if the window is unknown."""
        return 0 if self.prompt is None else max(64, self.prompt - _TEMPLATE - min(_SHORT_QUESTION, self.question))

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        return self.counter.count(text)

    def fits(self, prompt: str) -> bool:
        """Return whether this prompt can be sent."""
        return self.prompt is None or self.count(prompt) <= self.prompt

    def after_overflow(self, error: ContextOverflowError, *, corrected: bool = False) -> Window:
        """Return the window to go on with: as the server reported it, or the next usual size below what it refused.

        Usual sizes make it likely that another reading has the same window, whichever prompt was refused first. It has
        room for the longest prompt that the server answered. It stays as it is if the server reported that the prompt
        is longer than estimated and the estimates are ``corrected`` by that.
        """
        real, asked = error.prompt_tokens, error.asked
        if error.window and (self.tokens is None or error.window < self.tokens):
            tokens = error.window
        elif corrected and self.tokens and real and asked and real > asked:
            tokens = self.tokens
        else:
            tokens = usual_below(min(size for size in (real or asked, self.tokens, 1 << 20) if size is not None))
            accepted = error.accepted or 0
            least = accepted + min(1024, accepted // 3)  # the window whose ``prompt`` is as long,
            if (real or asked) and error.reply:
                least = min(least, (real or asked or 0) + error.reply)  # but not one that was just refused
            if self.tokens is None or least < self.tokens:
                tokens = max(tokens, least)
        if error.window and error.window < SMALLEST:
            message = f"the model's window of {error.window} tokens is too small to read with"
            raise ContextOverflowError(message, hint=_TOO_SMALL, window=error.window) from error
        if tokens < SMALLEST:
            raise error
        return replace(self, tokens=tokens)


def usual_below(tokens: int) -> int:
    """Return the next size of windows below this one: a power of two, or one and a half of it."""
    power = 1 << max(1, tokens - 1).bit_length() - 1
    return power + power // 2 if power + power // 2 < tokens else power


def parts(text: str, tokens: int, count: Callable[[str], int]) -> Iterator[str]:
    """Yield ``text`` in pieces of at most ``tokens`` tokens, cut at paragraphs, sentences, words or anywhere."""
    if count(text) <= tokens or len(text) < 2:
        yield text
        return
    cuts = paragraph_starts(text)[1:] or list(sentence_ends(text, 0, len(text))) or _words(text)
    middle = min(cuts, key=lambda cut: abs(cut - len(text) // 2)) if cuts else len(text) // 2
    yield from parts(text[:middle], tokens, count)
    yield from parts(text[middle:], tokens, count)


def _words(text: str) -> list[int]:
    index = WordIndex(text)
    middle = index.after(0, len(index) // 2)
    return [middle] if 0 < middle < len(text) else []


def largest(count: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number from 1 to ``count`` that fits, or 0 if none does.

    If a number fits, all smaller ones must fit too.
    """
    return bisect_left(range(1, count + 1), True, key=lambda number: not fits(number))


def in_groups(places: Sequence[int], most: int, fits: Callable[[Sequence[int]], bool]) -> Iterator[list[int]]:
    """Yield the places in groups of at most so many that fit; a single one that does not fit is a group, too."""
    left = list(places)
    while left:
        some = left[:most]
        while len(some) > 1 and not fits(some):
            some = some[: len(some) // 2]
        yield some
        left = left[len(some) :]
