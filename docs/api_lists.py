"""The lists of public names in docs/api: an entry is "- `name`", under a heading that names its module.

Data have no docstring: what they are stands behind their names, "- `name`: what it is".
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_LINE = re.compile(r"^(?:#+ `(?P<module>readagent[\w.]*)`|- `(?P<name>\w+)`(?:: (?P<text>.*(?:\n  .*)*))?)$", re.M)


def replaced(page: str, entry: Callable[[str, str, str], str]) -> str:
    """Return the page with every entry replaced by what the function makes of its module, its name and its text."""
    module = ""

    def line(found: re.Match[str]) -> str:
        nonlocal module
        if found["module"]:
            module = found["module"]
            return found[0]
        return entry(module, found["name"], " ".join((found["text"] or "").split()))

    return _LINE.sub(line, page)


def kind_of(module: str, name: str) -> str:
    """Return what a public name is: an exception, a class, a function, or data; from the source if it must be."""
    try:
        value = getattr(import_module(module), name)
    except ImportError:  # its package is not installed
        return _kind_in_source(module, name)
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def _kind_in_source(module: str, name: str) -> str:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    kinds = {ast.ClassDef: "class", ast.FunctionDef: "function", ast.AsyncFunctionDef: "function"}
    for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return kinds[type(node)]
    return "data"
