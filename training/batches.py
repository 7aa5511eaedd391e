"""Groups of pairs for training: a question with passages of which one answers it, or with possible answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from network import CLS, SEP, Reader
from torch import Tensor

MOST = 4  # pairs of a group
DRAWN = 2  # wrong passages that are drawn for a question in each epoch
NEAREST = 16  # passages that are nearest to a question, of which wrong ones are drawn


@dataclass(frozen=True, slots=True)
class Data:
    """All word pieces on the device, padded, with their lengths; and the rows of ``examples.py``."""

    queries: Tensor
    query_lengths: Tensor
    passages: Tensor
    passage_lengths: Tensor
    spans: np.ndarray
    choices: np.ndarray
    answers: dict[int, str]  # word pieces as characters, by record
    letters: list[str]  # those of the passages

    @classmethod
    def load(cls, folder: Path, device: torch.device) -> Data:
        file = dict(np.load(folder / "pieces.npz"))
        begins = file["answer_begins"]
        answers = {int(number): _letters(file["answers"][a:b])
                   for number, a, b in zip(file["answered"], begins, begins[1:], strict=False)}  # fmt: skip
        queries, query_lengths = _padded(file["queries"], file["query_begins"])
        passages, passage_lengths = _padded(file["passages"], file["passage_begins"])
        letters = [_letters(file["passages"][a:b]) for a, b in pairwise(file["passage_begins"])]
        on = [torch.from_numpy(array).to(device) for array in (queries, query_lengths, passages, passage_lengths)]
        return cls(*on, file["spans"], file["choices"], answers, letters)

    def pairs(self, queries: Tensor, passages: Tensor, most: int = 512) -> tuple[Tensor, Tensor, Tensor]:
        """Return the pieces, kinds and lengths of pairs: [CLS] query [SEP] passage [SEP]; ``most`` cuts passages."""
        asked, told = self.query_lengths[queries], self.passage_lengths[passages].clamp(max=most)
        lengths = asked + told + 3
        longest = -(-int(lengths.max()) // 32) * 32
        places = torch.arange(longest, device=queries.device).expand(len(queries), -1)
        from_query = self.queries[queries].gather(1, (places - 1).clamp(0, self.queries.shape[1] - 1))
        begin = (asked + 2)[:, None]
        from_passage = self.passages[passages].gather(1, (places - begin).clamp(0, self.passages.shape[1] - 1))
        pieces = torch.where(places < begin, from_query, from_passage)
        pieces[:, 0] = CLS
        pieces = pieces.masked_fill((places == begin - 1) | (places == lengths[:, None] - 1), SEP)
        inside = (places >= begin) & (places < lengths[:, None] - 1)
        return pieces.masked_fill(places >= lengths[:, None], 0), inside.long(), lengths


def _padded(values: np.ndarray, begins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.diff(begins)
    rows = np.zeros((len(lengths), int(lengths.max())), np.int64)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = values
    return rows, lengths.astype(np.int64)


def _letters(pieces: np.ndarray) -> str:
    return "".join(map(chr, pieces.tolist()))


@torch.no_grad()
def vectors(model: Reader, rows: Tensor, lengths: Tensor) -> Tensor:
    """Return the unit vector of each row by the weights as they are, before any training."""
    found = []
    for start in range(0, len(rows), 512):
        part, long = rows[start : start + 512], lengths[start : start + 512]
        ends = torch.full((len(part), 1), CLS, device=rows.device)
        pieces = torch.cat([ends, part, torch.zeros_like(ends)], 1)
        pieces[torch.arange(len(part), device=rows.device), long + 1] = SEP
        hidden = model.encode(pieces, torch.zeros_like(pieces), long + 2)
        mask = (torch.arange(pieces.shape[1], device=rows.device)[None] < (long + 2)[:, None]).float()
        pooled = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        found.append(torch.nn.functional.normalize(pooled.float(), dim=1))
    return torch.cat(found)


@dataclass(frozen=True, slots=True)
class Group:
    """Pairs that are compared. ``right`` is the place of the right one, or -1; ``kind`` 1 has possible answers."""

    kind: int
    pairs: list[tuple[int, int]]  # query, passage: the wrong ones of kind 0 are drawn anew in each epoch
    wrong: list[int]
    right: int
    first: int = -1
    last: int = -1
    set: int = -1


def nearest(data: Data, model: Reader, *, test: bool) -> dict[int, list[int]]:
    """Return for each question the passages of the same set that are nearest to it and do not have its answer."""
    rows = data.spans[data.spans[:, 1] == int(test)]
    asked = vectors(model, data.queries, data.query_lengths)
    told = vectors(model, data.passages, data.passage_lengths)
    found: dict[int, list[int]] = {}
    for kind in np.unique(rows[:, 0]):
        own = rows[rows[:, 0] == kind]
        passages = np.unique(own[:, 4])
        by_record = defaultdict(set)
        for _, _, record, query, passage, _, _ in own.tolist():
            by_record[record, query].add(passage)
        keys = list(by_record)
        index = torch.from_numpy(passages).to(told.device)
        for start in range(0, len(keys), 4096):
            some = keys[start : start + 4096]
            scores = asked[torch.tensor([query for _, query in some], device=told.device)] @ told[index].T
            best = scores.topk(min(3 * NEAREST, len(passages)), dim=1).indices.cpu().numpy()
            for (record, query), places in zip(some, best, strict=True):
                answer = data.answers.get(record)
                others = (int(passages[place]) for place in places)
                fine = [passage for passage in others if passage not in by_record[record, query]
                        and (answer is None or answer not in data.letters[passage])]  # fmt: skip
                found[record] = fine[:NEAREST]
    return found


def groups(data: Data, near: dict[int, list[int]]) -> list[Group]:
    """Return the groups for training."""
    made = []
    spans = data.spans[data.spans[:, 1] == 0]
    by_record = defaultdict(list)
    for row in spans.tolist():
        by_record[row[2]].append(row)
    for record, rows in by_record.items():
        own = [row for row in rows if row[5] < 0]
        answered = [row for row in rows if row[5] >= 0]
        wrong = [row[4] for row in own if record not in data.answers or
                 data.answers[record] not in data.letters[row[4]]]  # fmt: skip
        if not answered and record not in data.answers:
            made += [Group(0, [(row[3], row[4])], near.get(record, []), -1, set=row[0]) for row in own[:2]]
        for row in answered[:2]:
            made.append(Group(0, [(row[3], row[4])], 4 * wrong + near.get(record, []), 0, row[5], row[6], row[0]))
    by_question = defaultdict(list)
    for row in data.choices[data.choices[:, 1] == 0].tolist():
        by_question[row[2], row[3]].append(row)
    for rows in by_question.values():
        right = [place for place, row in enumerate(rows[:MOST]) if row[5]]
        if right:
            made.append(Group(1, [(row[4], row[3]) for row in rows[:MOST]], [], right[0], set=rows[0][0]))
    return made
