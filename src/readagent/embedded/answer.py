"""Answers by measure: from the few paragraphs that bear on the question, with the sentences that support them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from readagent.core.embedder import Embedder
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.core.words import count_words, sentences
from readagent.embedded.meaning import Array, unit, vectors_of
from readagent.retrieval.passages import passages
from readagent.retrieval.terms import terms

WEAK = 0.46  # evidence below which the text is taken not to say it
_STARS = re.compile(r"^(?:[*#=~·•]\s+)+(?:[*#=~·•]$)?|^[*#=~·•]+$")  # what stands between two scenes
_BESIDE = 0.6  # of the strongest quote's strength that another must have to stand beside it
_WORDS = 0.5  # what shared words count beside likeness of meaning
_PASSAGE_WORDS = 80
_QUOTE_WORDS = 40


@dataclass(frozen=True, slots=True)
class Support:
    """A piece of an opened page, and how strongly it bears on the question."""

    page: int
    text: str
    strength: float


async def supporting(
    memory: GistMemory, pages: Sequence[int], question: str, embedder: Embedder, *, most: int = 4
) -> list[Support]:
    """The passages of these pages that bear most on the question, the strongest first."""
    found = [(page, passage) for page in pages for passage in passages(memory.page_text(page), _PASSAGE_WORDS)]
    return await _strongest(found, question, embedder, most)


async def quotable(support: Sequence[Support], question: str, embedder: Embedder, *, most: int = 3) -> list[Support]:
    """The few sentences in a row of those passages that bear most on the question, the strongest first."""
    found = dict.fromkeys((one.page, few) for one in support for few in _few_sentences(one.text))
    strongest = await _strongest(list(found), question, embedder, most)
    return [one for one in strongest if one.strength >= _BESIDE * strongest[0].strength]


def _few_sentences(text: str) -> list[str]:
    """Whole sentences of a text, short ones together."""
    few: list[str] = []
    room = 0
    for sentence in sentences(text):
        sentence = _STARS.sub("", sentence)
        size = count_words(sentence)
        if not sentence:
            continue
        if size > room:
            few.append(sentence)
            room = _QUOTE_WORDS - size
        else:
            few[-1] += f" {sentence}"
            room -= size
    return few


async def _strongest(found: Sequence[tuple[int, str]], question: str, embedder: Embedder, most: int) -> list[Support]:
    if not found:
        return []
    texts = [text for _, text in found]
    (asked,) = await vectors_of([question], embedder)
    strengths = await _meant(texts, embedder) @ asked + _WORDS * shared(question, texts)
    order = np.argsort(-strengths, kind="stable")[:most]
    return [Support(found[i][0], found[i][1], float(strengths[i])) for i in order]


async def _meant(texts: Sequence[str], embedder: Embedder) -> Array:
    """A row for each text: what its sentences mean together. Their vectors are known from reading, its own is not."""
    cut = [sentences(text) for text in texts]
    rows = await vectors_of([sentence for own in cut for sentence in own], embedder)
    ends = np.cumsum([len(own) for own in cut])
    return unit(np.stack([rows[end - len(own) : end].mean(axis=0) for own, end in zip(cut, ends, strict=True)]))


def shared(question: str, texts: Sequence[str]) -> Array:
    """The share of the question's terms that each text has, rare terms counting for more."""
    asked = set(terms(question))
    own = [asked.intersection(terms(text)) for text in texts]
    spread = {term: sum(term in one for one in own) for term in asked}
    weight = {term: 1 / (1 + spread[term]) for term in asked}
    total = fsum(weight.values()) or 1.0
    return np.asarray([fsum(weight[term] for term in one) / total for one in own], np.float32)


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
