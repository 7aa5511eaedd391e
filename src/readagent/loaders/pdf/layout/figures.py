"""Keep the words inside a drawing together and out of the text: loose labels directly above the caption of a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from readagent.loaders.pdf.layout.paragraphs import Kind, Passage

_CAPTION = re.compile(r"(?i)(?:figure|fig\.|abbildung|abb\.|figura|рис\.|图|圖|図)\s*[\dA-Z][\d.]*\s*[:.—–-]?\s")
_MIN_LABELS = 3
_MAX_WORDS = 4  # of a line of a label


def with_figures(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages with the labels of each figure joined to one passage."""
    found: list[Passage] = []
    for passage in passages:
        if _CAPTION.match(passage.text):
            start = len(found)
            while start and found[start - 1].sheet == passage.sheet and _is_label(found[start - 1]):
                start -= 1
            labels = found[start:]
            if len(labels) >= _MIN_LABELS:
                lines = tuple(line for label in labels for line in label.lines)
                found[start:] = [replace(labels[0], lines=lines, kind=Kind.FIGURE)]
        found.append(passage)
    return found


def figure_of(passage: Passage) -> str:
    """Return the labels of a figure on one line, named as such."""
    return f"[Labels in the figure: {' / '.join(line.text for line in passage.lines)}]"


def _is_label(passage: Passage) -> bool:
    short = all(len(line.text.split()) <= _MAX_WORDS for line in passage.lines)
    return short and not passage.lines[-1].ends_sentence and passage.kind is not Kind.CONTENTS
