"""The board: how far the documents of a command are, at every width, and what it reports without a terminal."""

from __future__ import annotations

import io

from readagent.cli.board import Board
from readagent.core.document import Document
from readagent.core.events import GistDone, PageFound, Started, Waiting
from readagent.core.trace import Call, Usage


def documents(count: int) -> list[Document]:
    return [Document.from_text(f"Text {number}") for number in range(count)]


def half_way(stream: io.StringIO, count: int) -> Board:
    """Return the board of a command with 30 documents: 2 are finished, one of them failed, and some are being read."""
    board = Board(stream)
    board.expected = 30
    finished, failed, *reading = documents(count + 2)
    for number, document in enumerate((finished, failed, *reading)):
        board.open(document, f"letters/from-the-mill-{number:03}.txt")
        board(document, Started(1000))
        board(document, PageFound(0, 500))
        board(document, Call("gist", 10, 5, Usage(2000, 0, 0, None), 0.1, True, "stop"))
    board(finished, GistDone(0))
    board.close(finished)
    board.close(failed, failed=True)
    return board


def test_there_is_a_line_for_all_documents_and_one_for_each_that_is_read() -> None:
    whole, *each = half_way(io.StringIO(), 2).lines(100)
    assert whole == "2 of 30 documents · 1 failed · 1 page · 8.0k tokens"
    assert each == [
        f"  letters/from-the-mill-00{number}.txt · reading 25% · 0/1 pages · 2.0k tokens · 500/1,000 words"
        for number in (2, 3)
    ]


def test_a_long_wait_is_reported_once_without_a_terminal() -> None:
    stream = io.StringIO()
    board = Board(stream)
    board.expected = 3
    for document in documents(3):
        board.open(document, "a file")
        board(document, Waiting(30, "the server asks to slow down"))
    assert stream.getvalue() == "waiting 30 s: the server asks to slow down\n"
