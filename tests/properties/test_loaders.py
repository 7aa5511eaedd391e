"""Every loader over files that dice have damaged: a document or one LoadError comes out, and nothing hangs or breaks."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from fixtures.damage import damaged
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.apart.cell import parse_apart
from readagent.loaders.formats import FORMATS, Options, room_of

FIXTURES = Path(__file__).parent.parent / "fixtures"
SEED = 20240214
GIVEN = {  # which fixtures each room is given
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
    "code": ["make.py", "source/print.css", "garden.pandoc.html", "chat.list.json"],
}
QUICK = {name: 10 if spec.apart else 25 for name, spec in FORMATS.items()}
CASES = int(os.environ.get("READAGENT_TEST_CASES", "100"))  # the first ones are the same in every run
MANY = {name: CASES if spec.apart else 2 * CASES for name, spec in FORMATS.items()}


def parsed(name: str, data: bytes) -> Document | LoadError:
    """What the room makes of it, in a process apart where ``load`` would read it there too."""
    file = f"file{next(iter(FORMATS[name].suffixes), '.py')}"
    try:
        if FORMATS[name].apart:
            return parse_apart(name, data, file, Options())
        return room_of(name).parse(data, file, Options())
    except LoadError as error:
        return error


def faults(name: str, found: Document | LoadError) -> list[str]:
    """What a user should not have met: a reader that broke down or went on too long, or a document with holes."""
    if isinstance(found, LoadError):
        told = "" if found.__cause__ is None else f" ({found.__cause__})"
        one_line = str(found) and "\n" not in str(found)
        bad = not one_line or "broke down" in str(found) or "took longer" in str(found)
        return [f"{name}: {found}{told}"] if bad else []
    ends = [0, *(paragraph.end for paragraph in found.paragraphs)]
    starts = [*(paragraph.start for paragraph in found.paragraphs), len(found.text)]
    whole = ends == starts or (not found.paragraphs and not found.text.strip())
    return [] if whole else [f"{name}: the paragraphs do not tile the text"]


def cases(name: str, times: int) -> list[tuple[str, bytes]]:
    """So many damaged files, each with the words to make it again."""
    given = [(file, (FIXTURES / file).read_bytes()) for file in GIVEN[name]]
    others = [data for _, data in given]
    made = []
    for number in range(times):
        file, data = given[number % len(given)]
        dice = Random(zlib.crc32(f"{SEED} {name} {number}".encode()))
        made.append((f"{file}, case {number}", damaged(data, dice, others)))
    return made


def tried(name: str, times: int) -> tuple[list[str], Counter[str]]:
    found, outcomes = [], Counter[str]()
    for case, data in cases(name, times):
        outcome = parsed(name, data)
        outcomes["refused" if isinstance(outcome, LoadError) else "read"] += 1
        found += [f"{case}: {fault}" for fault in faults(name, outcome)]
    return found, outcomes


def test_every_format_is_tried() -> None:
    assert set(GIVEN) == set(FORMATS)


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_damaged_files_are_read_or_refused(name: str) -> None:
    found, outcomes = tried(name, QUICK[name])
    assert not found
    assert outcomes["read"], "damage so great that nothing is read tries nothing"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GIVEN))
def test_many_damaged_files_are_read_or_refused(name: str) -> None:
    found, _ = tried(name, MANY[name])
    assert not found


@pytest.mark.parametrize("name", sorted(GIVEN))
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
