"""Excel files and tables in plain text: cells as people see them, and a header row in every part of a long table."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.small_files import cells, excel, relations
from readagent.core.document import Document
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.errors import LoadError
from readagent.loaders import load
from readagent.loaders.formats import Options
from readagent.loaders.office.number_formats import shown
from readagent.loaders.office.xlsx import parse as parse_excel
from readagent.loaders.text.delimited import parse as parse_csv


def excel_file(data: bytes, *, whole: bool = False) -> Document:
    return parse_excel(data, "boats.xlsx", Options(whole=whole))


def csv_file(text: str | bytes) -> Document:
    return parse_csv(text.encode() if isinstance(text, str) else text, "boats.csv", Options())


def paragraphs(document: Document) -> list[str]:
    return [document.text[one.start : one.end].strip("\n") for one in document.paragraphs]


def test_sheets_are_sections_and_rows_are_lines() -> None:
    document = excel_file(
        excel({"Boats": cells("name", "age") + cells("Ida", 9) + cells("Anna", 40), "Rivers": cells("Elbe")})
    )
    assert paragraphs(document) == ["Boats", "name | age\nIda | 9\nAnna | 40", "Rivers", "Elbe"]
    assert [one.heading for one in document.paragraphs] == [1, 0, 1, 0]
    assert document.place_at(document.text.index("Anna")) == "rows 1-3, Boats"
    assert (document.title, document.metadata["author"], document.metadata["date"]) == (
        "The boats",
        "Ida Brandt",
        "2024-03-01",
    )


def test_every_page_of_a_long_table_has_the_header() -> None:
    rows = "".join(cells(f"Boat number {n}", "wood and iron", n) for n in range(2, 600))
    document = excel_file(excel({"Boats": cells("Name of the boat", "Made of", "Length") + rows}))
    breaks = PageBreaks(document, Plan())
    start, at = 0, []
    while start < len(document.text):
        start = breaks.nearest(start, breaks.section_end(start), [])
        at.append(start)
    assert len(at) > 3
    assert all(document.text[one:].startswith("Name of the boat | Made of | Length\n") for one in at[:-1])
    assert document.place_at(document.text.index("Boat number 599")).endswith(", Boats")
    numbers = [line.split(" | ")[0] for line in document.text.splitlines() if line.startswith("Boat number")]
    assert numbers == [f"Boat number {n}" for n in range(2, 600)]


def test_shared_inline_and_computed_cells() -> None:
    rows = (
        '<row r="2"><c r="B2" t="s"><v>0</v></c><c r="D2" t="b"><v>1</v></c><c r="E2" t="e"><v>#DIV/0!</v></c></row>'
        '<row r="3"><c r="B3" t="str"><f>A1</f><v>sum_x000a_total</v></c><c r="C3"><f>SUM(A1:A2)</f></c></row>'
    )
    strings = ["<si><r><t>Ki</t></r><r><t>el</t></r><rPh><t>reading</t></rPh></si>"]
    document = excel_file(excel({"S": rows}, strings=strings))
    assert paragraphs(document)[1] == "Kiel |  | TRUE | #DIV/0!\nsum total | =SUM(A1:A2)"
    assert document.paragraphs[1].place == "rows 2-3"


def test_hidden_sheets_are_left_out_and_named() -> None:
    data = excel({"Boats": cells("Ida"), "Secret": cells("Anna")}, hidden=["Secret"])
    document = excel_file(data)
    assert "Anna" not in document.text
    assert document.metadata["not_read"] == "hidden sheet Secret"
    assert "Anna" in excel_file(data, whole=True).text


def test_comments_and_the_titles_and_series_of_charts_are_read() -> None:
    comments = '<x><comment ref="A1"><text><r><t>Sold </t></r><r><t>in May</t></r></text></comment></x>'
    chart = "<x><title><t>Ages</t></title><ser><tx><v>Boats</v></tx><val><pt idx='0'><v>9</v></pt></val></ser></x>"
    more = {
        "xl/comments1.xml": comments,
        "xl/drawings/d.xml": "<x/>",
        "xl/charts/c.xml": chart,
        "xl/drawings/_rels/d.xml.rels": relations({"c": ("chart", "../charts/c.xml")}),
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            {"d": ("drawing", "../drawings/d.xml"), "n": ("comments", "../comments1.xml")}
        ),
    }
    document = excel_file(excel({"S": cells("Ida")}, more=more))
    assert paragraphs(document) == ["S", "Ida", "Chart: Ages; series Boats", "Comment on A1: Sold in May"]


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.125, "0%", "12%"),
        (-1234.5, '"$"#,##0.00', "-$1,234.50"),
        (42, "00000", "00042"),
        (1_500, '[>999999]#.0,,"M";[>999]#,"K";0', "1500"),
        (0.5, "# ??/??", "0.5"),
        (123456789, "000-00-0000", "123456789"),
        (0.604166667, "h:mm AM/PM", "14:30"),
        (0.5, "[s]", "43200"),
        (7, "General", "7"),
        (5, ";;;", "5"),
    ],
)
def test_numbers_are_shown_in_their_format(value: float, code: str, text: str) -> None:
    assert shown(float(value), code) == text


def test_a_cell_far_away_does_not_fill_the_memory() -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    document = excel_file(excel({"S": rows}))
    assert paragraphs(document)[1] == "1\n | 2"
    assert document.paragraphs[1].place == "rows 1-1048576"


def test_a_huge_table_and_a_file_without_sheets_are_refused_in_one_line() -> None:
    long = '<row><c t="s"><v>0</v></c></row>' * 5000
    with pytest.raises(LoadError, match="contains more than 40 million characters of text"):
        excel_file(excel({"S": long}, strings=[f"<si><t>{'boat ' * 20_000}</t></si>"]))
    with pytest.raises(LoadError, match="contains no sheet with cells"):
        excel_file(excel({}))


@pytest.mark.slow
def test_rows_that_are_much_shorter_than_others_take_no_longer_than_they_are(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text("a," * 200_000 + "\n" + "x\n" * 40_000)
    text = load(table).text  # with a limit on processor time
    assert text.count("x") == 40_000


@pytest.mark.parametrize("separator", [",", "|"])
def test_tables_in_plain_text(separator: str) -> None:
    rows = [["name", "says"], ["Ida", f"one{separator} two"], ["Anna", 'the "new" boat']]
    text = "\r\n".join(separator.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    document = csv_file(text)
    assert document.text.splitlines()[:3] == [
        "name | says",
        f"Ida | one{separator.replace(chr(9), '')} two",
        'Anna | the "new" boat',
    ]
    assert document.place_at(0) == "rows 1-3"


def test_the_content_decides_what_is_prose_and_what_a_table(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("Anna crossed the river at night.\n\nNobody saw her, and the boats were gone.\n")
    assert load(path).text == path.read_text()
    path = tmp_path / "boats.xls"
    path.write_text("name,age\nIda,9\nAnna,40\n")
    document = load(path)
    assert document.text == "name | age\nIda | 9\nAnna | 40\n\n"
    assert document.place_at(0) == "rows 1-3"
