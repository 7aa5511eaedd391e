"""The pieces of a quote around its ellipses and editorial brackets, and where pieces stand in the text in order."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import Letters
from readagent.core.quotes.matching import Span, matches

GAP = 1000  # characters that an ellipsis stands for, at most
_ELLIPSIS = r"[\[(<]\s*(?:(?:\.\s?){3,}|…+|⋯+)\s*[\])>]|\.{3,}|…+|⋯+|・{3,}|(?:\. ){2,}\."
_EDITED = lazy_pattern(rf"\s*(?:{_ELLIPSIS})\s*|\[[^\[\]\d\n]{{2,80}}\]")  # numbers must be in the text


def pieces(quote: str) -> list[str]:
    """Return the parts of a quote between ellipses and words that an editor put into brackets."""
    return [piece for piece in _EDITED.split(quote) if any(character.isalnum() for character in piece)]


def in_order(near: Letters, parts: Sequence[Letters], anchor: int) -> list[list[Span]]:
    """Return where all parts stand one after another; ``anchor`` is the index of the longest of them.

    Before and after each place of the longest part, the nearest places of the others are taken.
    """
    found = []
    for place in matches(near, parts[anchor]):
        before, after = [place], [place]
        for part in reversed(parts[:anchor]):
            spans = [one for one in matches(near, part) if before[0][0] - GAP <= one[1] <= before[0][0]]
            if not spans:
                break
            before.insert(0, spans[-1])
        for part in parts[anchor + 1 :]:
            following = (one for one in matches(near, part) if after[-1][1] <= one[0] <= after[-1][1] + GAP)
            if (first := next(following, None)) is None:
                break
            after.append(first)
        if len(before) == anchor + 1 and len(after) == len(parts) - anchor:
            found.append([*before, *after[1:]])
    return found
