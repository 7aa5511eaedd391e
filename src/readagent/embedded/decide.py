"""Decisions of the offline reader: pages to open, pauses, options, and whether an extract fits its question."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from readagent.core.document import label_end
from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.core.words import sentences
from readagent.embedded.extracts import AnyReader, Extract
from readagent.embedded.shorten import is_label, is_rule
from readagent.retrieval.bm25 import content_words, stem, terms
from readagent.retrieval.evidence import Passage
from readagent.retrieval.vectors import Array, unit, vectors_of

_READ = 4  # passages that options are judged by


async def choose(question: Question, passages: Sequence[Passage], reader: AnyReader) -> tuple[int, float]:
    """Return the index of the option that the passages support best, and how likely it is right."""
    if not passages:
        return 0, 1 / len(question.options)
    texts = [passage.text for passage in passages[:_READ]]
    scores = (await reader.judge(question.text, question.options, texts)).max(axis=1)
    shares = np.exp(scores - scores.max())
    best = int(np.argmax(shares))
    return best, float(shares[best] / shares.sum())


_SHARE = 0.2  # of the best page's score that a page needs to be opened too
_MIN_SCORE = 0.05  # a page with a lower score is no better than an average one


def pages_to_open(hints: Sequence[Hint], most: int) -> list[int]:
    """Return the pages worth opening, best first: at least one, even if no page stands out."""
    least = _SHARE * hints[0].score
    return [hint.page for hint in hints[:most] if hint.score >= least] or [hints[0].page]


def next_page(hints: Sequence[Hint], opened: Collection[int]) -> int | None:
    """Return the best page that is not opened yet, or None if it is not relevant enough."""
    least = max(_SHARE * hints[0].score, _MIN_SCORE)
    best = next((hint for hint in hints if hint.page not in opened), None)
    return best.page if best is not None and best.score >= least else None


_AROUND = 8  # sentences that are compared on each side of a label
_SECTION = 2.0  # bonus for the start of a section: more than any similarity, which is between -1 and 1
_UNSEEN = 0.05  # penalty for the last label, if no text after it was shown


async def best_pause(pieces: Sequence[str], labels: int, embedder: Embedder) -> int:
    """Return the best label to pause at, counted from 1; label k is after piece k."""
    split = [sentences(piece) for piece in pieces]
    rows = await vectors_of([sentence for own in split for sentence in own], embedder)
    ends = np.cumsum([len(own) for own in split])
    starts = [i + 1 < len(pieces) and starts_section(pieces[i], pieces[i + 1]) for i in range(labels)]
    scores = [_difference(rows, int(ends[i])) + _SECTION * starts[i] for i in range(labels)]
    return int(np.argmax(scores)) + 1


def _difference(rows: Array, cut: int) -> float:
    """Return how different the sentences after a cut are from those before it: the negated similarity."""
    if cut >= len(rows):
        return -1.0 - _UNSEEN
    left, right = unit(rows[max(0, cut - _AROUND) : cut].mean(axis=0)), unit(rows[cut : cut + _AROUND].mean(axis=0))
    return -float(left @ right)


def starts_section(before: str, after: str) -> bool:
    """Whether there is a number or a row of stars between two pieces; headings are known from the document."""
    last, first = before.rstrip().rpartition("\n")[2], after.lstrip().partition("\n")[0]
    return is_rule(first) or is_rule(last) or is_label(first)


_ASKED = re.compile(
    r"(?P<none>^\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might|must)\b)"
    r"|\b(?:(?P<number>how (?:many|much|far|long|old|high|tall|big|large|deep|wide|often)"
    r"|(?:what|which) (?:year|day|date|age)|when)"
    r"|(?P<name>who|whom|whose|what(?=[^?]*\b(?:name|called)\b))|(?P<thing>what|which|where)|(?P<other>why|how))\b",
    re.I,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion|half|quarter|dozens?|once|twice)\b",
    re.I,
)
_NAME = re.compile(r"\b[A-Z][\w’'-]+|^(?:the|a|an|his|her|my|our|their|its) \w+")
_THING = re.compile(r"[A-Z0-9]|\w\s+\w")  # one common word is seldom what was asked for
_NAMED = re.compile(r"(?<=[\s\"'“‘(-])[A-Z][^\W_]+|\b\d+\b")  # the first word of a question is none
_WORD = re.compile(r"[^\W_]+")
_FITS = {"number": _NUMBER, "name": _NAME, "thing": _THING}
_WHO_IS = re.compile(r"\W*who(?:['’]s| is| was| are| were)\s+(.+)", re.I | re.S)
_ARTICLE = r"(?:(?:the|an?|his|her|its|their|my|our|your)\s)?"
_IS = rf"\s(?:is|was|are|were)\s{_ARTICLE}"
_SHORT = 12  # words of an extract that answers a question by itself


def fits(question: str, extract: str, quote: str) -> bool:
    """Whether an extract is of the kind that a question asks for: a number, a name, or a thing in a few words.

    A date counts as a number. What asks for a yes, a reason or a way has no such answer. The names and numbers of the
    question must stand in the quote: what is said of another year or person is the most likely mistake. Who somebody
    is must be said in so many words: that another name is near says nothing.
    """
    asked = _ASKED.search(question)
    wanted = _FITS.get(asked.lastgroup or "") if asked else None
    if wanted is None or wanted.search(extract) is None or len(extract.split()) > _SHORT:
        return False
    whom = _WHO_IS.match(question)
    if whom and not _defines(extract, content_words(whom[1]), quote):
        return False
    told = set(map(stem, _WORD.findall(quote.lower())))
    return all(stem(word.lower()) in told for word in _NAMED.findall(question))


def names_another(question: str, extract: Extract, memory: GistMemory) -> bool:
    """Whether an extract is the name before a turn, but not of who says what has most words of the question."""
    document, start = memory.document, memory.pages[extract.page].start
    here = document.paragraph_at(start + extract.start)
    if here is None or start + extract.start >= label_end(document, here):
        return False
    begin, asked = start + extract.passage.start, set(terms(question))
    read = [one for one in document.paragraphs if one.start < begin + len(extract.passage.text) and one.end > begin]
    shared = [
        len(asked.intersection(terms(document.text[label_end(document, one) or one.start : one.end]))) for one in read
    ]
    says = {one.speaker for one, count in zip(read, shared, strict=True) if 0 < count == max(shared)}
    return here.speaker not in says


def _defines(extract: str, words: Sequence[str], quote: str) -> bool:
    """Whether a quote says what one of these words is, as in "Jane was the cook" and "Jane, the cook of the inn,"."""
    one, other = re.escape(" ".join(extract.split())), "|".join(map(re.escape, words))
    other = rf"\b(?:{other})\b(?:\s(?:of|the|{other})\b)*"
    said = "|".join(rf"{a}(?:{_IS}{b}|,\s{_ARTICLE}{b}(?=[^\s\w]|$))" for a, b in ((one, other), (other, one)))
    return bool(words) and re.search(said, " ".join(quote.split()), re.I) is not None
