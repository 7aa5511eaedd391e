"""Pauses by vectors and by likelihood where the right place is known: small texts, and section starts."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from time import monotonic

from common import ROOT, Rows, Value
from embedded_reading import chapters, without_headings
from embedded_setup import Setup

from readagent.core.document import Document
from readagent.embedded.pause import best_pause

_LEFT = (3, 2, 4, 3, 4, 2, 3, 4, 2, 3, 4, 2)  # paragraphs on the first topic
_TEXT = 7  # paragraphs
_AROUND = 4  # paragraphs shown on each side of a section start

Passage = tuple[list[str], int]  # paragraphs, and the number of the last one before the change, from 1


def two_topics() -> list[Passage]:
    """Return twelve texts that change their topic once, between two paragraphs."""
    text = (ROOT / "benchmarks" / "embedded_topics.txt").read_text("utf-8").strip()
    topics = [topic.split("\n\n") for topic in text.split("\n\n* * *\n\n")]
    others = topics[5:] + topics[:5]
    return [
        ([*one[:left], *other[: _TEXT - left]], left) for one, other, left in zip(topics, others, _LEFT, strict=True)
    ]


def section_starts(file: Path, words: int) -> list[Passage]:
    """Return the paragraphs around every second section start of a book without its headings."""
    text, starts = without_headings(chapters(file, words))
    paragraphs = Document.from_text(text).paragraphs
    firsts = [index for index, paragraph in enumerate(paragraphs) if paragraph.start in set(starts)]
    around = [paragraphs[first - _AROUND : first + _AROUND] for first in firsts[::2] if first >= _AROUND]
    return [([text[paragraph.start : paragraph.end].strip() for paragraph in some], _AROUND) for some in around]


async def by_likelihood(file: Path, setup: Setup, quick: bool) -> tuple[dict[str, Rows], dict[str, Value]]:
    """Return the share of right places by each method. Results are cached, so seconds are those of a first run."""
    sets = {"two topics": two_topics()[: 1 if quick else None]}
    if not quick:
        sets["section starts"] = section_starts(file, 60_000)
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {}
    for name, passages in sets.items():
        for way, gain in (("meaning", None), ("likelihood", setup.wording.likelihood_gain)):
            began = monotonic()
            met = [
                await best_pause(pieces, len(pieces) - 1, setup.embedder, gain) == right for pieces, right in passages
            ]
            chance = fmean(1 / (len(pieces) - 1) for pieces, _ in passages)
            shares: dict[str, Value] = {"met": 100 * fmean(met), "by chance": 100 * chance}
            rows.append({"texts": name, "number": len(passages), "pauses by": way, **shares,
                         "seconds each": (monotonic() - began) / len(passages)})  # fmt: skip
            figures[f"pauses_{name.replace(' ', '_')}_by_{way}"] = 100 * fmean(met)
        figures[f"pauses_{name.replace(' ', '_')}"] = len(passages)
    return {"Pauses by meaning and by likelihood": rows}, figures
