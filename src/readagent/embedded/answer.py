"""Answers by measure: from the few paragraphs that bear on the question, with the sentences that support them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder
from readagent.core.question import Question
from readagent.core.words import count_words, sentences
from readagent.embedded.meaning import Follows
from readagent.retrieval.passages import passage_spans, sentence_spans
from readagent.retrieval.terms import terms
from readagent.retrieval.vectors import Array, meant, vectors_of

WEAK = 0.46  # evidence below which the text is taken not to say it
_STARS = re.compile(r"^(?:[*#=~·•]\s+)+(?:[*#=~·•]$)?|^[*#=~·•]+$")  # what stands between two scenes
_BESIDE = 0.6  # of the strongest quote's strength that another must have to stand beside it
_WORDS = 0.5  # what shared words count beside likeness of meaning
_BORNE_OUT = 1.5  # nearness and shared words together, from which on a claim is called true
_LIKELIER, _USUALLY = 0.03, 2.8  # what likelihood counts beside that, and how much likelier passages make any claim
_PASSAGE_WORDS = 80
_QUOTE_WORDS = 40


@dataclass(frozen=True, slots=True)
class Support:
    """A piece of an opened page, as it stands there, and how strongly it bears on the question."""

    page: int
    text: str
    strength: float


async def supporting(
    memory: GistMemory, pages: Sequence[int], question: str, embedder: Embedder, *, most: int = 4
) -> list[Support]:
    """The passages of these pages that bear most on the question, the strongest first."""
    texts = {page: memory.page_text(page) for page in pages}
    found = [(page, text[a:b]) for page, text in texts.items() for a, b in passage_spans(text, _PASSAGE_WORDS)]
    return await _strongest(found, question, embedder, most)


def flowing(support: Sequence[Support]) -> list[str]:
    """Their texts, each as one paragraph."""
    return [" ".join(sentences(one.text)) for one in support]


async def quotable(support: Sequence[Support], question: str, embedder: Embedder, *, most: int = 3) -> list[Support]:
    """The few sentences in a row of those passages that bear most on the question, the strongest first."""
    found = dict.fromkeys((one.page, few) for one in support for few in _few_sentences(one.text))
    strongest = await _strongest(list(found), question, embedder, most)
    return [one for one in strongest if one.strength >= _BESIDE * strongest[0].strength]


def _few_sentences(text: str) -> list[str]:
    """Whole sentences of a text, short ones in a row together, as they stand in it."""
    few: list[tuple[int, int]] = []
    room = 0
    for start, end in sentence_spans(text):
        stars = _STARS.match(text[start:end])
        begin = start + (stars.end() if stars else 0)
        size = count_words(text[begin:end])
        if begin == end:
            room = 0
        elif size > room or stars:
            few.append((begin, end))
            room = _QUOTE_WORDS - size
        else:
            few[-1] = (few[-1][0], end)
            room -= size
    return [text[begin:end] for begin, end in few]


async def _strongest(found: Sequence[tuple[int, str]], question: str, embedder: Embedder, most: int) -> list[Support]:
    if not found:
        return []
    texts = [text for _, text in found]
    (asked,) = await vectors_of([question], embedder)
    strengths = await meant(texts, embedder) @ asked + _WORDS * shared(question, texts)
    order = np.argsort(-strengths, kind="stable")[:most]
    return [Support(found[i][0], found[i][1], float(strengths[i])) for i in order]


def shared(question: str, texts: Sequence[str]) -> Array:
    """The share of the question's terms that each text has, rare terms counting for more."""
    asked = set(terms(question))
    own = [asked.intersection(terms(text)) for text in texts]
    spread = {term: sum(term in one for one in own) for term in asked}
    weight = {term: 1 / (1 + spread[term]) for term in asked}
    total = fsum(weight.values()) or 1.0
    return np.asarray([fsum(weight[term] for term in one) / total for one in own], np.float32)


async def borne_out(claim: str, support: Sequence[Support], follows: Follows | None = None) -> bool:
    """Whether passages, the strongest first, bear out a claim.

    By how near the best is, how many of the claim's words they have, and, with ``follows``, how much likelier they make
    it than it is by itself.
    """
    if not support:
        return False
    said = set(terms(claim))
    held = said.intersection(term for one in support for term in terms(one.text))
    score = support[0].strength + len(held) / max(1, len(said)) - _BORNE_OUT
    if follows is not None:
        score += _LIKELIER * (await follows("\n\n".join(flowing(support[:2])), claim) - _USUALLY)
    return score >= 0


async def supported_options(question: Question, support: Sequence[Support], embedder: Embedder) -> Array:
    """For each option, how strongly the best passage speaks for it."""
    asked = [f"{question.text} {option}" for option in question.options]
    texts = [one.text for one in support]
    if not texts:
        return np.zeros(len(asked), np.float32)
    rows = await vectors_of([*asked, *texts], embedder)
    likeness = rows[: len(asked)] @ rows[len(asked) :].T
    words = np.stack([shared(option, texts) for option in question.options])
    strongest: Array = (likeness + _WORDS * words).max(axis=1)
    return strongest
