"""Which turns of a conversation a question is about: those that share words with it, on pages that a search finds."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.memory import GistMemory
from readagent.core.model import Hint
from readagent.core.turns import turns_of
from readagent.retrieval.bm25 import Bm25

_PAGE = 0.5  # weight of the page's score, relative to the turn's own
_MOST = 12  # turns


def wanted_turns(memory: GistMemory, question: str, hints: Sequence[Hint]) -> list[tuple[int, int]]:
    """Return the start and end of the turns that a question is about, best first, each followed by the reply to it.

    Where no turn shares a word with the question, those of the best page are returned.
    """
    turns = turns_of(memory.document)
    own = Bm25(turn.text for turn in turns).scores(question)
    pages = [memory.page_at(turn.start) for turn in turns]
    found = {hint.page: hint.score for hint in hints if hint.score > 0}
    best, most = max(own, default=0.0), max(found.values(), default=1.0)
    if best:
        scores = {n: score / best + _PAGE * found.get(pages[n], 0.0) / most for n, score in enumerate(own) if score}
        chosen = sorted(scores, key=lambda number: -scores[number])[:_MOST]
    else:
        first = max(found, key=lambda page: found[page], default=None)
        chosen = [number for number, page in enumerate(pages) if page == first]
    with_replies = (reply for number in chosen for reply in (number, number + 1) if reply < len(turns))
    return [(turns[number].start, turns[number].end) for number in dict.fromkeys(with_replies)]
