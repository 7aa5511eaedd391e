"""Where a text mentions people and things: their names, and the words of a name that are nobody else's."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from readagent.core.memory import GistMemory
from readagent.core.patterns import lazy_pattern

_WORD = lazy_pattern(r"[^\W\d_][\w'\u2019-]+(?!\w|\.)")  # one with a period after it, as in "Mr. Gray", is a title


def text_span(memory: GistMemory, numbers: Sequence[int]) -> tuple[int, int]:
    """Return the offsets of these pages, which follow each other."""
    return (memory.pages[numbers[0]].start, memory.pages[numbers[-1]].end) if numbers else (0, 0)


def find_names(
    owners: Sequence[Collection[str]], text: str, start: int = 0, end: int | None = None, *, parts: bool = False
) -> list[list[int]]:
    """Return the offsets from ``start`` to ``end`` where the names of each owner stand.

    A name of several owners is nobody's, and a longer name is not also a shorter one. With ``parts``, a word of a name
    counts too if it is in the names of nobody else, and the text never writes it in small letters.
    """
    forms = _forms(owners, text, parts=parts)
    found: list[list[int]] = [[] for _ in owners]
    if forms:
        spelled = (r"\s+".join(map(re.escape, form.split())) for form in sorted(forms, key=len, reverse=True))
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(spelled)})(?!\w)")
        for match in pattern.finditer(text, start, len(text) if end is None else end):
            found[forms[" ".join(match[0].split())]].append(match.start())
    return found


def _forms(owners: Sequence[Collection[str]], text: str, *, parts: bool) -> dict[str, int]:
    """Return whom each form of a name means, for those that mean one owner."""
    whole: dict[str, set[int]] = {}
    words: dict[str, set[int]] = {}
    for at, names in enumerate(owners):
        for name in names:
            whole.setdefault(" ".join(name.split()), set()).add(at)
            for word in _WORD.findall(name) if parts else ():
                words.setdefault(word, set()).add(at)
    small = set(re.findall(r"\w+", text)) if words else set()
    words = {word: who for word, who in words.items() if word[0].isupper() and word.lower() not in small}
    return {form: next(iter(who)) for form, who in (words | whole).items() if form and len(who) == 1}
