"""Jupyter notebooks: Markdown, code and text outputs, with the cell as the place and without pictures."""

from __future__ import annotations

import json

import pytest

from fixtures.small_files import jupyter
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.notebook import parse

PICTURE = "iVBORw0KGgoAAAANSUhEUgAA" * 200


def read(data: bytes) -> Document:
    return parse(data, "boats.ipynb", Options())


def code(source: str, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs)}


def paragraphs(document: Document) -> list[tuple[int, str, str]]:
    return [(one.heading, one.place, document.text[one.start : one.end].strip("\n")) for one in document.paragraphs]


def test_cells_are_read_in_order() -> None:
    markdown = {"cell_type": "markdown", "source": ["# Boats\n", "\n", "There are *nine*."]}
    result = {"output_type": "execute_result", "data": {"text/plain": ["10"], "text/html": "<b>10</b>"}}
    document = read(jupyter(markdown, code("boats = 9\nboats + 1", result), authors=[{"name": "Ida Brandt"}]))
    assert paragraphs(document) == [
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
    text = read(jupyter(code("plot()", picture), markdown)).text
    assert text == "plot()\n\nA boat:\n\n"


def test_outputs_have_no_colours_and_no_overwritten_lines() -> None:
    stream = {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n", " 10%\r 50%\r100%\n"]}
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no boat", "traceback": ["\x1b[0;31m--"]}
    assert [text for *_, text in paragraphs(read(jupyter(code("go()", stream, error))))] == [
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
    assert paragraphs(read(data)) == [(2, "cell 1", "Boats"), (0, "cell 2", "9")]


@pytest.mark.parametrize("data", [b'{"nbformat": 2, "cells": ' + b"[" * 100_000, b"[" * 100_000])
def test_other_json_is_one_error(data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        read(data)
    assert "boats.ipynb" in str(caught.value)
    assert caught.value.hint
