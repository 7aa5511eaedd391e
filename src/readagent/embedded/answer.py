"""Find the passages and sentences that support an answer, and judge options and claims by them."""

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
from readagent.embedded.sentences import LikelihoodGain
from readagent.retrieval.passages import passage_spans, sentence_spans
from readagent.retrieval.terms import terms
from readagent.retrieval.vectors import Array, sentence_means, vectors_of

WEAK = 0.46  # strength below which the text is assumed not to contain the answer
_STARS = re.compile(r"^(?:[*#=~·•]\s+)+(?:[*#=~·•]$)?|^[*#=~·•]+$")  # a separator between two scenes
_SHARE = 0.6  # of the strongest quote's strength that another quote needs to be shown too
_WORDS = 0.5  # weight of shared words, relative to vector similarity
_TRUE = 1.5  # similarity plus shared words from which a claim is called true
_GAIN, _USUAL_GAIN = 0.03, 2.8  # weight of the likelihood gain, and the gain of an arbitrary claim
_PASSAGE_WORDS = 80
_QUOTE_WORDS = 40


@dataclass(frozen=True, slots=True)
class Support:
    """A verbatim piece of an opened page, and how strongly it supports an answer to the question."""

    page: int
    text: str
    strength: float


async def find_support(
    memory: GistMemory, pages: Sequence[int], question: str, embedder: Embedder, *, most: int = 4
) -> list[Support]:
    """Return the passages of these pages that are most relevant to the question, strongest first."""
    texts = {page: memory.page_text(page) for page in pages}
    found = [(page, text[a:b]) for page, text in texts.items() for a, b in passage_spans(text, _PASSAGE_WORDS)]
    return await _strongest(found, question, embedder, most)


def as_paragraphs(support: Sequence[Support]) -> list[str]:
    """Return the text of each passage as one paragraph."""
    return [" ".join(sentences(one.text)) for one in support]


async def select_quotes(
    support: Sequence[Support], question: str, embedder: Embedder, *, most: int = 3
) -> list[Support]:
    """Return runs of a few sentences from these passages that are most relevant, strongest first."""
    found = dict.fromkeys((one.page, few) for one in support for few in _few_sentences(one.text))
    strongest = await _strongest(list(found), question, embedder, most)
    return [one for one in strongest if one.strength >= _SHARE * strongest[0].strength]


def _few_sentences(text: str) -> list[str]:
    """Split a text into runs of whole sentences, verbatim; short neighbours stay together."""
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
    strengths = await sentence_means(texts, embedder) @ asked + _WORDS * term_overlap(question, texts)
    order = np.argsort(-strengths, kind="stable")[:most]
    return [Support(found[i][0], found[i][1], float(strengths[i])) for i in order]


def term_overlap(question: str, texts: Sequence[str]) -> Array:
    """Return the share of the question's terms that each text contains; rare terms count more."""
    asked = set(terms(question))
    own = [asked.intersection(terms(text)) for text in texts]
    spread = {term: sum(term in one for one in own) for term in asked}
    weight = {term: 1 / (1 + spread[term]) for term in asked}
    total = fsum(weight.values()) or 1.0
    return np.asarray([fsum(weight[term] for term in one) / total for one in own], np.float32)


async def is_supported(claim: str, support: Sequence[Support], gain: LikelihoodGain | None = None) -> bool:
    """Whether passages, given strongest first, support a claim.

    This depends on the similarity of the best passage, on how many of the claim's words they contain and, with
    ``gain``, on how much likelier the claim is after them.
    """
    if not support:
        return False
    claimed = set(terms(claim))
    found = claimed.intersection(term for one in support for term in terms(one.text))
    score = support[0].strength + len(found) / max(1, len(claimed)) - _TRUE
    if gain is not None:
        score += _GAIN * (await gain("\n\n".join(as_paragraphs(support[:2])), claim) - _USUAL_GAIN)
    return score >= 0


async def score_options(question: Question, support: Sequence[Support], embedder: Embedder) -> Array:
    """Return for each option how strongly the best passage supports it."""
    asked = [f"{question.text} {option}" for option in question.options]
    texts = [one.text for one in support]
    if not texts:
        return np.zeros(len(asked), np.float32)
    rows = await vectors_of([*asked, *texts], embedder)
    similarity = rows[: len(asked)] @ rows[len(asked) :].T
    words = np.stack([term_overlap(option, texts) for option in question.options])
    strongest: Array = (similarity + _WORDS * words).max(axis=1)
    return strongest
