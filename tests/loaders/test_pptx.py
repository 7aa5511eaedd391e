"""PowerPoint files and Jupyter notebooks: slides and cells in their order, with their place."""

from __future__ import annotations

import json

import pytest

from fixtures.small_files import jupyter, packed, powerpoint, relations, shape, slide, table
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.notebook import parse as parse_notebook
from readagent.loaders.office.pptx import parse


def read(data: bytes) -> Document:
    return parse(data, "talk.pptx", Options())


def paragraphs(document: Document) -> list[tuple[int, str, str]]:
    """Return level, place and text of each paragraph."""
    return [(one.heading, one.place, document.text[one.start : one.end].strip("\n")) for one in document.paragraphs]


def test_slides_are_sections_in_the_order_of_the_talk() -> None:
    data = powerpoint(
        [shape("Boats", "ctrTitle") + shape("By Ida", "subTitle"), shape("Rivers", "title") + shape("The Elbe")]
    )
    document = read(data)
    assert paragraphs(document) == [
        (1, "slide 1", "Boats"), (0, "slide 1", "By Ida"), (1, "slide 2", "Rivers"), (0, "slide 2", "The Elbe"),
    ]  # fmt: skip
    assert document.place_at(document.text.index("Elbe")) == "slide 2, Rivers"
    assert (document.title, document.metadata["author"]) == ("The boats", "Ida Brandt")


def test_lists_tables_and_notes_without_numbers_dates_and_footers() -> None:
    furniture = shape("7", "sldNum") + shape("1 March", "dt") + shape("ACME", "ftr")
    shapes = shape("Boats", "title") + furniture + shape("old\nnew", "body") + table([["name", "age"], ["Ida", "9"]])
    texts = [text for _, _, text in paragraphs(read(powerpoint([shapes], {1: "Speak slowly.\nWait."})))]
    assert texts == ["Boats", "- old", "- new", "name | age\nIda | 9", "Notes: Speak slowly.", "Wait."]


def test_charts_and_comments_are_read() -> None:
    series = (
        "<ser><tx><v>Sales</v></tx><cat><pt idx='0'><v>East</v></pt><pt idx='1'><v>West</v></pt></cat>"
        "<val><pt idx='0'><v>1</v></pt><pt idx='1'><v>2</v></pt></val></ser>"
    )
    links = {"c": ("chart", "../charts/c.xml"), "d": ("comments", "../c1.xml"), "e": ("comments", "../c2.xml")}
    more = {
        "ppt/slides/_rels/slide1.xml.rels": relations(links),
        "ppt/charts/c.xml": f"<x><title><t>Boats</t></title>{series}</x>",
        "ppt/c1.xml": "<x><cm><text>Is that so?</text></cm></x>",
        "ppt/c2.xml": "<x><cm><txBody><p><r><t>Yes.</t></r></p></txBody></cm></x>",
    }
    texts = [text for _, _, text in paragraphs(read(powerpoint([shape("Sales", "title")], more=more)))]
    table = " | Sales\nEast | 1\nWest | 2"
    assert texts == ["Sales", "Chart: Boats", table, "Comment: Is that so?", "Comment: Yes."]


def test_a_hidden_slide_is_marked_and_one_without_a_title_is_named_by_its_number() -> None:
    hidden = slide(shape("Rivers", "title") + shape("The Elbe")).replace("<p:sld ", '<p:sld show="0" ', 1)
    document = read(powerpoint([shape("Boats", "title"), ""], more={"ppt/slides/slide1.xml": hidden}))
    assert document.place_at(document.text.index("Elbe")) == "slide 2, hidden, Rivers"
    assert document.place_at(0) == "slide 1, Boats"
    document = read(powerpoint([shape("Boats", "title"), shape("A picture of the Elbe")]))
    assert document.place_at(document.text.index("Elbe")) == "Slide 2, par. 1"


def test_files_without_slides_or_with_document_types_are_refused() -> None:
    with pytest.raises(LoadError, match="contains no slides"):
        read(powerpoint([]))
    bomb = '<!DOCTYPE a [<!ENTITY b "ha">]><a>&b;</a>'
    data = packed(
        {"_rels/.rels": relations({"a": ("officeDocument", "ppt/presentation.xml")}), "ppt/presentation.xml": bomb}
    )
    with pytest.raises(LoadError, match="declares a document type"):
        read(data)


PICTURE = "iVBORw0KGgoAAAANSUhEUgAA" * 200


def read_cells(data: bytes) -> Document:
    return parse_notebook(data, "boats.ipynb", Options())


def code(source: str, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs)}


def cells_of(document: Document) -> list[tuple[int, str, str]]:
    return [(one.heading, one.place, document.text[one.start : one.end].strip("\n")) for one in document.paragraphs]


def test_cells_are_read_in_order() -> None:
    markdown = {"cell_type": "markdown", "source": ["# Boats\n", "\n", "There are *nine*."]}
    result = {"output_type": "execute_result", "data": {"text/plain": ["10"], "text/html": "<b>10</b>"}}
    document = read_cells(jupyter(markdown, code("boats = 9\nboats + 1", result), authors=[{"name": "Ida Brandt"}]))
    assert cells_of(document) == [
        (1, "cell 1", "Boats"),
        (0, "cell 1", "There are nine."),
        (0, "cell 2", "boats = 9\nboats + 1"),
        (0, "cell 2", "10"),
    ]
    assert document.place_at(document.text.index("boats + 1")) == "cell 2"
    assert (document.title, document.metadata["author"]) == ("Boats", "Ida Brandt")


def test_pictures_are_left_out() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": PICTURE, "text/plain": "<Figure size 640x480>"}}
    markdown = {"cell_type": "markdown", "source": f"A boat: ![boat](data:image/png;base64,{PICTURE})"}
    text = read_cells(jupyter(code("plot()", picture), markdown)).text
    assert text == "plot()\n\nA boat:\n\n"


def test_outputs_have_no_colours_and_no_overwritten_lines() -> None:
    stream = {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n", " 10%\r 50%\r100%\n"]}
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no boat", "traceback": ["\x1b[0;31m--"]}
    assert [text for *_, text in cells_of(read_cells(jupyter(code("go()", stream, error))))] == [
        "go()",
        "red\n100%",
        "ValueError: no boat",
    ]


def test_version_3() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Boats"},
        {"cell_type": "code", "input": "9", "outputs": []},
    ]
    data = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    assert cells_of(read_cells(data)) == [(2, "cell 1", "Boats"), (0, "cell 2", "9")]


@pytest.mark.parametrize("data", [b'{"nbformat": 2, "cells": ' + b"[" * 100_000, b"[" * 100_000])
def test_other_json_is_one_error(data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        read_cells(data)
    assert "boats.ipynb" in str(caught.value)
    assert caught.value.hint
