"""What replies mean is asked for in forms: no expression in the core has letters of other alphabets or with accents."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import readagent.core

CORE = Path(readagent.core.__file__).parent
EXCEPT = {"words.py", "languages.py"}  # where sentences end, and which language a text is in
MARKS = {"escaping.py", "letters.py"}  # marks of chat templates and of typography


def expressions(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of regular expressions, also of those that are put together from constants of the module."""
    named: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                named[ast.unparse(target)] = list(texts(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "lazy_pattern",
            "re.compile",
            "re.search",
            "re.match",
        ):
            for one in ast.walk(node.args[0]):
                yield from texts(one)
                yield from named.get(one.id, []) if isinstance(one, ast.Name) else ()


def texts(node: ast.AST) -> Iterator[str]:
    return (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def test_no_expression_of_the_core_lists_words_of_other_languages() -> None:
    found = {
        path.name
        for path in CORE.rglob("*.py")
        if any(
            not letter.isascii() and letter.isalpha()
            for text in expressions(ast.parse(path.read_text("utf-8")))
            for letter in text
        )
    }
    assert found <= EXCEPT | MARKS
