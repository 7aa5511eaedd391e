"""Statements that run together, and many rows at once: the same in every database."""

from __future__ import annotations

import pytest

from readagent.errors import LibraryError
from readagent.library import Library

_ADD = "INSERT INTO forgotten (document) VALUES (?)"
_ALL = "SELECT document FROM forgotten ORDER BY document"


def test_a_batch_is_stored_as_a_whole_or_not_at_all(library: Library) -> None:
    with pytest.raises(LibraryError):
        library._db.batch([(_ADD, "one"), (_ADD, "one"), (_ADD, "two")])
    assert library._db.rows(_ALL) == []


def test_a_batch_in_a_transaction_is_undone_with_it(library: Library) -> None:
    def refused() -> None:
        with library._db.transaction():
            library._db.batch([(_ADD, "one"), (_ADD, "two")])
            library._db.rows(_ADD, "one")

    with pytest.raises(LibraryError):
        refused()
    assert library._db.rows(_ALL) == []
    with library._db.transaction():
        library._db.batch([(_ADD, "one"), (_ADD, "two")])
    assert library._db.rows(_ALL) == [("one",), ("two",)]


def test_many_rows_of_which_one_is_refused_leave_nothing(library: Library) -> None:
    with pytest.raises(LibraryError), library._db.transaction():
        library._db.many(_ADD, [(str(n % 40),) for n in range(50)])
    assert library._db.rows(_ALL) == []
