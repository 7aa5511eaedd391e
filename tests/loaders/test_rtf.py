r"""Rich text: paragraphs, headings, notes and tables in any encoding, and one clear error where there is no text."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.office.rtf import parse

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


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"caf\'e9 \'93so\'94", "café “so”"),
        (r"\uc0\u55357\u56832 x", "😀x"),
        (r"a\emdash b\endash c\lquote d\rquote\ldblquote e\rdblquote \bullet", "a—b–c‘d’“e”•"),
        (r"\u99999999 ?a", "a"),
        ("raw \u00d0\u0090\u00d0\u00bd\u00d0\u00bd\u00d0\u00b0", "raw Анна"),
    ],
)
def test_character_encodings(written: str, expected: str) -> None:
    assert texts(rf"\pard {written}\par") == [expected]


def test_invisible_content_is_left_out() -> None:
    body = (
        r"{\header\pard A header\par}{\footerr\pard\chpgn\par}{\*\generator Some program;}{\*\unknown things}"
        r"\pard\s6 Anna crossed\tab 7\par\pard Anna {\deleted not }{\v hidden }\v unseen\v0 really {\*\bkmkstart x}"
        r"{\field{\*\fldinst HYPERLINK \"https://example.org\"}{\fldrslt crossed}}{\*\atnid X}{\*\annotation\pard A comment}."
        r"{\pict\pngblip 89504e47}{\xe an entry}\par"
    )
    assert texts(body) == ["Anna really crossed."]


def test_text_in_groups_that_old_programs_may_skip_is_read() -> None:
    box = r"{\*\do\dobxcolumn{\dptxbxtext\pard In the box.\par}\dpx9}"
    upright = r"{\upr An?a{\*\ud An\u241?a}}"
    assert texts(rf"\pard {upright} crossed.{box}{{\shprslt{box}}}\par") == ["Anña crossed.", "In the box."]


@pytest.mark.parametrize("data", [b"", bytes(5000)])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"river\.rtf is not a rich text") as caught:
        read(data)
    assert caught.value.hint


def test_a_formula_is_text() -> None:
    part = r"{\mf{\mfPr{\*\mctrlPr\f34}}{\mnum{\mr\mscr0 a}{\mr +}{\mr b}}{\mden{\mr c}}}"
    fenced = rf"{{\md{{\mdPr{{\mbegChr [}}{{\mendChr )}}}}{{\me {part}}}{{\me{{\mr d}}}}}}"
    image = r"{\mmathPict{\*\shppict{\pict 00}}}"
    assert texts(rf"\pard So {{\mmath {{\*\moMath {fenced}}}{image}}}.\par") == ["So [(a+b)/c|d)."]
    assert texts(rf"\pard {{\mmath {{\*\moMathPara {{\*\moMath {fenced}}}}}}}\par") == ["[(a+b)/c|d)"]


def test_broken_files_are_read_as_far_as_possible() -> None:
    cut = read(rb"{\rtf1\pard Anna {\b crossed")
    assert (cut.text, cut.metadata) == ("Anna crossed\n\n", {"not_read": "the end of the text: the file is incomplete"})
    assert read(rb"{\rtf1\pard Anna.\par}}}\par garbage").text == "Anna.\n\n"
    assert read(b"\xef\xbb\xbf \r\n{\\rtf1\\pard Anna.\\par}").text == "Anna.\n\n"
    assert read(b"{\\rtf1\\pard Anna\\").text == "Anna\n\n"
    assert read(rb"{\rtf1\pard An\'zzna\cell\row\nestcell\par").text


def test_excessive_nesting_and_too_much_text_are_refused() -> None:
    with pytest.raises(LoadError, match="nested"):
        read(b"{\\rtf1 " + b"{" * 100_000 + b"x" + b"}" * 100_000 + b"}")
    assert read(b"{\\rtf1 " + b"{" * 1000 + b"Anna" + b"}" * 1000 + b"}").text == "Anna\n\n"
    formula = b"{\\*\\moMath " + b"{\\mrad " * 4000 + b"x" + b"}" * 4000 + b"}"
    assert read(b"{\\rtf1 " + formula + b"}").text.count("(") == 4000
    with pytest.raises(LoadError, match="million characters"):
        read(b"{\\rtf1 " + b"Anna crossed the river. " * 2_000_000 + b"}")
