"""QuALITY: stories and articles of about 5,000 words with four-way questions, in the authors' format.

An article has a line for each writer of questions. The HTML-stripped files are used if both kinds are there. Hubs have
Parquet files with a row for each question.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from readagent.core.document import Document
from readagent.core.question import letter
from readagent.core.words import Paragraph
from readagent_bench.datasets.dataset import Dataset
from readagent_bench.datasets.files import base_folder, of_split, shards
from readagent_bench.datasets.narrativeqa import is_page, strip
from readagent_bench.datasets.records import Record, lines_of
from readagent_bench.example import Case, Example

_GAP = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_WRAP = re.compile(r"(?<=[^\n])\n (?=[a-z])")
_BARE = re.compile(r"(?<=[.!?…:\"'”’)\]*—])[^\S\n]*\n(?=[A-Z\"“‘\[(][^\n]{44})")  # not indented, so not a wrapped line
_FEW = 3  # wrapped lines that may be accidental
_DIFFICULT = {0: "easy", 1: "hard"}


def load(folder: Path, split: str) -> list[Case]:
    """Load the articles of a split. The keys of the test split are not published."""
    found = of_split(base_folder(folder, "quality", ("data/v1.0.1",)), "quality", split)
    files = shards([path for path in found if "htmlstripped" in path.name] or found)
    articles: dict[str, Document] = {}
    examples: dict[str, list[Example]] = {}
    for record in lines_of(files):
        if "question" in record:  # a row of a hub
            name = hashlib.sha256(record.text("article").encode("utf-8", "surrogatepass")).hexdigest()[:12]
            if name not in articles:
                articles[name] = _document(record)
            known = examples.setdefault(name, [])
            known.append(_hub_example(record, f"{name}_{len(known) + 1}"))
            continue
        name = record.text("article_id")
        if name not in articles:
            articles[name] = _document(record)
        known = examples.setdefault(name, [])
        for number, question in enumerate(record.records("questions"), 1):
            known.append(_example(question, f"{record.text('set_unique_id', name)}_{number}"))
    return [Case(name, document, tuple(examples[name])) for name, document in articles.items()]


def _example(record: Record, numbered: str) -> Example:
    options = record.texts("options")
    question = record.question(record.text("question"), options, "choice")
    gold = ""
    if "gold_label" in record:
        label = record.integer("gold_label")
        if not 1 <= label <= len(options):
            raise record.wrong(f'"gold_label" is {label}, but there are {len(options)} options')
        gold = letter(label - 1)
    group = _DIFFICULT.get(record.integer("difficult"), "") if "difficult" in record else ""
    return Example(record.text("question_unique_id", numbered), question, gold=gold, group=group)


def _hub_example(record: Record, name: str) -> Example:
    """Return the question of a row, whose key counts from 0."""
    options = record.texts("options")
    question = record.question(record.text("question"), options, "choice")
    key = record.integer("answer")
    if not 0 <= key < len(options):
        raise record.wrong(f'"answer" is {key}, but there are {len(options)} options, counted from 0')
    hard = record.boolean("hard") if "hard" in record else ""
    return Example(name, question, gold=letter(key), group={"true": "hard", "false": "easy"}.get(hard, ""))


def _document(record: Record) -> Document:
    text, title = record.text("article"), record.text("title", "").strip()
    if is_page(text):
        text = strip(text)
    if not text.strip():
        raise record.wrong('"article" is empty')
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
    measures=("accuracy",),
    licence="CC BY 4.0; each article under the licence that its record names",
    homepage="https://github.com/nyu-mll/quality",
    files="QuALITY.v1.0.1.htmlstripped.dev (or .train, .test), one JSON object per line",
    splits=("train", "dev", "test"),
    default="dev",
    load=load,
)
