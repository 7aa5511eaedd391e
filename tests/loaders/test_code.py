"""Source code: functions and classes are units, each complete, with the line it begins on."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.loaders.code import language_of, parse
from readagent.loaders.formats import Options


def units(text: str, name: str = "boat.py") -> list[tuple[str, str]]:
    """Return the place and the first line of each unit."""
    return [
        (p.place, words(document, p.start, p.end)[0]) for document in [read(text, name)] for p in document.paragraphs
    ]


def words(document: Document, start: int, end: int) -> list[str]:
    return document.text[start:end].strip("\n").split("\n")


def read(text: str, name: str) -> Document:
    document = parse(text.encode(), name, Options())
    assert document.text == "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())
    assert "".join(document.text[p.start : p.end] for p in document.paragraphs) == document.text
    assert all(p.lines and not p.heading for p in document.paragraphs)
    return document


PYTHON = '''#!/usr/bin/env python3
"""Boats."""

import os
import sys
from pathlib import Path

LIMIT = 3
NAMES = ["a",

         "b"]

# Reading

# How a boat is read.
@cached
@other(1)
def read(name):
    """Read.

    It is long.
    """
    if name:

        return 1
    return 0


class Boat:
    """A boat."""

    def sail(self):
        return 1

if __name__ == "__main__":
    read("x")
'''


def test_units_of_python() -> None:
    assert units(PYTHON) == [
        ("line 1", "#!/usr/bin/env python3"),
        ("line 4", "import os"),
        ("line 8", "LIMIT = 3"),
        ("line 13", "# Reading"),
        ("line 29", "class Boat:"),
        ("line 35", 'if __name__ == "__main__":'),
    ]
    assert read(PYTHON, "boat.py").code == "Python"
    assert read(PYTHON, "boat.py").title == "boat.py"


def test_a_long_class_is_split_into_methods() -> None:
    methods = "\n\n".join(
        f"    # Number {i}\n    @cached\n    def method_{i}(self):\n        x = 1\n\n        return x"
        for i in range(20)
    )
    found = units(f"class Boat:\n    '''A boat.'''\n\n    size = 3\n\n{methods}\n\n\ndef after():\n    pass\n")
    assert [first for _, first in found] == [
        "class Boat:", "    size = 3", *(f"    # Number {i}" for i in range(20)), "def after():",
    ]  # fmt: skip


def test_python_that_does_not_parse_is_still_read() -> None:
    text = "print 'old'\n\ndef f(x):\n    a = 1\n\n    return a\n\n\n@decorated\ndef g(y):\n    pass\n"
    assert [first for _, first in units(text)] == ["print 'old'", "def f(x):", "@decorated"]


JAVA = """/*
 * A licence,
 *
 * in two paragraphs { .
 */

package boats;

import java.util.List;

// A boat.
public class Boat {

    private int size = 3;

    /** Sails. */
    @Override
    public void sail() {
        String brace = "}";

        go();
    }

    void stop() { }
}
"""
SQL = "CREATE TABLE a (\n  x int,\n\n  y int\n);\nINSERT INTO a\nVALUES (1);\n\nSELECT 1;\n"


@pytest.mark.parametrize(
    ("text", "name", "firsts"),
    [
        (JAVA, "Boat.java", ["/*", "package boats;", "import java.util.List;", "// A boat."]),
        (SQL, "a.sql", ["CREATE TABLE a (", "INSERT INTO a", "SELECT 1;"]),
        ("all: a b\n\techo\n\na:\n\techo a\n", "Makefile", ["all: a b", "a:"]),
    ],
)
def test_units_of_other_languages(text: str, name: str, firsts: list[str]) -> None:
    assert [first for _, first in units(text, name)] == firsts


@pytest.mark.parametrize(
    ("name", "first_line", "language"),
    [
        ("src/boat.py", "", "Python"),
        ("run", "#!/usr/bin/env -S python3.11 -u", "Python"),
        ("boat.m", "function y = f(x)", "Matlab"),
        ("", "", ""),
    ],
)
def test_the_language_of_a_file(name: str, first_line: str, language: str) -> None:
    assert language_of(name, first_line) == language


def test_hostile_python_is_still_read() -> None:
    for text in ("x = " + "(" * 500, "x = " + "-" * 50_000 + "1", "x = a" + ".b" * 50_000, "\x0c" * 9 + "x = 1"):
        assert parse(text.encode(), "a.py", Options()).paragraphs
