r"""Rich text: paragraphs, headings, notes and tables in any encoding, and one clear error where there is no text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.office.rtf import parse

FIXTURES = Path(__file__).parent.parent / "fixtures"
STYLES = (
    r"{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s3 Title;}{\s4 Author;}"
    r"{\s5 HTML Preformatted;}{\s6 toc 1;}{\*\cs7 Emphasis;}}"
)


def rtf(body: str, head: str = STYLES) -> bytes:
    return (r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}}" + head + body + "}").encode(
        "latin-1"
    )


def read(data: bytes) -> Document:
    return parse(data, "river.rtf", Options())


def found(body: str, head: str = STYLES) -> list[tuple[int, str]]:
    document = read(rtf(body, head))
    return [(one.heading, document.text[one.start : one.end].rstrip("\n")) for one in document.paragraphs]


def texts(body: str, head: str = STYLES) -> list[str]:
    return [text for _, text in found(body, head)]


def test_paragraphs() -> None:
    assert texts("\\pard Anna {\\b crossed} the ri\r\nver.\\par Nobody saw\\par\\par her.") == [
        "Anna crossed the river.",
        "Nobody saw",
        "her.",
    ]
    assert texts("\\pard Anna crossed\\\nthe river") == ["Anna crossed", "the river"]
    assert texts(r"\pard one\sect two\page three") == ["one", "two", "three"]


def test_headings_by_style_and_by_outline_level() -> None:
    body = r"\pard\s1 One\par\pard\s2{\i Two}\par\pard\plain Text.\par{\pard\outlinelevel2 Three\par}\pard\outlinelevel9\s1 No\par"
    assert found(body) == [(1, "One"), (2, "Two"), (0, "Text."), (3, "Three"), (0, "No")]


def test_metadata() -> None:
    info = r"{\info{\title The lamp}{\author Ida Brandt}{\creatim\yr2021\mo3\dy4\hr5}{\operator x}{\doccomm y}}"
    document = read(rtf(r"\deflang2057 \pard Anna crossed.\par", STYLES + info))
    assert (document.title, document.text, document.source) == ("The lamp", "Anna crossed.\n\n", "")
    assert document.metadata == {"author": "Ida Brandt", "date": "2021-03-04", "language": "en-GB"}


def test_title_and_author_at_the_start_of_the_text_become_metadata() -> None:
    document = read(rtf(r"\pard\s3 The Second Lamp\par\pard\s4 I. B.\par\pard Anna crossed.\par\pard\s3 Part two\par"))
    assert (document.title, document.metadata["author"]) == ("The Second Lamp", "I. B.")
    assert document.text == "Anna crossed.\n\nPart two\n\n"
    assert document.paragraphs[1].heading == 1


def test_a_large_centred_first_line_is_the_title_if_none_is_given() -> None:
    large = r"{\pard\qc{\b\fs36 The Second Lamp}\par}\pard Anna crossed.\par"
    assert (read(rtf(large)).title, texts(large)) == ("The Second Lamp", ["Anna crossed."])
    small = large.replace("fs36", "fs24")
    assert (read(rtf(small)).title, texts(small)) == ("", ["The Second Lamp", "Anna crossed."])
    named = STYLES + r"{\info{\title Otherwise}}"
    assert texts(large, named) == ["The Second Lamp", "Anna crossed."]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"caf\'e9 \'93so\'94", "café “so”"),
        (r"caf\u233? na\u239\'efve", "café naïve"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"\uc0\u55357\u56832 x", "😀x"),
        (r"{\uc2\u12354\'82\'a0}b", "あb"),
        (r"{\uc1\u12354 ?}b", "あb"),
        (r"a\emdash b\endash c\lquote d\rquote\ldblquote e\rdblquote \bullet", "a—b–c‘d’“e”•"),
        (r"a\~b\_c\-d\{e\}\\f", "a b‑cd{e}\\f"),
        (r"tab\tab here", "tab here"),
        (r"\u99999999 ?a", "a"),
        (r"half \u55357? pair", "half � pair"),
        ("raw caf\u00e9", "raw café"),
        ("raw \u00d0\u0090\u00d0\u00bd\u00d0\u00bd\u00d0\u00b0", "raw Анна"),
    ],
)
def test_character_encodings(written: str, expected: str) -> None:
    assert texts(rf"\pard {written}\par") == [expected]


def test_code_pages_of_the_file_and_of_fonts() -> None:
    fonts = r"{\fonttbl{\f0\fcharset204 Arial Cyr;}{\f1\fcharset128 Mincho;}{\f2\fcharset0 Arial;}}"
    russian = "".join(f"\\'{byte:02x}" for byte in "Анна".encode("cp1251"))
    japanese = "\\'83A\\'83\\'93\\'83i"  # the second byte of the first character is not escaped
    assert texts(rf"\pard\f0 {russian}\f1 {japanese}\f2 \'e9\par", fonts) == ["Аннаアンナé"]
    data = (r"{\rtf1\ansi\ansicpg1251\pard " + russian + r"\par}").encode()
    assert read(data).text == "Анна\n\n"
    assert read(rb"{\rtf1\mac\pard caf\'8e\par}").text == "café\n\n"
    assert read(rb"{\rtf1\ansi\ansicpg99999\pard caf\'e9\par}").text == "café\n\n"


def test_notes_come_after_the_text() -> None:
    body = (
        r"\pard Anna crossed{\super\chftn}{\footnote\pard\plain{\super\chftn} The log says otherwise.\par So does she.}"
        r" the river.\par\pard End.{\*\footnote\ftnalt\pard A map.\par}\par"
    )
    assert found(body) == [
        (0, "Anna crossed the river."),
        (0, "End."),
        (1, "Notes"),
        (0, "1. The log says otherwise."),
        (0, "So does she."),
        (0, "2. A map."),
    ]


def test_a_table_row_is_a_line() -> None:
    row = r"\trowd\cellx1\cellx2\pard\intbl {}\cell\pard\intbl {}\cell\row"
    body = r"\pard Before.\par" + row.replace("{}", r"Town\par and land", 1).replace("{}", "Fare", 1)
    document = read(rtf(body + row.replace("{}", "Ost", 1).replace("{}", "4", 1) + r"\pard After.\par"))
    assert document.text == "Before.\n\nTown and land | Fare\nOst | 4\n\nAfter.\n\n"
    assert [one.lines for one in document.paragraphs] == [False, True, False]


def test_list_markers_appear_once() -> None:
    numbered = r"\pard{\listtext\pard\plain 1.\tab}\ls1\ilvl0 First.\par\pard{\listtext 2.\tab}\ls1 Then.\par"
    dotted = r"\pard{\pntext\f3\'b7\tab}{\*\pn\pnlvlblt{\pntxtb\'b7}}a lamp\par"
    lettered = r"\pard{\listtext b)\tab}lettered\par"
    typed = r"\pard \bullet\tab typed\par"
    lines = [line for text in texts(numbered + dotted + lettered + typed) for line in text.splitlines()]
    assert lines == ["1. First.", "2. Then.", "- a lamp", "b) lettered", "- typed"]


def test_lines_of_code_and_of_verse() -> None:
    code = r"\pard\s5 def fare():\par\pard\s5     return 4\par\pard So.\par"
    assert texts(code) == ["def fare():\n    return 4", "So."]
    assert texts(r"\pard Red sky\line at night\par") == ["Red sky\nat night"]
    typed = r"{\fonttbl{\f0\fswiss Arial;}{\f1\fmodern Courier;}}"
    assert texts(r"\pard\f1 if night:\line     pay()\par", typed) == ["if night:\n    pay()"]


def test_invisible_content_is_left_out() -> None:
    body = (
        r"{\header\pard A header\par}{\footerr\pard\chpgn\par}{\*\generator Some program;}{\*\unknown things}"
        r"\pard\s6 Anna crossed\tab 7\par\pard Anna {\deleted not }{\v hidden }\v unseen\v0 really {\*\bkmkstart x}"
        r"{\field{\*\fldinst HYPERLINK \"https://example.org\"}{\fldrslt crossed}}{\*\atnid X}{\*\annotation\pard A comment}."
        r"{\pict\pngblip 89504e47}{\xe an entry}\par"
    )
    assert texts(body) == ["Anna really crossed."]


def test_binary_images_are_skipped() -> None:
    picture = rb"{\pict\wmetafile8\bin12 }}}{{{\par\x00"
    data = rb"{\rtf1\pard Anna " + picture + rb"}crossed.\par}"
    assert read(data).text == "Anna crossed.\n\n"
    assert read(rb"{\rtf1\pard Anna.\par{\pict\bin99999999 x}}").text == "Anna.\n\n"


def test_text_boxes_formulas_and_ruby() -> None:
    box = r"{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt\pard In the box.\par}}{\shprslt\pard Again.\par}}"
    assert texts(rf"\pard Anna {box}crossed.\par\pard Then.\par") == ["Anna crossed.", "In the box.", "Then."]
    assert texts(rf"{{\header\pard x {box}\par}}\pard Anna.\par") == ["Anna."]
    formula = r"{\mmath{\*\moMath{\mr E=m}{\msSup{\msSupPr x}{\me{\mr c}}{\msup{\mr 2}}}}{\mmathPict{\pict 00}}}"
    assert texts(rf"\pard So {formula}.\par") == ["So E=mc2."]
    reading = r"{\field{\*\fldinst{ EQ \\* jc2 \\o\\ad(\\s\\up 9(\u12363?),\u28450?)}}{\fldrslt}}"
    assert texts(rf"\pard \u26085?{reading}\par") == ["日漢"]


@pytest.mark.parametrize("data", [b"", b"Anna crossed.", b"{\\rt", b"%PDF-1.7", b"{}", bytes(5000)])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"river\.rtf is not a rich text") as caught:
        read(data)
    assert caught.value.hint


def test_broken_files_are_read_as_far_as_possible() -> None:
    assert read(rb"{\rtf1\pard Anna {\b crossed").text == "Anna crossed\n\n"
    assert read(rb"{\rtf1\pard Anna.\par}}}\par garbage").text == "Anna.\n\n"
    assert read(b"\xef\xbb\xbf \r\n{\\rtf1\\pard Anna.\\par}").text == "Anna.\n\n"
    assert read(b"{\\rtf1\\pard Anna\\").text == "Anna\n\n"
    assert read(rb"{\rtf1\pard An\'zzna\cell\row\nestcell\par").text


def test_excessive_nesting_is_refused() -> None:
    with pytest.raises(LoadError, match="nested"):
        read(b"{\\rtf1 " + b"{" * 100_000 + b"x" + b"}" * 100_000 + b"}")
    assert read(b"{\\rtf1 " + b"{" * 1000 + b"Anna" + b"}" * 1000 + b"}").text == "Anna\n\n"


def test_too_much_text_is_refused() -> None:
    with pytest.raises(LoadError, match="million characters"):
        read(b"{\\rtf1 " + b"Anna crossed the river. " * 2_000_000 + b"}")


SEEDS = [(FIXTURES / name).read_bytes() for name in ("garden.pandoc.rtf", "garden.libreoffice.rtf")]


@pytest.mark.slow
@settings(max_examples=100)
@given(
    st.sampled_from(SEEDS),
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.binary(max_size=4)
            | st.sampled_from(
                [b"{", b"}", b"\\", b"\\bin99 ", b"\\u-1 ", b"\\cell\\row", b"\\par", b"{\\*\\x ", b"\\'8"]
            ),
        ),
        min_size=1,
        max_size=12,
    ),
)
def test_corrupted_bytes_are_read_or_refused(data: bytes, changes: list[tuple[int, bytes]]) -> None:
    data = data[:20_000]
    for place, instead in changes:
        at = place % len(data)
        data = data[:at] + instead + data[at:]
    try:
        document = read(data)
    except LoadError:
        return
    assert [0, *(one.end for one in document.paragraphs)][-1] == len(document.text)
