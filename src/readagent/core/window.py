"""Window: how much a model takes in at once, and what to believe after it said that a prompt was too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readagent.core.paragraphs import paragraph_starts
from readagent.core.words import WordIndex, estimate_tokens, sentence_ends
from readagent.errors import ContextOverflowError, UsageError

SMALLEST = 512
_TEMPLATE = 320  # tokens of the longest template around a memory, with room to spare


@dataclass(frozen=True, slots=True)
class Window:
    """The model's window in tokens, prompt and reply together; None where nobody knows it."""

    tokens: int | None = None

    def __post_init__(self) -> None:
        if self.tokens is not None and self.tokens < SMALLEST:
            raise UsageError(
                f"a window of {self.tokens} tokens is too small to read with", hint=f"the least is {SMALLEST}"
            )

    @property
    def reply(self) -> int:
        """Tokens kept free for the reply."""
        return 0 if self.tokens is None else min(1024, self.tokens // 4)

    @property
    def question(self) -> int:
        """Tokens kept free beside the memory for the question and what was said before."""
        return 1024 if self.tokens is None else max(128, min(1024, self.tokens // 8))

    @property
    def prompt(self) -> int | None:
        """Tokens a prompt may have."""
        return None if self.tokens is None else self.tokens - self.reply

    @property
    def free(self) -> int:
        """Tokens left for a memory and its open pages, beside the template and the question; 0 where nobody knows."""
        return 0 if self.prompt is None else max(64, self.prompt - _TEMPLATE - self.question)

    def fits(self, prompt: str) -> bool:
        """Whether this prompt can be sent."""
        return self.prompt is None or estimate_tokens(prompt) <= self.prompt

    def learnt(self, error: ContextOverflowError) -> Window:
        """The window after an overflow: what the server said, or less than what it refused. Always smaller."""
        if error.window and (self.tokens is None or error.window < self.tokens):
            tokens = error.window
        else:
            tokens = int(0.75 * min(size for size in (error.asked, self.tokens, 1 << 20) if size is not None))
        if tokens < SMALLEST:
            raise error
        return Window(tokens)


def parts(text: str, tokens: int) -> Iterator[str]:
    """``text`` in pieces of at most ``tokens`` tokens, cut at paragraphs, else sentences, else words, else anywhere."""
    if estimate_tokens(text) <= tokens or len(text) < 2:
        yield text
        return
    cuts = paragraph_starts(text)[1:] or list(sentence_ends(text, 0, len(text))) or _words(text)
    middle = min(cuts, key=lambda cut: abs(cut - len(text) // 2)) if cuts else len(text) // 2
    yield from parts(text[:middle], tokens)
    yield from parts(text[middle:], tokens)


def _words(text: str) -> list[int]:
    index = WordIndex(text)
    middle = index.after(0, len(index) // 2)
    return [middle] if 0 < middle < len(text) else []
