"""NarrativeQA: tables with a folder of stories, or Parquet; books and films apart."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import one_line, paragraphs
from readagent.errors import DatasetError
from readagent_bench.datasets import files, load_cases

BOOK, FILM, OTHER = "b" * 40, "f" * 40, "c" * 40
COLUMNS = ["document_id", "set", "kind", "story_url", "story_file_size", "wiki_url", "wiki_title", "story_word_count",
           "story_start", "story_end"]  # fmt: skip
GUTENBERG = (
    "The Project Gutenberg EBook of The Ferry, by Nobody\n\nThis eBook is for the use of anyone anywhere.\n\n"
    "Title: The Ferry\n\nAuthor: Nobody\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE FERRY ***\n\n\n"
    "Produced by Somebody\n\n\nTHE FERRY\n\nThe ferry went at six, and old Marten went with it, as\nhe had for forty years.\n\n"
    '"Nobody pays twice," he said.\n\n\nEnd of the Project Gutenberg EBook of The Ferry\n\n'
    "*** END OF THIS PROJECT GUTENBERG EBOOK THE FERRY ***\n\nUpdated editions will replace the previous one; see new eBooks.\n"
)
SCENES = "\n".join(
    f"<b>{kind}. A FERRY - DAY\n</b>\n          MARTEN\n     Nobody pays twice, {n}.\n"
    for n in range(4)
    for kind in ("INT", "EXT")
)
PAGE = (
    "<html><head><title>Script</title><script>if (window != top) top.location = 'x';</script></head><body>\n"
    '<table><tr><td>Search scripts here</td></tr></table><td class="scrtext"><pre>\n\n'
    f"          THE FERRY\n\n          Written by\n\n{SCENES}\n     FADE OUT.\n\n</pre></td><p>All rights reserved &copy; somebody.</p></body></html>"
)


def documents(base: Path, *rows: dict[str, str]) -> None:
    base.mkdir(parents=True, exist_ok=True)
    with (base / "documents.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def row(name: str, kind: str, **other: str) -> dict[str, str]:
    return {"document_id": name, "set": "test", "kind": kind, "story_url": "http://x/y", "story_file_size": "1",
            "wiki_url": "http://w", "wiki_title": "The Ferry", "story_word_count": "20", "story_start": "",
            "story_end": "", **other}  # fmt: skip


def questions(base: Path, *names: str) -> None:
    with (base / "qaps.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        tokenized = "question_tokenized answer1_tokenized answer2_tokenized"
        writer.writerow(f"document_id set question answer1 answer2 {tokenized}".split())
        for name in names:
            writer.writerow([name, "test", "Who pays, and when?", "Nobody twice", "nobody, twice", "t", "t", "t"])
            writer.writerow([name, "test", "When does it go?", "At six", "At six ", "t", "t", "t"])


def stories(base: Path, folder: str = "stories") -> None:
    (base / folder).mkdir(parents=True, exist_ok=True)
    (base / folder / f"{BOOK}.content").write_text(GUTENBERG, "utf-8")
    (base / folder / f"{FILM}.content").write_text(PAGE, "latin-1")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "narrativeqa"
    film = row(FILM, "movie", story_start="THE FERRY Written", story_end="FADE OUT .")
    documents(base, row(BOOK, "gutenberg"), film, row(OTHER, "gutenberg", set="valid"))
    questions(base, BOOK, FILM, OTHER)
    stories(base)
    return base


def test_books_come_without_the_licence_around_them(base: Path) -> None:
    (case,) = load_cases("narrativeqa-books", base.parent)
    assert case.id == BOOK
    assert paragraphs(case) == [
        "THE FERRY",
        "The ferry went at six, and old Marten went with it, as he had for forty years.",
        '"Nobody pays twice," he said.',
    ]
    assert case.document.title == "The Ferry"
    assert [example.references for example in case.examples] == [("Nobody twice", "nobody, twice"), ("At six",)]
    assert {example.group for example in case.examples} == {"book"}


def test_films_come_without_the_page_around_them(base: Path) -> None:
    documents(base, row(FILM, "movie", story_start="THE FERRY Written", story_end="FADE OUT ."))
    (case,) = load_cases("narrativeqa-films", base.parent)
    found = paragraphs(case)
    assert found[0] == "THE FERRY"
    assert found.count("MARTEN Nobody pays twice, 1.") == 2
    assert "<" not in case.document.text
    for word in ("window", "Search scripts", "All rights"):
        assert word not in case.document.text
    assert {example.group for example in case.examples} == {"film"}


def test_stories_that_are_missing_are_counted_and_named(base: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        load_cases("narrativeqa-books", base, "dev")
    one_line(caught.value, "stories: 1 of 1 documents of the split are missing", OTHER)
    assert "download_stories.sh" in caught.value.hint
    with pytest.raises(DatasetError) as caught:
        load_cases("narrativeqa-films", base, "train")
    one_line(caught.value, "has no films of the split 'train'")


Write = Callable[[str, list[dict[str, Any]]], Path]


@pytest.fixture
def parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return a function that writes a Parquet file; without pyarrow, JSON that is read in its place."""
    real = find_spec("pyarrow") is not None

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        yield from ((path.name, row) for row in json.loads(path.read_text("utf-8")))

    def write(name: str, rows: list[dict[str, Any]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if real:
            import pyarrow
            from pyarrow import parquet

            parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        else:
            path.write_text(json.dumps(rows), "utf-8")
        return path

    if not real:
        monkeypatch.setattr(files, "_parquet_rows", read)
    return write


def story_row(name: str, kind: str, question: str) -> dict[str, Any]:
    text = f"The tale of {name} begins. Anna keeps the key of {name}. It ends."
    summary = {"text": "A tale.", "tokens": ["A", "tale", "."], "url": "", "title": f"Tale {name}"}
    about = {"id": name, "kind": kind, "url": "", "file_size": 9, "word_count": 9, "start": "", "end": ""}
    answers = [{"text": "Anna", "tokens": ["Anna"]}, {"text": "Anna does", "tokens": ["Anna", "does"]}]
    return {
        "document": {**about, "summary": summary, "text": text},
        "question": {"text": question, "tokens": question.split()},
        "answers": answers,
    }


def test_parquet_files_of_a_hub_have_the_texts(parquet: Write, tmp_path: Path) -> None:
    first = [story_row("one", "gutenberg", "Who?"), story_row("two", "movie", "Who?")]
    parquet("test-00000-of-00024.parquet", first)
    parquet("test-00001-of-00024.parquet", [story_row("one", "gutenberg", "Who keeps it?")])
    parquet("train-00000-of-00001.parquet", [story_row("three", "gutenberg", "Who?")])
    (book,) = load_cases("narrativeqa-books", tmp_path)
    assert (book.id, book.document.title) == ("one", "Tale one")
    assert "Anna keeps the key of one." in book.document.text
    assert [(one.question.text, one.references) for one in book.examples] == [
        ("Who?", ("Anna", "Anna does")), ("Who keeps it?", ("Anna", "Anna does")),
    ]  # fmt: skip
    assert [case.id for case in load_cases("narrativeqa-films", tmp_path)] == ["two"]
    assert [case.id for case in load_cases("narrativeqa-books", tmp_path, "train")] == ["three"]
