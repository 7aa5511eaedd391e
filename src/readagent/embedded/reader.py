"""The reader: MiniLM with a trained adapter reads a question together with a passage.

It says where in the passage the answer is, whether the passage answers the question at all, and, for a question with a
possible answer after it, whether that answer is right. The adapter is trained by ``training/train.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from readagent.embedded.encoder import Array, Encoder, batches, in_threads, padded, read_safetensors
from readagent.embedded.minilm import word_pieces

_QUERY, _PASSAGE, _STRIDE = 48, 268, 134  # word pieces at most, and from one window of a long passage to the next
_LONGEST = 40  # word pieces of an answer

_Placed = Sequence[tuple[int, int, int]]  # word pieces with their start and end in the text


@dataclass(frozen=True, slots=True)
class Found:
    """The best answer in a passage, ``passage[start:end]``, and whether the passage answers the question.

    ``answered`` is the logit of that; it can be compared between passages. ``likely`` is the probability of the first
    and the last word of the answer among those of the passage.
    """

    start: int
    end: int
    answered: float
    likely: float = 1.0


class Reader:
    """The network, from a folder with the weights of MiniLM and a file with the adapter."""

    def __init__(self, folder: Path, adapter: Path) -> None:
        tensors = read_safetensors(adapter)
        self._words = word_pieces(folder)
        self._encoder = Encoder(read_safetensors(folder / "model.safetensors"), tensors)
        self._span, self._hidden, self._verdict = (
            (np.ascontiguousarray(tensors[f"{name}.weight"].T), np.array(tensors[f"{name}.bias"]))
            for name in ("span", "hidden", "verdict")
        )

    def find(self, question: str, passages: Sequence[str]) -> list[Found]:
        """Return the best answer in each passage."""
        query = [piece for piece, _, _ in self._words.pieces(question)][:_QUERY]
        cut = [(place, window) for place, passage in enumerate(passages) for window in self._windows(passage)]
        spans, verdicts = self._read([(query, [piece for piece, _, _ in window]) for _, window in cut])
        best: dict[int, tuple[float, Found]] = {}
        for (place, window), (first, last, likely), verdict in zip(cut, spans, verdicts[:, 0].tolist(), strict=True):
            start, end = _whole_words(passages[place], window[first][1], window[last][2]) if window else (0, 0)
            worth = likely / (1 + np.exp(-verdict))
            if place not in best or worth > best[place][0]:
                best[place] = worth, Found(start, end, verdict, float(likely))
        return [best[place][1] for place in range(len(passages))]

    def judge(self, question: str, answers: Sequence[str], passages: Sequence[str]) -> Array:
        """Return for each answer, and each passage, the logit of the answer being right according to the passage."""
        asked = [piece for piece, _, _ in self._words.pieces(question)]
        own = [[piece for piece, _, _ in self._words.pieces(answer)][: _QUERY // 2] for answer in answers]
        cut = [(place, window) for place, passage in enumerate(passages) for window in self._windows(passage)]
        pairs = [
            ([*asked[: _QUERY - len(answer)], *answer], [piece for piece, _, _ in window])
            for answer in own
            for _, window in cut
        ]
        _, verdicts = self._read(pairs)
        table = verdicts[:, 1].reshape(len(answers), len(cut))
        right = np.full((len(answers), len(passages)), -np.inf, np.float32)
        for column, (place, _) in enumerate(cut):
            right[:, place] = np.maximum(right[:, place], table[:, column])
        return right

    def _windows(self, passage: str) -> Iterator[_Placed]:
        """Yield the word pieces of a passage, in overlapping windows if there are too many."""
        pieces = self._words.pieces(passage)
        start = 0
        while True:
            yield pieces[start : start + _PASSAGE]
            if start + _PASSAGE >= len(pieces):
                return
            start += _STRIDE

    def _read(self, pairs: Sequence[tuple[list[int], list[int]]]) -> tuple[list[tuple[int, int, float]], Array]:
        """Return for each query and passage the best span (first, last, probability), and the two verdicts."""
        first, last = self._words.first, self._words.last
        rows = [[first, *query, last, *passage, last] for query, passage in pairs]
        spans = [(0, 0, 0.0)] * len(rows)
        verdicts = np.zeros((len(rows), 2), np.float32)

        def read(batch: list[int]) -> None:
            pieces, lengths = padded([rows[i] for i in batch])
            begins = np.array([len(pairs[i][0]) + 2 for i in batch])
            places = np.arange(pieces.shape[1])
            inside = (places >= begins[:, None]) & (places < lengths[:, None] - 1)
            hidden = self._encoder(pieces, lengths, inside.astype(np.int64))
            verdicts[batch] = np.tanh(hidden[:, 0] @ self._hidden[0] + self._hidden[1]) @ self._verdict[0]
            scores = hidden @ self._span[0] + self._span[1]
            for place, i in enumerate(batch):
                spans[i] = _best_span(scores[place, begins[place] : lengths[place] - 1])

        in_threads(read, batches([len(row) for row in rows]))
        return spans, verdicts + self._verdict[1]


def _best_span(scores: NDArray[np.float32]) -> tuple[int, int, float]:
    """Return the most likely first and last piece of an answer, and their probability."""
    if not len(scores):
        return 0, 0, 0.0
    likely = np.exp(scores - scores.max(axis=0))
    likely /= likely.sum(axis=0)
    both = np.triu(np.outer(likely[:, 0], likely[:, 1]))
    both -= np.triu(both, _LONGEST)
    first, last = divmod(int(both.argmax()), len(scores))
    return first, last, float(both[first, last])


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span so that it does not begin or end inside a word."""
    while start > 0 and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end
