"""QuALITY: stories and articles of about 5,000 words with four-way questions, in the authors' format.

An article has a line for each writer of questions. The HTML-stripped files are used if both kinds are there.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.words import Paragraph
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, of_split, placed, read, single
from readagent_bench.datasets.narrativeqa import is_page, strip
from readagent_bench.records import Case, Example

_GAP = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_WRAP = re.compile(r"(?<=[^\n])\n (?=[a-z])")
_BARE = re.compile(r"(?<=[.!?…:\"'”’)\]*—])[^\S\n]*\n(?=[A-Z\"“‘\[(][^\n]{44})")  # not indented, so not a wrapped line
_FEW = 3  # wrapped lines that may be accidental
_DIFFICULT = {0: "easy", 1: "hard"}


class _Asked(msgspec.Struct):
    """A question; its key counts from 1, and the test split has none."""

    question: str
    options: list[str]
    question_unique_id: str = ""
    gold_label: int | None = None
    difficult: int | None = None


class _Article(msgspec.Struct):
    """A line: an article with the questions of one writer."""

    article_id: str
    article: str
    questions: list[_Asked]
    title: str | None = None
    set_unique_id: str | None = None


def load(folder: Path, split: str) -> list[Case]:
    """Load the articles of a split. The keys of the test split are not published."""
    found = of_split(base_folder(folder, "quality", "data/v1.0.1"), "quality", split)
    file = single([path for path in found if "htmlstripped" in path.name] or found)
    articles: dict[str, Document] = {}
    examples: dict[str, list[Example]] = {}
    for place, record in read(file, _Article):
        name = record.article_id
        with placed(place):
            if name not in articles:
                articles[name] = _document(record)
            known = examples.setdefault(name, [])
            for number, asked in enumerate(record.questions, 1):
                known.append(_example(asked, f"{record.set_unique_id or name}_{number}"))
    return [Case(name, document, tuple(examples[name])) for name, document in articles.items()]


def _example(asked: _Asked, numbered: str) -> Example:
    question = Question.choice(asked.question.strip(), [option.strip() for option in asked.options])
    label, gold = asked.gold_label, ""
    if label is not None:
        if not 1 <= label <= len(asked.options):
            raise ValueError(f'"gold_label" is {label}, but there are {len(asked.options)} options')
        gold = question.letters[label - 1]
    group = "" if asked.difficult is None else _DIFFICULT.get(asked.difficult, "")
    return Example(asked.question_unique_id or numbered, question, gold=gold, group=group)


def _document(record: _Article) -> Document:
    text, title = record.article, (record.title or "").strip()
    if is_page(text):
        text = strip(text)
    if not text.strip():
        raise ValueError('"article" is empty')
    if len(_WRAP.findall(text)) <= _FEW:
        return Document.from_text(text, title=title)
    starts = _starts(text)
    spans = zip(starts, [*starts[1:], len(text)], strict=True)
    return Document(text, tuple(Paragraph(i, a, b) for i, (a, b) in enumerate(spans)), title=title)


def _starts(text: str) -> list[int]:
    """Return the offsets at which the paragraphs of a stripped Gutenberg story start.

    Its paragraphs are two blank lines apart, and wrapped lines start with a space. Each removed tag left a line end:
    around words in italics, where no paragraph ends, and before a scene, whose first line is a full one.
    """
    gaps = list(_GAP.finditer(text))
    wide = [gap for gap in gaps if gap.group().count("\n") > 2]
    breaks = wide if 2 * len(wide) > len(gaps) else gaps
    found = {gap.end() for gap in breaks} | {line.end() for line in _BARE.finditer(text)}
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    return [0, *sorted(start for start in found if first < start < last)]


DATASET = Dataset(
    name="quality",
    title="QuALITY",
    preset="articles",
    licence="CC BY 4.0; each article under the licence that its record names",
    homepage="https://github.com/nyu-mll/quality",
    splits=("train", "dev", "test"),
    default="dev",
    load=load,
)
