"""Printed numbers of Word, OpenDocument and RTF texts: the same that LibreOffice prints into a PDF."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pypdfium2
import pytest

from loaders.test_docx import p, word
from loaders.test_odt import flat
from loaders.test_rtf import STYLES as RTF_STYLES
from loaders.test_rtf import rtf
from readagent.core.document import Document
from readagent.loaders import load, load_bytes


def lvl(depth: int, form: str, text: str, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def num(key: int, of: int, more: str = "") -> str:
    return f'<w:num w:numId="{key}"><w:abstractNumId w:val="{of}"/>{more}</w:num>'


def override(depth: int, inside: str) -> str:
    return f'<w:lvlOverride w:ilvl="{depth}">{inside}</w:lvlOverride>'


def abstract(key: int, levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{key}"><w:multiLevelType w:val="multilevel"/>{levels}</w:abstractNum>'


def style(key: str, name: str, more: str, base: str = "") -> str:
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/>{based}<w:pPr>{more}</w:pPr></w:style>'
    )


def in_list(number: int, depth: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'


DEFINITIONS = (
    abstract(
        0,
        lvl(0, "upperRoman", "ARTICLE %1", '<w:pStyle w:val="H1"/><w:suff w:val="space"/>')
        + lvl(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/><w:isLgl/>')
        + lvl(2, "lowerLetter", "(%3)")
        + lvl(3, "lowerRoman", "(%4)"),
    )
    + abstract(1, '<w:numStyleLink w:val="Clauses"/>')
    + abstract(2, '<w:styleLink w:val="Clauses"/>' + lvl(0, "decimalZero", "%1.") + lvl(1, "upperLetter", "%1%2)"))
    + abstract(3, lvl(0, "decimal", "Part %1") + lvl(1, "decimal", "§ %2", '<w:lvlRestart w:val="0"/>'))
    + abstract(4, lvl(0, "ordinalText", "%1 reason:") + lvl(1, "bullet", "•"))
    + num(1, 0) + num(2, 0, override(2, '<w:startOverride w:val="5"/>')) + num(3, 1) + num(4, 3) + num(5, 4)
    + num(6, 2, override(0, '<w:startOverride w:val="7"/>') + override(1, lvl(1, "lowerLetter", "%2.")))
)  # fmt: skip
LINKED = (
    style("H1", "heading 1", '<w:numPr><w:numId w:val="1"/></w:numPr>')
    + style("H2", "heading 2", '<w:numPr><w:ilvl w:val="1"/></w:numPr>', "H1")
    + '<w:style w:type="numbering" w:styleId="Clauses"><w:name w:val="Clauses"/><w:pPr><w:numPr><w:numId w:val="3"/>'
    "</w:numPr></w:pPr></w:style>"
)
CELLS = "".join(f"<w:tc>{p(text, '', in_list(3, 1))}</w:tc>" for text in ("Oars", "Ropes"))
CONTRACT = (
    p("Boats", "H1") + p("Payment", "H1") + p("Fees", "H2") + p("Anna pays.", "", in_list(1, 2))
    + p("She pays twice.", "", in_list(1, 2)) + p("In oats.", "", in_list(1, 3)) + p("Costs", "H2")
    + p("Ida pays.", "", in_list(1, 2)) + p("Resumed at five.", "", in_list(2, 2)) + p("And on.", "", in_list(2, 2))
    + p("Unnumbered", "H2", '<w:numPr><w:numId w:val="0"/></w:numPr>')
    + p("Alpha.", "", in_list(3)) + f"<w:tbl><w:tr>{CELLS}</w:tr></w:tbl>" + p("Beta.", "", in_list(3))
    + p("Seventh.", "", in_list(6)) + p("Overridden.", "", in_list(6, 1))
    + p("River", "", in_list(4)) + p("Bank", "", in_list(4, 1)) + p("Sea", "", in_list(4)) + p("Shore", "", in_list(4, 1))
    + p("It rained.", "", in_list(5)) + p("Much.", "", in_list(5, 1)) + p("It froze.", "", in_list(5)) + p("End", "H1")
)  # fmt: skip
PRINTED = [
    "ARTICLE I Boats", "ARTICLE II Payment", "2.1 Fees", "(a) Anna pays.", "(b) She pays twice.", "(i) In oats.",
    "2.2 Costs", "(a) Ida pays.", "(e) Resumed at five.", "(f) And on.", "Unnumbered", "01. Alpha.",
    "01A) Oars | 01B) Ropes", "02. Beta.", "07. Seventh.", "a. Overridden.", "Part 1 River", "§ 1 Bank", "Part 2 Sea",
    "§ 2 Shore", "First reason: It rained.", "– Much.", "Second reason: It froze.", "ARTICLE III End",
]  # fmt: skip


def contract(definitions: str = DEFINITIONS) -> bytes:
    return word(CONTRACT, numbering=definitions, styles=LINKED)


def lines(document: Document) -> list[str]:
    return [line for line in document.text.splitlines() if line]


def test_numbers_of_a_word_file() -> None:
    document = load_bytes(contract(), "contract.docx", source="")
    assert lines(document) == PRINTED
    headings = [document.text[one.start : one.end].strip() for one in document.paragraphs if one.heading == 2]
    assert headings == ["2.1 Fees", "2.2 Costs", "Unnumbered"]


def odt() -> bytes:
    def level(kind: str, number: int, form: str, more: str = "") -> str:
        return (
            f'<text:{kind}-style{"-number" * (kind[0] == "l")} text:level="{number}" style:num-format="{form}" {more}/>'
        )

    def items(*texts: str, more: str = "") -> str:
        return "".join(f"<text:list-item {more}><text:p>{text}</text:p></text:list-item>" for text in texts)

    def listed(inside: str, more: str = "") -> str:
        return f'<text:list text:style-name="C" {more}>{inside}</text:list>'

    def heading(number: int, text: str, more: str = "") -> str:
        return f'<text:h text:outline-level="{number}" {more}>{text}</text:h>'

    shown = 'text:display-levels="2"'
    outline = level("outline-level", 1, "I", "style:num-prefix='Article '") + level("outline-level", 2, "1", shown)
    clauses = level("list-level", 1, "a", "style:num-prefix='(' style:num-suffix=')'")
    clauses += level("list-level", 2, "1", f"{shown} style:num-suffix='.' text:start-value='4'")
    inner = items("Anna pays.").replace("</text:p>", f"</text:p>{listed(items('Oars.', 'Ropes.'))}")
    resumed = f"<text:list-item>{listed(items('Nets.'))}</text:list-item>{items('Ida pays.')}"
    annex = items("Nets.", more="text:style-override='D'")
    body = (
        heading(1, "Boats") + heading(1, "Payment") + heading(2, "Fees") + listed(inner, "xml:id='k'")
        + "<text:p>Then.</text:p>" + listed(items("Other.", more="text:start-value='26'") + items("Next."))
        + listed(resumed, "text:continue-list='k'") + listed(items("Again.") + annex, "text:continue-numbering='true'")
        + heading(2, "Plain", "text:is-list-header='true'")
        + heading(1, "End", "text:restart-numbering='true' text:start-value='9'")
    )  # fmt: skip
    styles = f"<office:styles><text:outline-style style:name='Outline'>{outline}</text:outline-style></office:styles>"
    annexes = level("list-level", 1, "A", "style:num-prefix='Annex ' style:num-suffix=':'")
    lists = {"C": clauses, "D": annexes}.items()
    return flat(body, styles, "".join(f"<text:list-style style:name='{k}'>{v}</text:list-style>" for k, v in lists))


ODT_PRINTED = [
    "Article I Boats", "Article II Payment", "II.1 Fees", "(a) Anna pays.", "a.4. Oars.", "a.5. Ropes.", "Then.",
    "(z) Other.", "(aa) Next.", "a.6. Nets.", "(b) Ida pays.", "(c) Again.", "Annex D: Nets.", "Plain", "Article IX End",
]  # fmt: skip


def test_numbers_of_an_opendocument_text() -> None:
    assert lines(load_bytes(odt(), "contract.fodt", source="")) == ODT_PRINTED


def test_numbers_of_a_rich_text_file_are_those_written_in_it() -> None:
    def item(label: str, text: str, depth: int = 0) -> str:
        return rf"\pard\ls1\ilvl{depth}{{\listtext\tab {label}\tab}}{text}\par"

    body = item("2.1", "Fees.", 1) + item("(b)", "Twice.", 2) + item("IV.", "End.") + item(r"\bullet", "Oars.", 1)
    cells = r"\trowd\intbl{\listtext (c)\tab}Nets\cell\intbl Ropes\cell\row"
    heading = r"\pard\s1\ls1{\listtext Article 3\tab}Sea\par"
    document = load_bytes(rtf(body + cells + heading, RTF_STYLES), "contract.rtf", source="")
    assert lines(document) == ["2.1 Fees.", "(b) Twice.", "IV. End.", "– Oars.", "(c) Nets | Ropes", "Article 3 Sea"]
    assert document.paragraphs[-1].heading == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_prints_the_same_numbers_and_writes_them_in_all_formats(tmp_path: Path) -> None:
    def converted(name: str, suffix: str) -> Path:
        profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
        command = [
            "soffice", profile, "--headless", "--convert-to", suffix, "--outdir", str(tmp_path), str(tmp_path / name),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return tmp_path / f"{Path(name).stem}.{suffix}"

    def squeezed(text: str) -> str:
        return re.sub(r"[\s|–•·-]", "", text)

    known = DEFINITIONS.replace("<w:isLgl/>", "").replace('<w:lvlRestart w:val="0"/>', "")  # LibreOffice 7 lacks both
    (tmp_path / "contract.docx").write_bytes(contract(known))
    expected = "\n".join(PRINTED).replace("\n2.", "\nII.").replace("§ 2", "§ 1").splitlines()
    (tmp_path / "boats.fodt").write_bytes(odt())
    for name, printed in (("contract.docx", expected), ("boats.fodt", ODT_PRINTED)):
        pdf = pypdfium2.PdfDocument(converted(name, "pdf"))
        text = squeezed("".join(page.get_textpage().get_text_range() for page in pdf))
        pdf.close()
        assert text == squeezed("".join(printed))
    assert [lines(load(converted("contract.docx", suffix))) for suffix in ("odt", "rtf")] == [expected, expected]
