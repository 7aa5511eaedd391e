"""Where the units of source code begin: functions, classes, blocks of imports, with the comments that lead to them.

Python is read by its own parser. Other languages are read by what they share: blank lines, indents and braces.
"""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_LONG = 80  # lines; a longer class is given by its members
_DATA_UNIT = 40  # lines of data, such as JSON, that make a unit
_DATA_SIZE = 4000  # characters of data that do
_NO_INDENT = 1 << 30  # of a blank line
_MOST_PARSED = 400_000  # characters; more Python than that is read by the general rule
_MOST_BRACES = 10_000  # of f-strings, for which Python's parser takes long
_MOST_DEPTH = 4  # classes within classes
_BRACED = frozenset(
    """C C# C++ CSS Cuda D Dart Go Groovy Java JavaScript Kotlin Less Metal Objective-C++ PHP Perl PowerShell Rust Sass
    Scala Solidity Swift SystemVerilog Thrift TypeScript Zig GLSL Objective-C""".split()
) | {"Protocol Buffers"}
_DATA = frozenset(("JSON", "JSON lines", "YAML", "XML", "TOML"))
_QUOTED_LONG = frozenset(("JavaScript", "TypeScript", "PHP", "Perl", "CSS", "Sass", "Less", "Groovy", "Dart"))
_TOKEN = re.compile(
    r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])'|`(?:\\.|[^`\\])*+`?|[](){}[]|\n"
)
_TOKEN_QUOTED = re.compile(
    r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n])*+'?|`(?:\\.|[^`\\])*+`?|[](){}[]|\n"
)
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_COMMENT = re.compile(
    r"//|/\*|\*|--|;|%|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|else|elif|pragma|undef|import|!|\[))"
)
_CLOSER = re.compile(
    r"[\])}]|(?:end|else|elif|elsif|fi|done|esac|except|finally|catch|then|endif)\b|\*/|#\s*(?:endif|else|elif)\b"
)
_CLOSED = re.compile(r"(?:[\])}]+[;,)]*|end|fi|done|esac)")
_HOLDS = re.compile(
    r"(?:@\w.*|(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|partial|data|open|case|pub"
    r"(?:\([\w:]+\))?|unsafe|declare|inline|template\s*<.*>)\s+)*"
    r"(?:class|interface|struct|enum|union|impl|trait|namespace|module|object|extension|protocol|mod|contract|service"
    r"|package|library|defmodule|record|describe|extern\s+\"C\")\b)"
)


@dataclass(frozen=True, slots=True)
class _Span:
    first: int
    last: int


def unit_lines(lines: Sequence[str], language: str) -> list[int]:
    """The lines, counted from 0, at which the units of this code begin; the first is always 0."""
    found = _of_python(lines) if language == "Python" else None
    if found is None:
        found = _General(lines, language).starts()
    if language in _DATA and (
        len(lines) > 2 * _DATA_UNIT * len(found) or sum(map(len, lines)) > 2 * _DATA_SIZE * len(found)
    ):
        found = _of_data(lines)
    return sorted({0, *found}) if lines else []


# Python


def _of_python(lines: Sequence[str]) -> list[int] | None:
    """Where Python's statements begin, the small ones together; None where it cannot be parsed."""
    text = "\n".join(lines)
    if len(text) > _MOST_PARSED or text.count("{") > _MOST_BRACES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _statements(tree.body, lines)


def _statements(body: Iterable[ast.stmt], lines: Sequence[str]) -> list[int]:
    starts: list[int] = []
    before = _Span(-1, -1)
    grouped = ""
    for node in body:
        span = _span(node, lines, after=before.last)
        kind = _kind(node)
        apart = not kind or kind != grouped or (kind == "plain" and span.first > before.last + 2)
        if apart:
            starts.append(span.first)
        if isinstance(node, ast.ClassDef) and span.last - span.first >= _LONG:
            starts += [one for one in _members(node, lines) if one > span.first]
        before, grouped = span, kind
    return starts


def _kind(node: ast.stmt) -> str:
    """What is given together: imports, and plain statements. A function, a class or a block stands for itself."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "import"
    return (
        "plain"
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Delete | ast.Assert)
        else ""
    )


def _members(node: ast.ClassDef, lines: Sequence[str]) -> list[int]:
    """Where the methods of a long class begin; what stands before the first of them stays with the class."""
    inner = [child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    ends = {id(child): previous.end_lineno or 0 for previous, child in zip(node.body, node.body[1:], strict=False)}
    return [_span(child, lines, after=ends.get(id(child), node.lineno) - 1).first for child in inner]


def _span(node: ast.stmt, lines: Sequence[str], after: int) -> _Span:
    """The lines of a statement with its decorators, and with the comments above it that stand as deep as it does."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)]) - 1
    line = first
    while line - 1 > after and (not lines[line - 1] or lines[line - 1][: node.col_offset + 1].strip() == "#"):
        line -= 1
        first = line if lines[line] else first
    return _Span(first, (node.end_lineno or node.lineno) - 1)


# Any other language


class _General:
    """Units by blank lines, and by how deep a line stands: in braces, or else in its indent."""

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = lines
        self._depths = _brace_depths(lines, language) if language in _BRACED else None
        self._levels = self._depths or [len(line) - len(line.lstrip()) for line in lines]
        self._statements = language == "SQL"

    def starts(self) -> list[int]:
        """Where the units begin, long classes by their members; comments go with what they lead to."""
        found = sorted({0, *self._within(0, len(self._lines), 0)})
        kept, leads = found[:1], False
        for before, start in itertools.pairwise(found):
            only_comments = all(not line or _COMMENT.match(line.lstrip()) for line in self._lines[before:start])
            leads = only_comments and before > 0 and (leads or before == kept[-1])
            if not leads:
                kept.append(start)
        return kept

    def _within(self, first: int, last: int, nested: int) -> list[int]:
        inner = [
            i
            for i in range(first + (nested > 0), last)
            if self._lines[i] and not _CLOSER.match(self._lines[i].lstrip())
        ]
        own = self._levels[first] if nested else -1
        level = min((self._levels[i] for i in inner if self._levels[i] > own), default=0)
        begun = [i for i in inner if self._levels[i] == level and self._opens(i, first)]
        found = list(begun)
        if nested < _MOST_DEPTH:
            for a, b in itertools.pairwise([*begun, last] if nested else [first, *begun, last]):
                opening = self._opening(a, b)
                if b - a > _LONG and opening is not None:
                    found += self._within(opening, b, nested + 1)
        return found

    def _opens(self, line: int, first: int) -> bool:
        before = self._lines[line - 1] if line > first else ""
        closed = _CLOSED.fullmatch(before.strip()) and self._levels[line - 1] in (
            self._levels[line],
            self._levels[line] + 1,
        )
        return line > first and (not before or bool(closed) or (self._statements and before.endswith(";")))

    def _opening(self, first: int, last: int) -> int | None:
        """The line on which something that holds members opens, within the first few of a unit."""
        for line in range(first, min(last, first + 40)):
            words = self._lines[line].strip()
            if _HOLDS.match(words) and not words.startswith("@"):
                return line
        return None


def _brace_depths(lines: Sequence[str], language: str) -> list[int] | None:
    """How many brackets (or comments) are open where each line begins; None where they do not match."""
    token = _TOKEN_QUOTED if language in _QUOTED_LONG else _TOKEN
    depth, depths = 0, [0]
    for found in token.finditer("\n".join(lines)):
        mark = found.group()
        if mark in _OPENERS:
            depth += 1
        elif mark in _CLOSERS:
            depth -= 1
            if depth < 0:
                return None
        elif mark == "\n":
            depths.append(depth)
        else:
            depths += [depth + 1] * mark.count("\n")
    return depths if depth == 0 and len(depths) == len(lines) else None


def _of_data(lines: Sequence[str]) -> list[int]:
    """Data has no units of its own: so many lines, up to where the outer levels go on."""
    starts = [0]
    size = 0
    indents = [len(line) - len(line.lstrip()) if line else _NO_INDENT for line in lines]
    outer = sorted({indent for indent in indents if indent < _NO_INDENT})[:2]
    for index, indent in enumerate(indents):
        full = index - starts[-1] >= _DATA_UNIT or size >= _DATA_SIZE
        if full and indent in outer and not _CLOSER.match(lines[index].lstrip()):
            starts.append(index)
            size = 0
        size += len(lines[index])
    return starts
