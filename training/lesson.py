"""What a teacher makes of every pair that a reader is trained on, worked out once and kept on the device."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from batches import Data, Group
from network import Reader
from torch import Tensor

_BATCH = 512


@dataclass(frozen=True, slots=True)
class Lesson:
    """The verdicts of the teachers on each pair of each group, and their chances of the first and last piece.

    ``pairs`` has the pairs of each group, the right one first and then the wrong passages that may be drawn. ``begins``
    says where their verdicts begin. The chances are those of the first pair, one row after another from ``at``.
    """

    pairs: list[list[tuple[int, int]]]
    begins: list[int]
    verdicts: Tensor
    chances: Tensor
    at: Tensor
    lengths: Tensor

    def spans(self, groups: Sequence[int], longest: int) -> Tensor:
        """Return the chances for the first pair of some groups, padded with zeros."""
        numbers = torch.tensor(groups, device=self.at.device)
        places = torch.arange(longest, device=self.at.device)[None]
        inside = places < self.lengths[numbers][:, None]
        rows = (self.at[numbers][:, None] + places).clamp(max=len(self.chances) - 1)
        return self.chances[rows].float() * inside[:, :, None]


@torch.no_grad()
def taught(teachers: Sequence[Reader], data: Data, groups: list[Group], kept: int, rng: random.Random) -> Lesson:
    """Return what the teachers make of the pairs of each group, with up to ``kept`` of its wrong passages."""
    pairs, begins, flat, firsts = [], [], [], []
    for group in groups:
        own = list(group.pairs)
        if group.kind == 0 and group.wrong:
            wrong = dict.fromkeys(rng.sample(group.wrong, min(2 * kept, len(group.wrong))))
            own += [(own[0][0], passage) for passage in list(wrong)[:kept]]
        begins.append(len(flat))
        firsts += [number == 0 for number in range(len(own))]
        flat += own
        pairs.append(own)
    device = data.queries.device
    every, first = torch.tensor(flat, device=device), torch.tensor(firsts, device=device)
    kinds = torch.tensor([group.kind for group, own in zip(groups, pairs, strict=True) for _ in own], device=device)
    lengths = data.query_lengths[every[:, 0]] + data.passage_lengths[every[:, 1]] + 3
    room = torch.where(first, lengths, 0)
    at = room.cumsum(0) - room
    chances = torch.zeros(int(room.sum()), 2, dtype=torch.float16, device=device)
    verdicts = torch.zeros(len(flat), device=device)
    order = lengths.argsort()
    for start in range(0, len(order), _BATCH):
        some = order[start : start + _BATCH]
        inputs = data.pairs(every[some, 0], every[some, 1])
        for teacher in teachers:
            with torch.autocast(device.type, torch.bfloat16):
                spans, verdict = teacher(*inputs)
            verdicts[some] += verdict.gather(1, kinds[some][:, None])[:, 0].sigmoid() / len(teachers)
            places = torch.arange(spans.shape[1], device=device)[None]
            inside = (places < lengths[some][:, None]) & first[some][:, None]
            chances[(at[some][:, None] + places)[inside]] += (spans.softmax(1)[inside] / len(teachers)).half()
    numbers = torch.tensor(begins, device=device)
    return Lesson(pairs, begins, verdicts, chances, at[numbers], lengths[numbers])
