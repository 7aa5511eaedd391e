"""NarrativeQA: whole books and film scripts, with questions by people who had only read a summary.

Four formats are supported: the authors' tables with a folder of stories, SCROLLS, one JSON object per story, and the
Parquet files of hubs, with one row per question. Books and films are two data sets, for they are read with different
plans.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from readagent.core.document import Document
from readagent.errors import DatasetError, LoadError
from readagent.loaders.blocks import Block, compose, tidy
from readagent.loaders.html.parser import blocks_of
from readagent.loaders.text.decode import decode
from readagent.loaders.text.plain import book_of
from readagent_bench.datasets.dataset import Dataset, Missing, names_of
from readagent_bench.datasets.files import base_folder, listed, missing, of_split, parquet_files
from readagent_bench.datasets.records import Record, csv_rows, json_lines, lines_of
from readagent_bench.datasets.scrolls import Input, gather, is_scrolls
from readagent_bench.example import Case, Example

_HTML = re.compile(r"<(?:html|head|body|pre|p|br|td|div|b)\b[^>]*>", re.IGNORECASE)
_FORMATTED = re.compile(r"<pre\b", re.IGNORECASE)
_OPENING = 20_000  # characters that show whether a text is a web page


def is_page(text: str) -> bool:
    """Return whether a text is a web page: it has several tags that plain text does not have."""
    return len(_HTML.findall(text[:_OPENING])) > 2


def strip(page: str) -> str:
    """Return the text of a page; only the preformatted part if that is most of it, as with film scripts."""
    blocks = blocks_of(page)
    formatted = [block for block in blocks if block.lines] if _FORMATTED.search(page) else []
    words = sum(len(block.text.split()) for block in blocks)
    mostly = 2 * sum(len(block.text.split()) for block in formatted) > words
    return "\n\n".join(tidy(block) for block in (formatted if mostly else blocks)) + "\n"


_FOLDERS = ("stories", "tmp", "")  # the authors' script downloads into tmp
_SUFFIXES = (".content", ".txt", ".html")
_SCENE = re.compile(r"^[ \t]*(?:\d+[A-Z]?\.?[ \t]+)?(?:INT|EXT)\b[.: /]", re.MULTILINE)
_FEW_SCENES = 5
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_LEAST_KEPT = 0.3  # of a page; if less is between its first and last words, those were matched by mistake


def has_stories(base: Path) -> bool:
    """Return whether there is a folder with stories."""
    return any((base / folder).is_dir() for folder in _FOLDERS if folder)


def story_file(base: Path, name: str) -> Path | None:
    """Return the file with the story of this id; None if there is none."""
    candidates = (base / folder / f"{name}{suffix}" for folder in _FOLDERS for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def story(path: Path, row: Record, *, film: bool) -> Document:
    """Load a story without the licence of the book or the web page around the script."""
    try:
        text, _ = decode(path.read_bytes(), str(path))
    except (OSError, LoadError) as error:
        raise row.wrong(f"cannot read its story: {error}") from error
    return _cleaned(text, row, row.text("wiki_title", ""), film=film, place=f": {path}")


def hub_story(about: Record, *, film: bool) -> Document:
    """Return a story that is in the record of a hub, without the licence of the book or the page around the script."""
    marks = {"story_start": about.text("start", ""), "story_end": about.text("end", "")}
    title = about.record("summary").text("title", "") if "summary" in about else ""
    return _cleaned(about.text("text"), Record(marks, about.place), title, film=film)


def _cleaned(text: str, row: Record, title: str, *, film: bool, place: str = "") -> Document:
    text = _script(text, row) if film else book_of(strip(text) if is_page(text) else text).text
    if not text.strip():
        raise row.wrong(f"its story is empty{place}")
    return Document.from_text(text, title=title.strip())


def written(record: Record) -> Document:
    """Return a story that is a list of paragraphs; headings start with ``#``."""
    blocks = []
    for paragraph in record.texts("paragraphs"):
        heading = _HEADING.fullmatch(paragraph.strip())
        blocks.append(Block(heading[2], heading=len(heading[1])) if heading else Block(paragraph))
    document = compose(blocks, title=record.text("title", ""))
    if not document.text:
        raise record.wrong('"paragraphs" has no words')
    return document


def looks_like_film(text: str) -> bool:
    """Return whether a text has scene headings, as film scripts do."""
    return len(_SCENE.findall(text)) >= _FEW_SCENES


def _script(text: str, row: Record) -> str:
    """Return a script from ``story_start`` to ``story_end`` of the table, if they are found."""
    seen = strip(text) if is_page(text) else text
    start = _words(row.text("story_start", "")).search(seen)
    ends = list(_words(row.text("story_end", "")).finditer(seen, start.end() if start else 0))
    kept = seen[start.start() if start else 0 : ends[-1].end() if ends else len(seen)]
    return kept if len(kept) >= _LEAST_KEPT * len(seen) else seen


def _words(tokens: str) -> re.Pattern[str]:
    """Return a pattern for words that the table has with white space around punctuation."""
    parts = [re.escape(token) for token in tokens.split()]
    return re.compile(r"\s*".join(parts)) if parts else re.compile(r"(?!)")


_KINDS = {"gutenberg": "book", "movie": "film"}
_DOCUMENTS = ("document_id", "set", "kind")
_QUESTIONS = ("document_id", "question", "answer1", "answer2")
_DOWNLOAD = "download them with the authors' download_stories.sh"


def load(folder: Path, split: str, kind: str = "") -> list[Case]:
    """Load the stories of a split; only books or films if ``kind`` is ``book`` or ``film``."""
    base = base_folder(folder, "narrativeqa", ("narrative_qa",))
    if _has_tables(base):
        return _from_tables(base, split, kind)
    cases = list(_from_lines(base, split, kind)) or list(_from_parquet(base, split, kind))
    if not cases:
        raise missing(base, "narrativeqa", f"no {kind or 'storie'}s of the split {split!r}")
    return cases


def _has_tables(base: Path) -> bool:
    """Return whether there are the authors' tables; next to other formats they need a folder of stories."""
    tables = base.is_dir() and all((base / name).is_file() for name in ("documents.csv", "qaps.csv"))
    return tables and (has_stories(base) or not any(path.suffix == ".jsonl" for path in listed(base)))


def _from_tables(base: Path, split: str, kind: str) -> list[Case]:
    wanted = _listed(base, split, kind)
    if not wanted:
        raise DatasetError(f"{base / 'documents.csv'} has no {kind or 'storie'}s of the split {split!r}")
    files = {name: story_file(base, name) for name in wanted}
    if not any(files.values()):
        raise DatasetError(f"{base / 'stories'}: {Missing(tuple(files), len(files))}", hint=_DOWNLOAD)
    asked: dict[str, list[Record]] = {name: [] for name in wanted}
    for question in csv_rows(base / "qaps.csv", _QUESTIONS):
        asked.get(question.text("document_id"), []).append(question)
    return [
        _case(name, story(file, row, film=_kind(row) == "film"), _kind(row), map(_answered, asked[name]))
        for (name, row), file in zip(wanted.items(), files.values(), strict=True)
        if file is not None
    ]


def _listed(base: Path, split: str, kind: str) -> dict[str, Record]:
    """Return the rows of the stories of a split by their ids."""
    rows = [row for row in csv_rows(base / "documents.csv", _DOCUMENTS) if _of_split(row, split)]
    return {row.text("document_id"): row for row in rows if not kind or _kind(row) == kind}


def missing_stories(folder: Path, split: str, kind: str = "") -> Missing | None:
    """Return the stories of a split that are not there; None if all are."""
    base = base_folder(folder, "narrativeqa", ("narrative_qa",))
    if not _has_tables(base):
        return None
    wanted = _listed(base, split, kind)
    absent = tuple(name for name in wanted if story_file(base, name) is None)
    return Missing(absent, len(wanted), f"{_DOWNLOAD} to {base}") if absent else None


def _from_lines(base: Path, split: str, kind: str) -> Iterator[Case]:
    if base.suffix.lower() == ".parquet":
        return
    for path in [base] if base.is_file() else [path for path in listed(base) if path.suffix == ".jsonl"]:
        records = json_lines(path)
        first = next(records)
        together = itertools.chain([first], records)
        if not is_scrolls(first):
            yield from (_written(record) for record in together if _of_split(record, split) and _kind(record, kind))
        elif path in of_split(base, "narrativeqa", split):
            kinds = _known_kinds(path.parent / "documents.csv")
            yield from (case for case in _from_scrolls(gather(together), kinds) if not kind or _is(case, kind))


def _from_parquet(base: Path, split: str, kind: str) -> Iterator[Case]:
    """Yield the stories in the Parquet files of a hub: in the authors' fields, nested, or in the format of SCROLLS."""
    if base.is_file() and base.suffix.lower() != ".parquet":
        return
    if base.is_dir() and not parquet_files(base, ("narrativeqa", *names_of(split))):
        return
    records = lines_of(of_split(base, "narrativeqa", split))
    first = next(records)
    together = itertools.chain([first], records)
    if is_scrolls(first):
        kinds = _known_kinds((base if base.is_dir() else base.parent) / "documents.csv")
        yield from (case for case in _from_scrolls(gather(together), kinds) if not kind or _is(case, kind))
        return
    stories: dict[str, tuple[Document, str]] = {}
    asked: dict[str, list[tuple[Record, Sequence[str]]]] = {}
    for record in together:
        about = record.record("document")
        name, found = about.text("id"), _kind(about)
        if kind and found != kind:
            continue
        if name not in stories:
            stories[name] = hub_story(about, film=found == "film"), found
        question = record.record("question")
        answers = [answer.text("text") for answer in record.records("answers")] if "answers" in record else []
        asked.setdefault(name, []).append((Record({"question": question.text("text")}, record.place), answers))
    for name, (document, found) in stories.items():
        yield _case(name, document, found, asked[name])


def _written(record: Record) -> Case:
    answers = ((question, question.texts("answers")) for question in record.records("questions"))
    return _case(record.text("document_id"), written(record), _kind(record), answers)


def _from_scrolls(inputs: Iterable[Input], kinds: Mapping[str, str]) -> Iterator[Case]:
    """Yield cases; SCROLLS numbers the questions of a story as ``<document_id>_0``, ``<document_id>_1``."""
    for found in inputs:
        name = next(iter(found.questions)).rpartition("_")[0] or next(iter(found.questions))
        kind = kinds.get(name) or ("film" if looks_like_film(found.text) else "book")
        examples = [
            Example(asked.id, asked.record.question(asked.text), tuple(asked.answers), group=kind)
            for asked in found.questions.values()
        ]
        yield Case(name, Document.from_text(found.text), tuple(examples))


def _case(name: str, document: Document, kind: str, asked: Iterable[tuple[Record, Sequence[str]]]) -> Case:
    examples = []
    for number, (record, answers) in enumerate(asked, 1):
        references = dict.fromkeys(answer.strip() for answer in answers if answer.strip())
        question = record.question(record.text("question"))
        examples.append(Example(f"{name}-{number}", question, tuple(references), group=kind))
    return Case(name, document, tuple(examples))


def _answered(row: Record) -> tuple[Record, Sequence[str]]:
    return row, (row.text("answer1"), row.text("answer2"))


def _of_split(record: Record, split: str) -> bool:
    return record.text("set").lower() in names_of(split)


def _kind(record: Record, wanted: str = "") -> str:
    """Return ``book`` or ``film``; empty if another kind is wanted."""
    kind = _KINDS.get(record.text("kind").lower())
    if kind is None:
        raise record.wrong(f'"kind" is {record.text("kind")!r}, not one of {", ".join(_KINDS)}')
    return kind if wanted in ("", kind) else ""


def _known_kinds(documents: Path) -> dict[str, str]:
    if not documents.is_file():
        return {}
    return {row.text("document_id"): _kind(row) for row in csv_rows(documents, _DOCUMENTS)}


def _is(case: Case, kind: str) -> bool:
    return case.examples[0].group == kind


def _dataset(name: str, title: str, preset: str, kind: str) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        preset=preset,
        measures=("free",),
        licence="Apache-2.0 for tables and questions; the stories belong to their authors",
        homepage="https://github.com/google-deepmind/narrativeqa",
        files="documents.csv, qaps.csv and a folder stories with <document_id>.content; or SCROLLS' validation.jsonl",
        splits=("train", "valid", "test"),
        default="test",
        load=partial(load, kind=kind),
        missing=partial(missing_stories, kind=kind),
    )


DATASETS = (
    _dataset("narrativeqa-books", "NarrativeQA, books", "books", "book"),
    _dataset("narrativeqa-films", "NarrativeQA, film scripts", "scripts", "film"),
)
