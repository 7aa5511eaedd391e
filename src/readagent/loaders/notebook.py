"""Jupyter notebooks (.ipynb): Markdown, code, and outputs that are text; the place is the number of the cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.html.parser import blocks_of
from readagent.loaders.markdown import blocks_in, title_in
from readagent.loaders.text.decode import decode

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\n]*\x07")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")  # such as the earlier states of a progress bar
_ATTACHMENT = re.compile(r"!\[[^\]]*\]\((?:attachment|data):[^)]*\)")
_HINT = 'open it in Jupyter and save it again, or read it as plain text: `format="text"`'


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a notebook as a document."""
    try:
        notebook = json.loads(decode(data, name)[0])
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{name} is damaged: it is not valid JSON", hint=_HINT) from error
    cells = _cells(notebook)
    if cells is None:
        raise LoadError(f"{name} is not a Jupyter notebook", hint=_HINT)
    blocks = [
        replace(block, place=f"cell {number}")
        for number, cell in enumerate(cells, start=1)
        for block in _cell_blocks(cell)
    ]
    metadata = _mapping(_mapping(notebook).get("metadata"))
    title = metadata.get("title") if isinstance(metadata.get("title"), str) else ""
    return compose(blocks, title=title or title_in(blocks), metadata={"author": _authors(metadata)})


def _cells(notebook: object) -> list[Mapping[str, Any]] | None:
    """Return the cells, in version 3 or 4 of the format; None if it is no notebook."""
    book = _mapping(notebook)
    sheets = book.get("worksheets")
    found = [_mapping(one).get("cells") for one in sheets] if isinstance(sheets, list) else [book.get("cells")]
    if not any(isinstance(cells, list) for cells in found):
        return None
    return [_mapping(cell) for cells in found if isinstance(cells, list) for cell in cells]


def _cell_blocks(cell: Mapping[str, Any]) -> Iterator[Block]:
    source = _joined(cell.get("source", cell.get("input", "")))
    match cell.get("cell_type"):
        case "markdown":
            yield from blocks_in(_ATTACHMENT.sub("", source))
        case "heading":  # version 3
            level = cell.get("level")
            yield Block(source, heading=level if isinstance(level, int) and 1 <= level <= 6 else 1)
        case "code":
            yield Block(source, lines=True)
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else ():
                yield from _output_blocks(_mapping(output))
        case _:
            yield Block(source, lines=True)


def _output_blocks(output: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the text of an output; pictures and programs have none."""
    data = _mapping(output.get("data"))
    plain = _joined(output.get("text")) or _joined(data.get("text/plain"))
    if output.get("output_type") in ("error", "pyerr"):
        yield _lines(f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}")
    elif _joined(data.get("text/markdown")):
        yield from blocks_in(_ATTACHMENT.sub("", _joined(data.get("text/markdown"))))
    elif _joined(data.get("text/html")) and not plain:
        yield from blocks_of(_joined(data.get("text/html")))
    elif plain and not (_is_picture(data) and plain.startswith("<")):
        yield _lines(plain)


def _is_picture(data: Mapping[str, Any]) -> bool:
    return any(kind.startswith("image/") for kind in data)


def _lines(text: str) -> Block:
    return Block(_OVERWRITTEN.sub("", _COLOUR.sub("", text)), lines=True)


def _joined(value: object) -> str:
    """Return text, which may be stored as a list of lines."""
    if isinstance(value, list):
        return "".join(one for one in value if isinstance(one, str))
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _authors(metadata: Mapping[str, Any]) -> str:
    authors = metadata.get("authors")
    names = (_mapping(one).get("name") for one in authors) if isinstance(authors, list) else ()
    return ", ".join(one for one in names if isinstance(one, str))
