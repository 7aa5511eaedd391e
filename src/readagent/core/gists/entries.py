"""The entries of a memory tree: what is in the pages of a part, so that a question can be led to it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, log

from readagent.core.document import Document
from readagent.core.escaping import escape_tags
from readagent.core.gists.shorten import GIST, check_of, judge_gist
from readagent.core.gists.sizes import Measure
from readagent.core.memory import Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.patterns import lazy_pattern
from readagent.core.session import Session
from readagent.core.trace import Fallback
from readagent.core.window import largest
from readagent.core.words import count_words, lead, truncate


async def entry_of(page: Page, gists: Sequence[str], limit: int, session: Session) -> str:
    """Return an entry of at most ``limit`` words for a part with these gists.

    After two useless replies the entry is the beginnings of the gists.
    """
    shown = _shown(gists, limit, session)
    measure = Measure.of(shown)
    check = replace(check_of(session, frame=_prompt("", limit, session)), may_copy=True, language="")

    def judge(reply: Reply) -> tuple[str, str]:
        length = measure.length(shown)
        return judge_gist(
            reply, length, limit, lambda text, labelled: check.problem(text, shown, labelled=labelled), measure
        )

    material = Material(passages=(shown,), words=min(limit, count_words(shown)))
    ask = Ask("merge", _prompt(shown, limit, session), material=material, form=GIST)
    text, problem = "", "the gists do not fit the window"
    if session.window.fits(ask.prompt):
        text, problem = await session.judged(ask, judge)
    if not problem:
        return text
    session.fell_back(Fallback("merge", problem, "the beginnings of the gists", page.number))
    return _beginnings(gists, limit)


def _shown(gists: Sequence[str], limit: int, session: Session) -> str:
    """Return the gists as one text, each with as many words as fit the window."""
    shown = "\n\n".join(gists)
    if session.window.fits(_prompt(shown, limit, session)):
        return shown

    def cut(words: int) -> str:
        return "\n\n".join(lead(gist, words) for gist in gists)

    longest = max(map(count_words, gists))
    return cut(max(1, largest(longest, lambda words: session.window.fits(_prompt(cut(words), limit, session)))))


def _prompt(shown: str, limit: int, session: Session) -> str:
    measure = Measure.of(shown)
    return session.prompts.fill(
        "merge",
        form=GIST,
        passage=escape_tags(shown),
        instructions=session.plan.instructions,
        task=session.plan.task,
        limit=None if measure.characters else limit,
        aim=measure.told(limit) if measure.characters else "",
    )


def _beginnings(gists: Sequence[str], limit: int) -> str:
    return lead(" ".join(lead(gist, max(3, limit // len(gists))) for gist in gists), limit)


_STEP = 1.25  # of the ladder


def entry_sizes(count: int, room: int, least: int) -> list[int]:
    """Return the size of each of ``count`` entries that share the room, those with the larger size spread evenly.

    The ladder begins with ``least``; where there is less room than that for each entry, all have the same size.
    """
    if least * count > room:
        return [room // count] * count
    small = large = least
    while large * count <= room:
        small, large = large, ceil(_STEP * large)
    larger = sorted(range(count), key=_spread)[: (room - small * count) // (large - small)]
    return [large if number in larger else small for number in range(count)]


def _spread(number: int) -> float:
    """Return a fraction that is the same for a number however many there are, and that spreads neighbours apart."""
    digits = f"{number:b}"
    return int(digits[::-1], 2) / (1 << len(digits))


_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*[^\W\d_]|\d{3,}")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_SPOKEN = lazy_pattern(r"I['’]\w+|[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]+(?:-[b-df-hj-np-tv-xz]+)*")  # I'm, Mm-hmm, Mrs
_SHORTEST = 3
_MOST = 400  # names of a part


def names_in(text: str) -> Counter[str]:
    """Return how often each name and number occurs: words that occur twice, and always with a capital."""
    counts = Counter(_POSSESSIVE.sub("", word) for word in _WORD.findall(text))
    return Counter({word: count for word, count in counts.items() if _is_name(word, counts)})


def _is_name(word: str, counts: Counter[str]) -> bool:
    if len(word) < _SHORTEST or not word[0].isupper():
        return word[0].isdigit()
    return counts[word] > 1 and word.lower() not in counts and not _SPOKEN.fullmatch(word)


def pick_names(parts: Sequence[Counter[str]]) -> list[list[str]]:
    """Return the names of each part, those first that are frequent in it and rare in the others."""
    having = Counter(name for part in parts for name in part)
    found = []
    for part in parts:
        scores = {name: (1 + log(count)) * log(1 + len(parts) / having[name]) for name, count in part.items()}
        found.append(sorted(scores, key=lambda name: (-scores[name], name))[:_MOST])
    return found


_MOST_HEADINGS = 6
_HEADING_WORDS = 10
_NAMES = "\nNames: "


def heading_line(document: Document, page: Page) -> str:
    """Return the headings in a part: all of them, or the first and the last ones."""
    paragraphs = document.paragraphs
    first, last = (bisect_left(paragraphs, at, key=lambda one: one.start) for at in (page.start, page.end))
    found = (document.text[one.start : one.end] for one in paragraphs[first:last] if one.heading)
    titles = [truncate(" ".join(title.split()), _HEADING_WORDS) for title in found]
    if len(titles) > _MOST_HEADINGS:
        half = _MOST_HEADINGS // 2
        titles = [*titles[:half], "…", *titles[-half:]]
    return "; ".join(titles)


def compose(head: str, entry: str, names: Sequence[str], tokens: int, count: Callable[[str], int]) -> str:
    """Return the text of a part in at most ``tokens`` tokens: the entry is cut if need be, and names fill the rest."""
    text = f"{head}\n{entry}" if head else entry
    if count(text) > tokens:
        words = text.split()
        kept = largest(len(words), lambda kept: count(f"{' '.join(words[:kept])} …") <= tokens)
        return f"{' '.join(words[:kept])} …"
    lowered = entry.lower()
    new = [name for name in names if name.lower() not in lowered]
    kept = largest(len(new), lambda kept: count(_with_names(text, new[:kept])) <= tokens)
    return _with_names(text, new[:kept])


def without_names(text: str) -> str:
    """Return the text of a part, or any other gist, without the names that were added to it."""
    return text.partition(_NAMES)[0]


def _with_names(text: str, names: Sequence[str]) -> str:
    return f"{text}{_NAMES}{', '.join(names)}" if names else text
