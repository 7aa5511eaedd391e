"""Stories with planted people and dated events, and a perfect reader of them that goes by the prompt alone."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from typing import Any

from readagent.core.document import Document
from readagent.core.model import Ask
from readagent.core.words import sentences
from readagent.testing.skim import skim

_FIRST = (
    "Anna Bruno Clara David Edith Frank Greta Heinz Irene Jonas Klara Lukas Marta Nils Olga Peter Rosa Stefan Ulrich"
).split()
_LAST = (
    "Abel Brandt Conrad Decker Ehlers Fuchs Gerber Hahn Imhof Jansen Keller Lorenz Mertens Nagel Ott Pohl Reuter Seidel"
).split()
_MONTHS = "January February March April May June July August September October November December".split()
_WORDS = "the mill stood quiet while grain and water went their way under a low sky and nobody spoke of rain".split()


def story(words: int, facts: int, seed: int = 0) -> tuple[Document, list[str], list[str]]:
    """Return a story of about so many words, the names of its people and the sentences of its events."""
    dice = random.Random(seed)
    names = [f"{first} {last}" for last in _LAST for first in _FIRST]
    chosen = dice.sample(names, min(facts, len(names)))
    events = []
    for at in range(facts):
        day, month = 1 + at % 28, _MONTHS[at // 28 % 12]
        events.append(
            f"On {day} {month} {1700 + at // 336} {chosen[at % len(chosen)]} opened gate {at + 1} of the mill."
        )
    paragraphs = []
    for event in events:
        filler = " ".join(
            " ".join(dice.choices(_WORDS, k=9)).capitalize() + "." for _ in range(max(1, words // facts // 10))
        )
        paragraphs.append(f"{filler} {event}")
    return Document.from_text("\n\n".join(paragraphs)), chosen, events


def perfect(ask: Ask) -> str:
    """Reply like a reader who misses no planted fact: gists keep them, and lists have all of them."""
    return perfectly(ask.prompt)


def perfectly(prompt: str, constraint: Mapping[str, Any] | None = None) -> str:
    """Return the same for the text of a prompt, as a server does."""
    passage = prompt.partition("<passage>")[2].partition("</passage>")[0]
    if passage and constraint is None and "Reply with the shortened passage" in prompt:
        return f"Gist: {_planted(passage)}"
    if passage and "Reply for every page" in prompt:
        return _pages(passage, json.loads(skim(prompt, {"properties": {"pages": {}}}))["pages"])
    if "<statements>" in prompt:
        count = len(re.findall(r"^\d+: ", prompt.partition("<statements>")[2].partition("</statements>")[0], re.M))
        return "\n".join(f"{at}: yes" for at in range(1, count + 1))
    return skim(prompt, constraint)


def _planted(passage: str) -> str:
    """Return the planted facts of a passage."""
    kept = [one for one in sentences(passage) if re.search(r"opened gate \d+ of the mill", one)]
    return " ".join(kept) or "The mill stood quiet."


def _pages(passage: str, pages: list[dict[str, Any]]) -> str:
    """Return the pages that a passage is divided into, each with its planted facts, as JSON."""
    pieces = re.split(r"\n<(\d+)>", passage)
    texts = list(zip(map(int, pieces[1::2]), pieces[0::2], strict=False))
    start, found = 0, []
    for end in (page["end"] for page in pages):
        text = "".join(text for label, text in texts if start < label <= end)
        found.append({"end": end, "gist": _planted(text)})
        start = end
    return json.dumps({"pages": found})
