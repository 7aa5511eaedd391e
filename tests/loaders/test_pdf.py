"""PDFs: files by real programs, and small ones written for each test."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from fixtures.recovered import HERE, alignment, words_of
from loaders.pdf_writer import HEIGHT, Page, pdf_bytes
from readagent.core.document import Document
from readagent.errors import LoadError, UsageError
from readagent.loaders import formats, load
from readagent.loaders.formats import Options
from readagent.loaders.pdf.metadata import date_of
from readagent.loaders.pdf.parser import parse

STORY = (Path(__file__).parents[2] / "examples" / "story.txt").read_text("utf-8").strip().split("\n\n")[1:22]
NOTES = ["The Office was moved to the capital after the second fire, and its older registers were never found again.",
         "A tram ticket cost four groschen in those years."]  # fmt: skip
PROSE = ["Anna crossed the river at night, and nobody at all saw her", "go. In the morning the ferry was gone, and with it the only",
         "rope that they had."]  # fmt: skip


def read(pages: list[Page] | bytes, name: str = "book.pdf", **more: object) -> Document:
    data = pages if isinstance(pages, bytes) else pdf_bytes(pages, **more)  # type: ignore[arg-type]
    return parse(data, name, Options())


def texts(document: Document) -> list[str]:
    return [document.text[one.start : one.end].strip() for one in document.paragraphs]


def refused(data: bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        parse(data, "book.pdf", Options())
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("book.pdf ")
    return caught.value


# Files by real programs


def test_the_text_of_a_story_is_complete() -> None:
    document = read((HERE / "pdf" / "story.latex.pdf").read_bytes(), "story.latex.pdf")
    wanted, found = [words_of(text) for text in STORY], [words_of(text) for text in texts(document)]
    ours, theirs = ([word for passage in passages for word in passage] for passages in (wanted, found))
    assert len(alignment(ours, theirs)) >= 0.995 * len(ours)
    assert sum(passage in found for passage in wanted) >= 0.95 * len(wanted)
    assert texts(document)[-3:] == ["Notes", *NOTES]
    headings = [document.text[one.start : one.end].strip() for one in document.paragraphs if one.heading == 1]
    assert headings == ["The Tin", "The Bus", "Notes"]
    assert document.title == "The Tin"


# Metadata


def test_metadata() -> None:
    facts = {"Title": "The Garden", "Author": "Ingrid M\u00f8ller", "CreationDate": "D:20230914120000+02'00'"}
    document = read([Page().lines(50, 100, PROSE)], info=facts, catalog="/Lang (en-GB)")
    assert document.title == "The Garden"
    assert document.metadata == {"author": "Ingrid M\u00f8ller", "date": "2023-09-14", "language": "en-GB"}


@pytest.mark.parametrize("junk", ["", "2023"])
def test_a_junk_title_is_replaced_by_the_largest_text(junk: str) -> None:
    page = Page().put(50, 60, "The Garden", 22).put(50, 80, "Of Weather", 14).lines(50, 120, PROSE)
    assert read([page], info={"Title": junk}).title == "The Garden"


@pytest.mark.parametrize(
    ("value", "day"),
    [("D:20240229", "2024-02-29"), ("", ""), ("D:20240200120000Z", "2024-02")],
)  # fmt: skip
def test_dates(value: str, day: str) -> None:
    assert date_of(value) == day


def test_places_use_page_labels() -> None:
    pages = [Page().lines(50, 100, [f"{word} lines."]) for word in ("Some", "More", "Other")]
    labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /St 7 >>] >>"
    assert [one.place for one in read(pages, catalog=labels).paragraphs] == ["page i", "page ii", "page 7"]
    assert [one.place for one in read(pages).paragraphs] == ["page 1", "page 2", "page 3"]


def test_the_outline_determines_the_headings() -> None:
    pages = [Page().put(50, 60, "A wall").lines(50, 90, PROSE), Page().put(50, 60, "Weather").lines(50, 90, PROSE)]
    document = read(pages, outline=[("A wall", 0), ("Weather", 1)])
    assert [text for text, one in zip(texts(document), document.paragraphs, strict=True) if one.heading] == [
        "A wall",
        "Weather",
    ]


def test_chapter_headings_in_the_style_of_the_text_are_found() -> None:
    body = [line for _ in range(6) for line in PROSE]
    pages = [Page().put(50, 60, f"CHAPTER {number}").lines(50, 90, body) for number in ("I", "II", "III")]
    document = read(pages)
    headings = [text for text, one in zip(texts(document), document.paragraphs, strict=True) if one.heading]
    assert headings == ["CHAPTER I", "CHAPTER II", "CHAPTER III"]


# Unusual pages


def test_text_drawn_twice_is_read_once() -> None:
    page = Page().lines(50, 100, PROSE).lines(50.3, 100, PROSE)
    assert texts(read([page])) == [" ".join(PROSE)]


def test_a_stamp_in_the_margin_and_a_watermark_are_left_out() -> None:
    page = Page().lines(80, 100, PROSE).rotated((0, 1), 20, 400, "arXiv:2402.09727v1 [cs.CL] 15 Feb 2024", 14)
    page.rotated((0.7071, 0.7071), 90, 500, "DRAFT", 90)
    assert texts(read([page])) == [" ".join(PROSE)]


def test_a_rotated_page_is_read() -> None:
    upright = Page().lines(50, 100, PROSE)
    upright.rotate = 90
    sideways = Page()
    for number, line in enumerate(PROSE):
        sideways.rotated((0, 1), 100 + 12 * number, HEIGHT - 50, line, 10)
    assert texts(read([upright])) == texts(read([sideways])) == [" ".join(PROSE)]


def test_text_off_the_page_is_dropped_and_invisible_text_is_read() -> None:
    scanned = Page().image()
    for number, line in enumerate(PROSE):
        scanned.put(50, 100 + 12 * number, line, mode=3)
    assert texts(read([scanned.put(-4000, 100, "outside").put(50, -900, "above")])) == [" ".join(PROSE)]


def test_note_marks_are_removed_and_exponents_kept() -> None:
    page = Page().put(50, 100, "The wall leans.").put(111, 96, "1", 6).put(117, 100, "It has 10").put(152, 96, "3", 6)
    page.put(158, 100, "stones.").put(50, 540, "1", 6).put(54, 543, "By eleven degrees.", 8)
    assert texts(read([page.lines(50, 112, [PROSE[0]])]))[-2:] == ["Notes", "By eleven degrees."]
    assert "The wall leans. It has 10³ stones." in read([page]).text


def test_headers_and_page_numbers_of_a_long_book_are_removed() -> None:
    books = [[line.replace("Anna", name) for line in PROSE] for name in ("Anna", "Elsa", "Nora", "Inga")]
    pages = [
        Page().put(150, 30, "The Garden", 9).lines(50, 70, lines).put(195, 580, str(number))
        for number, lines in enumerate(books, 1)
    ]
    assert texts(read(pages)) == [" ".join(lines) for lines in books]


def test_the_fields_of_a_form_are_read_where_they_are() -> None:
    page = Page().put(50, 100, "Name:").field(110, 100, "/FT /Tx /T (name) /V (Anna Holm)")
    page.put(50, 160, "Town:").field(110, 160, "/FT /Ch /Ff 131072 /T (town) /Opt [(Sund) (Vik)] /V (Vik)")
    page.put(50, 190, "Street:").field(110, 190, "/FT /Tx /T (street)")
    page.field(50, 260, "/FT /Tx /Ff 4096 /T (note) /V (The key is\\nbelow the stone.)", height=40)
    found = " ".join(read([page]).text.split())
    for text in ("Name: Anna Holm", "Town: Vik", "Street:", "The key is below the stone."):
        assert text in found


JAPANESE = ["吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかない、その上", "何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。",
            "吾輩はここで始めて人間というものを見た。"]  # fmt: skip
MINCHO = """/Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0
/BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor
<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900
/Descent -200 /CapHeight 700 /StemV 80 >> >>]"""


def test_japanese_is_read_along_its_lines() -> None:
    page = Page()
    for number, line in enumerate(JAPANESE):
        page.content.append(
            f"BT /roman 9 Tf 1 0 0 1 20 {550 - 16 * number} Tm <{line.encode('utf-16-be').hex()}> Tj ET"
        )
    data = pdf_bytes([page]).replace(b"/Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding", MINCHO.encode())
    assert "".join(texts(read(data))) == "".join(JAPANESE)


# Errors


def test_arabic_letters_that_are_one_glyph_keep_their_order() -> None:
    codes = b"1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar <41> <06440627> <42> <0633> <43> <060C> endbfchar"
    described = b"/CIDInit /ProcSet findresource begin begincmap " + codes + b" endcmap end"
    stream = b"999 0 obj << /Length %d >> stream\n%s\nendstream endobj\n" % (len(described), described)
    for drawn, words in (("BA", "لاس"), ("CBA", "لاس،")):  # from the left, as a page shows it
        data = pdf_bytes([Page().put(50, 100, drawn, font="mono").put(50, 300, "Anna.")])
        courier = b"/BaseFont /Courier /Encoding /WinAnsiEncoding"
        data = data.replace(courier, courier + b" /ToUnicode 999 0 R").replace(b"xref", stream + b"xref", 1)
        assert words in read(data).text


def test_a_scanned_pdf_is_refused() -> None:
    error = refused(pdf_bytes([Page().image(), Page().image()]))
    assert "scanned" in str(error)
    assert '`ocr="eng"`' in error.hint
    assert "scanned" in str(refused((HERE / "scanned.pdf").read_bytes()))


TESSERACT = """#!/bin/sh
# as Tesseract: the picture comes in, a table of words goes out
test "$4" = eng || { echo "Error opening data file $4.traineddata" >&2; exit 1; }
cat > /dev/null
printf 'level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n'
printf '5\\t1\\t1\\t1\\t1\\t1\\t200\\t400\\t160\\t42\\t96\\tAnna\\n5\\t1\\t1\\t1\\t1\\t2\\t380\\t400\\t300\\t42\\t91\\tcrossed\\n'
printf '5\\t1\\t1\\t1\\t2\\t1\\t200\\t450\\t100\\t40\\t95\\tthe\\n5\\t1\\t1\\t1\\t2\\t2\\t320\\t450\\t200\\t48\\t95\\triver.\\n'
printf '5\\t1\\t2\\t1\\t1\\t1\\t900\\t1200\\t9\\t9\\t4\\t~\\n'
"""


def recognize(data: bytes, language: str = "eng") -> Document:
    return parse(data, "book.pdf", Options(ocr=language))


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(TESSERACT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("tesseract")
@pytest.mark.skipif(sys.platform == "win32", reason="the program here is a shell script")
def test_scanned_pages_are_recognized_if_that_is_wanted() -> None:
    document = recognize(pdf_bytes([Page().lines(50, 100, PROSE), Page().image()]))
    assert texts(document) == [" ".join(PROSE), "Anna crossed the river."]
    assert [one.place for one in document.paragraphs] == ["page 1", "page 2"]
    assert "unread" not in document.metadata
    with pytest.raises(LoadError, match=r"book.pdf could not be recognized by Tesseract: .*xyz.traineddata") as caught:
        recognize(pdf_bytes([Page().image()]), "xyz")
    assert "--list-langs" in caught.value.hint


def test_without_tesseract_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LoadError, match="Tesseract is not installed") as caught:
        recognize(pdf_bytes([Page().image()]))
    assert "tesseract-ocr" in caught.value.hint
    assert texts(recognize(pdf_bytes([Page().lines(50, 100, PROSE)]))) == [" ".join(PROSE)], "it is not needed for text"


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")
def test_a_scan_is_recognized_in_the_sandbox() -> None:
    assert "A wall of grey fieldstone goes round three of its sides" in load(HERE / "scanned.pdf", ocr="eng").text


def test_a_language_is_checked_before_anything_is_run() -> None:
    with pytest.raises(UsageError, match="is no language of Tesseract"):
        load(HERE / "scanned.pdf", ocr="--version")


def test_a_password_protected_pdf_is_refused() -> None:
    error = refused((HERE / "locked.pdf").read_bytes())
    assert "password" in str(error)
    assert "password" in error.hint


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"no PDF at all"])
def test_broken_files_are_refused(data: bytes) -> None:
    assert "damaged" in str(refused(data))


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readagent.loaders.pdf.parser.MAX_CHARACTERS", 100)
    assert "characters" in str(refused(pdf_bytes([Page().lines(50, 100, PROSE)])))
    assert formats.MAX_CHARACTERS > 1_000_000
