"""Malicious and badly broken files: one clear error with a hint, and the other files still load."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.damage import packed
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders import Loaded, Skipped, load, load_all

FIXTURES = Path(__file__).parent.parent / "fixtures"
Write = Callable[[str, bytes | str], Path]
LAUGHS = (
    '<!DOCTYPE l [<!ENTITY a "ha ha ha ha ha ha ha ha ha ha ">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghij", "bcdefghijk", strict=True))
    + "]>"
)
OUTSIDE = '<!DOCTYPE l [<!ENTITY k SYSTEM "file:///etc/passwd">]>'


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, data: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write_file


def refused(path: Path) -> LoadError:
    """Return the error of a refused file: one line that names the file, and a hint."""
    with pytest.raises(LoadError) as caught:
        load(path)
    error = caught.value
    assert path.name in str(error)
    assert "\n" not in str(error)
    assert "crashed" not in str(error)
    assert error.hint
    return error


def outcome(path: Path) -> Document | LoadError:
    """Load a file for which both a document and an error are correct."""
    found: Document | LoadError
    try:
        found = load(path)
    except LoadError as error:
        found = error
    message = str(found) if isinstance(found, LoadError) else ""
    assert not [bad for bad in ("\n", "took longer", "parser crashed") if bad in message], message
    return found


def changed(name: str, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """Return a fixture with its parts changed; parts for which ``change`` gives None are left out."""
    with zipfile.ZipFile(FIXTURES / name) as archive:
        parts = [(info.filename, change(info.filename, archive.read(info))) for info in archive.infolist()]
    return packed([(name, content) for name, content in parts if content is not None])


# Bombs


MAIN = {"garden.pandoc.docx": "word/document.xml", "garden.pandoc.odt": "content.xml",
        "garden.pandoc.epub": "EPUB/text/ch001.xhtml"}  # fmt: skip


@pytest.mark.parametrize("name", MAIN)
def test_a_zip_bomb_in_a_part(name: str, write: Write) -> None:
    bomb = b"<a>" + bytes(20_000_000)
    path = write(f"bomb{Path(name).suffix}", changed(name, lambda part, data: bomb if part == MAIN[name] else data))
    assert path.stat().st_size < 1_000_000
    assert any(word in str(refused(path)) for word in ("unpacks", "packed"))


@pytest.mark.parametrize("bomb", [LAUGHS, OUTSIDE], ids=["laughs", "outside"])
@pytest.mark.parametrize(
    ("name", "part", "root"),
    [
        ("garden.pandoc.docx", "word/document.xml", b"<w:document"),
        ("garden.pandoc.odt", "meta.xml", b"<office:document-meta"),
        ("garden.pandoc.epub", "EPUB/text/ch001.xhtml", b"<html"),
    ],
)
def test_entities_are_not_expanded(name: str, part: str, root: bytes, bomb: str, write: Write) -> None:
    def with_bomb(part_name: str, data: bytes) -> bytes:
        if part_name != part:
            return data
        assert root in data
        data = data.replace(b"<!DOCTYPE html>", b"")
        opened = data.replace(root, bomb.encode() + root, 1)
        return opened.replace(b"Ingrid", b"&k;").replace(b"garden at", b"&k;")

    found = outcome(write(f"with_bomb{Path(name).suffix}", changed(name, with_bomb)))
    if isinstance(found, Document):
        held = found.text + found.title + "".join(found.metadata.values())
        assert held.count("ha ha") < 100
        assert "root:" not in held


# Nesting


def nested(depth: int) -> dict[str, str]:
    """Return texts with this nesting depth, in several formats."""
    return {
        "deep.html": "<div>" * depth + "<p>The bottom is reached.</p>",
        "spans.html": "<p>" + "<b><i>" * depth + "The bottom is reached.",
        "tables.html": "<table><tr><td>" * (depth // 3) + "The bottom is reached.",
        "lists.html": "<ul><li>" * depth + "The bottom is reached.",
        "deep.json": "[" * depth + "]" * depth,
        "objects.json": '{"messages":' * depth + "1" + "}" * depth,
        "deep.jsonl": ("[" * depth + "\n") * 2,
        "deep.rtf": r"{\rtf1 " + "{" * depth + "The bottom is reached." + "}" * depth + "}",
        "open.rtf": r"{\rtf1 " + r"{\*\x " * depth + "The bottom is reached.",
        "quotes.md": ">" * depth + " The bottom is reached.\n",
        "lists.md": "".join(f"{'  ' * step}- step\n" for step in range(min(depth, 700))),
        "brackets.md": "[" * depth + "The bottom" + "](x)" * depth,
        "stars.md": "*a **b " * depth,
        "ticks.md": "".join("`" * n + " " for n in range(1500)),
        "deep.py": "x = " + "(" * depth + ")" * depth,
        "indents.py": "".join(f"{' ' * step}if x:\n" for step in range(min(depth, 3000))),
        "deep.srt": "1\n00:00:01,000 --> 00:00:02,000\n" + "<i>" * depth + "The bottom is reached.\n",
        "deep.xml": "<a>" * depth,
        "deep.ipynb": '{"cells":' + "[" * depth + "]" * depth + "}",
        "quotes.eml": "From: Anna\nSubject: Boats\nMIME-Version: 1.0\n\n" + ">" * depth + " The bottom is reached.\n",
        "parts.eml": "From: Anna\n" + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" * depth,
        "quotes.csv": 'a,b\n"' + '""' * depth + "\n",
    }


def test_deep_nesting_is_handled(write: Write) -> None:
    for name, text in nested(3_000).items():
        outcome(write(name, text))


@pytest.mark.parametrize(
    ("name", "around"),
    [
        ("garden.pandoc.docx", (b"<w:p><w:r><w:t>", b"<w:tbl><w:tr><w:tc>")),
        ("garden.pandoc.odt", (b"<text:p ", b"<text:section>")),
        ("garden.pandoc.epub", (b"<p>", b"<div><span>")),
    ],
)
def test_deep_nesting_inside_an_archive_is_handled(name: str, around: tuple[bytes, bytes], write: Write) -> None:
    before, nest = around

    def deepened(part: str, data: bytes) -> bytes:
        return data.replace(before, nest * 10_000 + before, 1) if part == MAIN[name] else data

    outcome(write(f"deep{Path(name).suffix}", changed(name, deepened)))


# Size


@pytest.fixture(scope="module")
def long_line() -> bytes:
    return b"Anna crossed the river at night, and nobody saw her, " * 2_000_000


LINES = {
    "line.txt": (b"", b""),
    "line.json": (b'[{"role": "user", "content": "', b'"}]'),
    "line.pdf": (b"%PDF-1.7\n", b"\n%%EOF"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_a_hundred_megabytes_on_one_line(name: str, long_line: bytes, write: Write) -> None:
    before, after = LINES[name]
    refused(write(name, before + long_line + after))


# Folders


def test_the_other_files_of_a_folder_still_load(tmp_path: Path) -> None:
    good = ["garden.md", "garden.pandoc.epub", "garden.libreoffice.docx", "garden.pandoc.odt", "garden.pandoc.rtf",
            "garden.site.html", "story.chromium.pdf", "meeting.srt", "chat.list.json", "latin.latin-1.txt"]  # fmt: skip
    for name in (*good, "locked.pdf", "scanned.pdf"):
        shutil.copyfile(FIXTURES / name, tmp_path / name)
    (tmp_path / "cut.epub").write_bytes((FIXTURES / "garden.pandoc.epub").read_bytes()[:5000])
    (tmp_path / "laughs.docx").write_bytes(
        changed("garden.pandoc.docx", lambda part, data: LAUGHS.encode() if part == "word/document.xml" else data)
    )
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "noise.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)
    (tmp_path / "empty.html").write_bytes(b"")
    found = list(load_all(tmp_path))
    skipped = {item.source: item for item in found if isinstance(item, Skipped)}
    assert sorted(item.source for item in found if isinstance(item, Loaded)) == sorted(good)
    assert {"locked.pdf", "scanned.pdf", "cut.epub", "laughs.docx", "deep.json", "noise.pdf", "empty.html"} == set(
        skipped
    )
    for name, item in skipped.items():
        assert name in item.reason
        assert "\n" not in item.reason
        assert str(tmp_path) not in item.reason
        assert item.hint, name
