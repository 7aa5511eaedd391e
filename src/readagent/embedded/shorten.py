"""Extractive gists: the most representative sentences of a passage, by their vectors, in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from readagent.core.model import Embedder, Vectors
from readagent.core.words import clause_ends, count_words, lead, sentences, truncate
from readagent.embedded.networks import MiniLMEmbedder
from readagent.models.embeddings import CachedEmbedder, VectorStore, split_rows, vector_key
from readagent.retrieval.bm25 import sentences_of_passages
from readagent.retrieval.vectors import Array, unit

_ENDS = re.compile(r"[.!?…:;。！？][\"'”’»)\]*_]*$")
_MARKUP = re.compile(
    r"</?[A-Za-z!?][^<>]*>|\|.*\||[{}]\s*[;,]?|(?:^|\s)[-+=|_*#]{3,}(?:\s|$)|\S=[\"'’]|;\s*$|::|\\\w|\w\(\)"
)
_RULE = re.compile(r"[\s*#=~·•+|_.:-]+")
_LABEL = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxlc]{1,5})[.)\]]?")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s.{1,80}")  # a heading such as "1.2. What is this?"
_INNER = re.compile(r"['’/-]")  # within words
_EDGES = ".,;:!?…\"'“”‘’„«»()[]*_-—–"
_LEAST_LETTERS = 0.65  # of the characters of a sentence, without spaces
_LEAST_WORDS = 0.5  # of its parts between spaces that are words
_MARKS = 2  # marks of code or tables that no sentence has


def is_rule(text: str) -> bool:
    """Return whether a piece has no words: a row of stars or of "+---+", or an empty row of a table."""
    return _RULE.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Return whether a piece is the number or letter of an item, and nothing else."""
    return _LABEL.fullmatch(text.strip()) is not None


def is_sentence(text: str) -> bool:
    """Return whether a piece reads like a sentence: it ends like one, and is mostly words."""
    return _ENDS.search(text.rstrip()) is not None and is_wordy(text) and not _NUMBERED.fullmatch(text.strip())


def is_wordy(text: str) -> bool:
    """Return whether a piece is mostly words, and no code or row of a table."""
    solid = "".join(text.split())
    parts = [part.strip(_EDGES) for part in text.split()]
    words = sum(_INNER.sub("", part).isalpha() and not (part.isupper() and len(part) > 1) for part in parts)
    enough = sum(map(str.isalpha, solid)) >= _LEAST_LETTERS * max(1, len(solid)) and words >= _LEAST_WORDS * len(parts)
    return enough and len(_MARKUP.findall(text)) < _MARKS


class PartsEmbedder(Embedder, Protocol):
    """An embedder that can also tell the vectors of parts of a text, each as it stands in the text."""

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> list[Vectors]: ...


class KeptVectors(CachedEmbedder):
    """The embedder of the offline reader, with a store."""

    def __init__(self, embedder: MiniLMEmbedder, store: VectorStore) -> None:
        super().__init__(embedder, store)
        self._minilm = embedder
        self._kept = store

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> list[Vectors]:
        """Return the vectors of the parts of each text, and store those of the texts, for looking up later."""
        rows, parts = await self._minilm.embed_parts(texts)
        keys = [vector_key(self.name, " ".join(text)) for text in texts]
        self._kept.keep_vectors(dict(zip(keys, split_rows(rows), strict=True)))
        return parts


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a text, the number of words of each, and a row of ``vectors`` for each."""

    texts: list[str]
    words: list[int]
    vectors: Array


async def embed_sentences(text: str, embedder: PartsEmbedder) -> Sentences:
    """Split a text into sentences, with vectors as they stand in their passages; those of the passages are stored."""
    passages = sentences_of_passages(text)
    found = await embedder.embed_parts(passages)
    parts = [part for passage in passages for part in passage]
    width = found[0].width if found else 1
    rows = np.frombuffer(b"".join(one.data for one in found), np.float32).reshape(len(parts), width)
    texts = whole_speeches(text)
    return Sentences(texts, [count_words(sentence) for sentence in texts], _joined(texts, parts, rows))


_BREAK = re.compile(r"\n[^\S\n]*\n")
_QUOTATION_MARK = re.compile(r"[\"“”„«»]")


def whole_speeches(text: str) -> list[str]:
    """Return the sentences of a text; those of a speech stay together, so that its quotation marks are closed."""
    found = list[str]()
    for paragraph in _BREAK.split(text):
        speech = list[str]()
        for sentence in sentences(paragraph):
            speech.append(sentence)
            if is_closed(" ".join(speech)):
                found.append(" ".join(speech))
                speech.clear()
        found += speech
    return found


def is_closed(text: str) -> bool:
    """Whether the quotation marks of a text are closed."""
    return len(_QUOTATION_MARK.findall(text)) % 2 == 0


def _joined(texts: list[str], parts: list[str], rows: Array) -> Array:
    """Return a row for each sentence: that of its part, or the mean of several if it was divided."""
    joined, at = np.zeros((len(texts), rows.shape[1]), np.float32), 0
    for number, text in enumerate(texts):
        begun, size = at, len("".join(text.split()))
        while size > 0 and at < len(parts):
            size -= len("".join(parts[at].split()))
            at += 1
        joined[number] = rows[begun:at].sum(axis=0)
    return unit(joined)


_NAME = re.compile(r"(?<=[\w,;’'] )[A-Z][\w’'-]+")
_NUMBER = re.compile(r"\b\d[\d.,:]*\b")
_REPETITION = 0.7  # penalty for similarity to a sentence that was already chosen
_NEW_NAME = 0.08  # bonus for each name or number that has not occurred before
_FIRST = 0.1  # bonus for the first sentence, which sets the scene
_TOLERANCE = 1.15  # a gist may exceed the requested words by this factor
_LONG = 2  # a single sentence is a gist up to so many times the requested words, and is cut if it is longer


def extract_gist(passage: Sentences, words: int) -> str:
    """Return the sentences that cover most of a passage, in order, with about ``words`` words together."""
    told = most_telling(passage, words)
    if len(told) == 1 and passage.words[told[0]] > _LONG * words:
        return _cut(passage.texts[told[0]], words)
    return " ".join(passage.texts[one] for one in told)


def most_telling(passage: Sentences, words: int) -> list[int]:
    """Return the places of these sentences: as many as have about ``words`` words together, but one at least."""
    if not passage.texts:
        return []
    chosen: list[int] = []
    room = _TOLERANCE * words
    values = _values(passage)
    nearest = np.zeros(len(values), np.float32)
    candidates = [i for i, size in enumerate(passage.words) if size <= room] or [int(np.argmin(passage.words))]
    candidates = [i for i in candidates if is_closed(passage.texts[i])] or candidates
    while candidates:
        best = max(candidates, key=lambda i: (values[i] - _REPETITION * nearest[i], -i))
        chosen.append(best)
        room -= passage.words[best]
        nearest = np.maximum(nearest, passage.vectors @ passage.vectors[best])
        candidates = [i for i in candidates if i != best and passage.words[i] <= room]
        if sum(passage.words[i] for i in chosen) >= words:
            break
    return sorted(chosen)


def _values(passage: Sentences) -> list[float]:
    """Return how central each sentence is, plus a bonus for names and numbers that it mentions first."""
    centre = unit(np.average(passage.vectors, axis=0, weights=np.sqrt(passage.words)))
    seen: set[str] = set()
    values = []
    for i, text in enumerate(passage.texts):
        named = {*_NAME.findall(text), *_NUMBER.findall(text)}
        values.append(float(passage.vectors[i] @ centre) + _NEW_NAME * min(3, len(named - seen)) + _FIRST * (i == 0))
        seen |= named
    return values


def _cut(sentence: str, words: int) -> str:
    """Cut a sentence that is too long by itself after its last clause that fits."""
    fitting = [cut for cut in clause_ends(sentence, 0, len(sentence)) if count_words(sentence[:cut]) <= words]
    return sentence[: fitting[-1]].rstrip(" ,;:—–") if fitting else truncate(lead(sentence, words), words)
