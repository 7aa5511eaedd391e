"""Word files: the visible text in order, and one clear error for hostile or broken files."""

from __future__ import annotations

import re

import pytest

from fixtures.small_files import packed
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.office.docx import parse

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
STYLES = """
<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Author"><w:name w:val="Author"/></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="HTML Preformatted"/></w:style>
<w:style w:type="paragraph" w:styleId="Round"><w:name w:val="round"/><w:basedOn w:val="Round"/></w:style>
<w:style w:type="character" w:styleId="Unseen"><w:name w:val="Unseen"/><w:rPr><w:vanish/></w:rPr></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
"""
CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>The lamp</dc:title>
 <dc:creator>Ida Brandt</dc:creator><dcterms:created>2021-03-04T05:06:07Z</dcterms:created></cp:coreProperties>"""

PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    + "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{MAIN}.{kind}+xml"/>'
        for name, kind in (("document", "document.main"), ("styles", "styles"), ("numbering", "numbering"))
    )
    + "</Types>"
)


def relations(*targets: str) -> str:
    """Return a part with relationships to these parts, each with its kind."""
    pairs = zip(targets[::2], targets[1::2], strict=True)
    rows = (f'<Relationship Id="r{n}" Type="{R}/{kind}" Target="{to}"/>' for n, (to, kind) in enumerate(pairs))
    return f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(rows)}</Relationships>'


def part(root: str, inside: str) -> str:
    return f"<w:{root} {SPACES}>{inside}</w:{root}>"


def word(body: str, *, core: str = CORE, numbering: str = NUMBERING, styles: str = STYLES, **parts: str) -> bytes:
    """Return a Word file with this body; further parts are given by name (footnotes, header1, ...)."""
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": relations("word/document.xml", "officeDocument"),
        "word/_rels/document.xml.rels": relations("styles.xml", "styles", "numbering.xml", "numbering"),
        "docProps/core.xml": core,
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        "word/styles.xml": part("styles", styles),
        "word/numbering.xml": part("numbering", numbering),
    }
    return packed(files | {f"word/{name}.xml": part(re.sub(r"\d", "", name), inside) for name, inside in parts.items()})


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(text: str, style: str = "", more: str = "") -> str:
    inside = text if text.startswith("<") else run(text)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr>{inside}</w:p>"


def read(data: bytes) -> Document:
    return parse(data, "river.docx", Options())


def found(body: str, **parts: str) -> list[tuple[int, str]]:
    document = read(word(body, **parts))
    return [(one.heading, document.text[one.start : one.end].rstrip("\n")) for one in document.paragraphs]


def refused(data: bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        read(data)
    assert "river.docx" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_headings_by_style_in_any_language_and_by_outline_level() -> None:
    level = '<w:outlineLvl w:val="2"/>'
    body = p("One", "berschrift1") + p("Two", "berschrift2") + p("Own", "Kapitel") + p("Three", "", level)
    body += p("No heading", "berschrift1", '<w:outlineLvl w:val="9"/>') + p("Circle", "Round") + p("Unknown", "Nothing")
    assert found(body) == [(1, "One"), (2, "Two"), (1, "Own"), (3, "Three")] + [
        (0, text) for text in ("No heading", "Circle", "Unknown")
    ]


def test_title_and_author_at_the_start_of_the_text_become_metadata() -> None:
    body = p("The Second Lamp", "Titel") + p("I. Brandt", "Author") + p("Anna crossed.") + p("Part two", "Titel")
    document = read(word(body))
    assert (document.title, document.text) == ("The Second Lamp", "Anna crossed.\n\nPart two\n\n")
    assert document.metadata == {"author": "I. Brandt", "date": "2021-03-04", "language": "de-DE"}
    assert document.paragraphs[1].heading == 1


def test_invisible_content_is_left_out() -> None:
    gone = (
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        + f"<w:moveFrom>{run('moved away')}</w:moveFrom>"
        + run("hidden", "<w:vanish/>")
        + run("hidden by style", '<w:rStyle w:val="Unseen"/>')
        + '<w:r><w:commentReference w:id="1"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
    )
    kept = run("Anna ") + f"<w:ins>{run('really ')}</w:ins>" + run("crossed", '<w:vanish w:val="0"/>')
    body = p("Anna crossed ... 7", "Verzeichnis1") + p(gone + kept)
    assert found(body, header1=p("a header"), footer1=p("a footer")) == [(0, "Anna really crossed")]


def test_comments_come_after_the_text_with_what_they_are_about() -> None:
    def about(number: int, inside: str) -> str:
        return f'<w:commentRangeStart w:id="{number}"/>{inside}<w:commentRangeEnd w:id="{number}"/>'

    body = p(run("Anna ") + about(1, run("crossed") + run(" unseen", "<w:vanish/>")) + run(" the river."))
    body += p(run("She ") + about(2, run("rowed " * 40)))
    comments = f'<w:comment w:id="1" w:author="Ida">{p("Check this.")}{p("By Monday.")}</w:comment>'
    comments += f'<w:comment w:id="2">{p("Too long.")}</w:comment><w:comment w:id="3">{p("General.")}</w:comment>'
    texts = [text for _, text in found(body, comments=comments, commentsExtended="")]
    assert texts[0] == "Anna crossed the river."
    assert texts[2:] == [
        "Comments",
        "Comment by Ida on “crossed”: Check this. By Monday.",
        f"Comment on “{' '.join(['rowed'] * 9)} …”: Too long.",
        "Comment: General.",
    ]


def test_text_in_unusual_elements_is_kept() -> None:
    simple = f'<w:fldSimple w:instr="REF x">{run("field, ")}</w:fldSimple>'
    link = f'<w:hyperlink r:id="missing">{run("link, ")}</w:hyperlink>'
    turned = f'<w:bdo w:val="rtl">{run("turned, ")}</w:bdo>'
    reading = f"<w:r><w:ruby><w:rt>{run('かんじ')}</w:rt><w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby></w:r>"
    control = f"<w:sdt><w:sdtContent>{run(', filled in')}</w:sdtContent></w:sdt>"
    assert found(p(simple + link + turned + reading + control)) == [(0, "field, link, turned, 漢字, filled in")]


def test_a_text_box_comes_after_its_paragraph() -> None:
    box = (
        "<w:r><mc:AlternateContent><mc:Choice/><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>"
        f"{p('In the box.')}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert found(p(run("Anna ") + box + run("crossed.")) + p("Then.")) == [
        (0, "Anna crossed."),
        (0, "In the box."),
        (0, "Then."),
    ]


def test_formulas_are_lines_of_text() -> None:
    square = "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    half = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    assert found(p(run("So ") + f"<m:oMath><m:r><m:t>E=m</m:t></m:r>{square}</m:oMath>" + run("."))) == [
        (0, "So E=mc^2.")
    ]
    assert found(p(f"<m:oMathPara><m:oMath>{half}</m:oMath></m:oMathPara>")) == [(0, "1/2")]


def test_what_a_formula_encloses_gets_brackets() -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    def e(*texts: str) -> str:
        return "".join(f"<m:e>{r(text)}</m:e>" for text in texts)

    def formula(inside: str) -> str:
        [(_, text)] = found(p(f"<m:oMath>{inside}</m:oMath>"))
        return text

    def fenced(inside: str, *properties: str) -> str:
        given = "".join(f'<m:{name} m:val="{value}"/>' for name, value in zip(*[iter(properties)] * 2, strict=True))
        return f"<m:d><m:dPr>{given}</m:dPr>{inside}</m:d>"

    assert formula(r("f") + fenced(e("x"))) == "f(x)"
    assert formula(fenced(e("a+b")) + fenced(e("c+d"))) == "(a+b)(c+d)"
    assert formula(fenced(e("a", "b"), "begChr", "[", "sepChr", ",", "endChr", "")) == "[a,b"
    assert formula(f"<m:sSup><m:e>{fenced(e('a+b'))}</m:e><m:sup>{r('n+1')}</m:sup></m:sSup>") == "(a+b)^(n+1)"
    assert formula(f"<m:rad><m:deg>{r('3')}</m:deg>{e('x')}</m:rad>") == "x^(1/3)"
    assert formula(f"<m:m><m:mr>{e('1', '2')}</m:mr><m:mr>{e('3', '4')}</m:mr></m:m>") == "1, 2; 3, 4"
    assert formula(f"<m:nary><m:sub>{r('0')}</m:sub><m:sup/>{e('x')}</m:nary>") == "∫_0 x"
    assert formula(f"<m:acc><m:accPr><m:chr m:val='\u20d7'/></m:accPr>{e('v')}</m:acc>") == "v\u20d7"
    assert formula(r("1") + r("23")) == "123"
    assert formula(f"<m:func><m:fName>{r('sin')}</m:fName>{e('x')}</m:func>") == "sin x"


def test_an_empty_cell_stands_where_a_merged_one_covers() -> None:
    def row(*cells: tuple[str, str]) -> str:
        return f"<w:tr>{''.join(f'<w:tc><w:tcPr>{more}</w:tcPr>{p(text)}</w:tc>' for text, more in cells)}</w:tr>"

    first, covered = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = row(("Year", ""), ("Item", '<w:gridSpan w:val="2"/>'), ("Price", ""))
    rows += row(("2026", first), ("Apples", ""), ("red", ""), ("11", ""))
    rows += row(("", covered), ("Pears", ""), ("green", ""), ("22", ""))
    assert found(f"<w:tbl>{rows}</w:tbl>") == [
        (0, "Year | Item |  | Price\n2026 | Apples | red | 11\n | Pears | green | 22")
    ]


def test_lists_and_tables_and_code() -> None:
    def item(text: str, number: int) -> str:
        return p(text, "", f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>')

    def cell(text: str) -> str:
        return f"<w:tc>{p(text)}</w:tc>"

    rows = (("Town", "Fare"), ("Ost", "4"), ("Westrup", "12"))
    table = "".join(f"<w:tr>{''.join(map(cell, row))}</w:tr>" for row in rows)
    body = item("First.", 1) + item("Then.", 1) + p("And:") + item("a lamp", 2) + f"<w:tbl>{table}</w:tbl>"
    document = read(word(body + p("def fare():", "Code") + p("    return 4", "Code") + p("So.")))
    assert [line for line in document.text.splitlines() if line] == [
        "1. First.", "2. Then.", "And:", "- a lamp", "Town | Fare", "Ost | 4", "Westrup | 12", "def fare():",
        "    return 4", "So.",
    ]  # fmt: skip
    assert [document.text[one.start : one.end].count("\n") for one in document.paragraphs if one.lines][-2:] == [4, 3]


def test_old_encrypted_and_other_files_are_refused() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    assert ".docx" in refused(old).hint
    assert "password" in str(refused(old + "EncryptedPackage".encode("utf-16-le") + bytes(2)))
    assert "not a zip" in str(refused(b"Anna crossed the river."))
    data = word(p("Anna crossed."))
    assert "is damaged or incomplete" in str(refused(data[: len(data) // 2]))
    assert "not a Word file" in str(refused(packed({"xl/workbook.xml": "<workbook/>"})))
