"""The lists of public names in docs/api: an entry is "- `name`: what it is", under a heading that names its module."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill

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
    """Return what a public name is: an exception, a class, a function, or data, which have no docstring."""
    return _described(module, name)[0]


def _described(module: str, name: str) -> tuple[str, str]:
    """Return the kind of a public name, and its docstring; from the source where a package is not installed."""
    try:
        value = getattr(import_module(module), name)
    except ImportError:
        return _described_in_source(module, name)
    text = inspect.getdoc(value) or ""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class", text
    return "function" if inspect.isroutine(value) else "data", text


def _described_in_source(module: str, name: str) -> tuple[str, str]:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    kinds = {ast.ClassDef: "class", ast.FunctionDef: "function", ast.AsyncFunctionDef: "function"}
    for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return kinds[type(node)], ast.get_docstring(node) or ""
    return "data", ""


def summarised(page: str) -> str:
    """Return the page with the first sentence of its docstring at each name; the text about data stays as it is."""

    def entry(module: str, name: str, text: str) -> str:
        kind, about = _described(module, name)
        if kind != "data":
            text = first_sentence(about.replace("``", "`"))
        return fill(f"- `{name}`: {text}", 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)

    return replaced(page, entry)


def first_sentence(text: str) -> str:
    """Return the first sentence of a text."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph)[0]
