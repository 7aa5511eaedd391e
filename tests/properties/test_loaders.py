"""Every parser on randomly damaged files: the result is a document or one LoadError, and nothing hangs or crashes."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from fixtures.damage import damaged
from fixtures.small_files import EXAMPLES
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import FORMATS, Options
from readagent.loaders.sandbox.pool import parse_in_sandbox

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parent.parent / "fixtures"
SEED = 20240214
GIVEN = {  # the fixtures for each parser; EXAMPLES has those of other formats
    "text": ["story.txt", "cyrillic.koi8-r.txt", "mixed.utf-16.txt"],
    "markdown": ["garden.md", "garden.pandoc.md"],
    "html": ["garden.pandoc.html", "garden.libreoffice.html", "garden.site.html"],
    "pdf": [
        "garden.libreoffice.pdf",
        "garden.chromium.pdf",
        "story.chromium-columns.pdf",
        "garden.libreoffice-columns.pdf",
        "scanned.pdf",
    ],
    "epub": ["garden.pandoc.epub", "garden.pandoc-2.epub", "garden.libreoffice.epub"],
    "docx": ["garden.pandoc.docx", "garden.libreoffice.docx"],
    "odt": ["garden.pandoc.odt", "garden.libreoffice.odt"],
    "rtf": ["garden.pandoc.rtf", "garden.libreoffice.rtf"],
    "subtitles": ["meeting.srt", "meeting.vtt"],
    "transcript": ["meeting.txt", "meeting.qmsum.json"],
    "chat": ["chat.list.json", "chat.parts.json", "chat.lines.jsonl", "meeting.qmsum.json"],
    "code": ["recovered.py", "source/print.css", "garden.pandoc.html", "chat.list.json"],
}
QUICK = 10
CASES = int(os.environ.get("READAGENT_TEST_CASES", "100"))  # the first ones are the same in every run


def parsed(name: str, data: bytes) -> Document | LoadError:
    """Parse the data as ``load`` does if it is told the format."""
    file = f"file{next(iter(FORMATS[name].suffixes), '.py')}"
    try:
        return parse_in_sandbox(data, file, Options(format=name))
    except LoadError as error:
        return error


def faults(name: str, found: Document | LoadError) -> list[str]:
    """Return what must not happen: a parser that crashed or took too long, or a document with gaps."""
    if isinstance(found, LoadError):
        cause = "" if found.__cause__ is None else f" ({found.__cause__})"
        one_line = str(found) and "\n" not in str(found)
        bad = not one_line or "parser crashed" in str(found) or "took longer" in str(found)
        return [f"{name}: {found}{cause}"] if bad else []
    ends = [0, *(paragraph.end for paragraph in found.paragraphs)]
    starts = [*(paragraph.start for paragraph in found.paragraphs), len(found.text)]
    whole = ends == starts or (not found.paragraphs and not found.text.strip())
    return [] if whole else [f"{name}: the paragraphs do not cover the text"]


def cases(name: str, times: int) -> list[tuple[str, bytes]]:
    """Return damaged files, each with a description of how to reproduce it."""
    given = [(file, (FIXTURES / file).read_bytes()) for file in GIVEN.get(name, ())]
    given += [(f"example {number}", data) for number, data in enumerate(EXAMPLES.get(name, ()))]
    others = [data for _, data in given]
    made = []
    for number in range(times):
        file, data = given[number % len(given)]
        rng = Random(zlib.crc32(f"{SEED} {name} {number}".encode()))
        made.append((f"{file}, case {number}", damaged(data, rng, others)))
    return made


def tried(name: str, times: int) -> tuple[list[str], Counter[str]]:
    found, outcomes = [], Counter[str]()
    for case, data in cases(name, times):
        outcome = parsed(name, data)
        outcomes["refused" if isinstance(outcome, LoadError) else "read"] += 1
        found += [f"{case}: {fault}" for fault in faults(name, outcome)]
    return found, outcomes


def test_every_format_is_tried() -> None:
    assert {*GIVEN, *EXAMPLES} == set(FORMATS)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_damaged_files_are_read_or_refused(name: str) -> None:
    found, outcomes = tried(name, QUICK)
    assert not found
    assert outcomes["read"], "the damage is so great that no file is read"


@pytest.mark.release
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_many_damaged_files_are_read_or_refused(name: str) -> None:
    found, _ = tried(name, CASES)
    assert not found


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_file_of_another_format_is_read_or_refused(name: str) -> None:
    strange = ["garden.pandoc.epub", "garden.libreoffice.rtf", "meeting.vtt", "scanned.pdf", "mixed.utf-16.txt"]
    files = [(file, (FIXTURES / file).read_bytes()) for file in strange]
    for file, data in [
        *files,
        ("nothing", b""),
        ("white space", b" \n"),
        ("zeros", bytes(1000)),
        ("marks", b"<{[" * 999),
    ]:
        assert not faults(name, parsed(name, data)), file
