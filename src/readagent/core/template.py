"""Template: a text with ``{names}`` to fill in and optional parts, ``[[if name]] … [[else]] … [[end]]``.

A mark that is alone on its line disappears with the line, so that a template can be laid out in lines. What is filled
in is never read as a mark, neither by us nor by the chat template of a server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readagent.core.patterns import lazy_pattern
from readagent.core.tags import escape_tokens
from readagent.errors import PromptError

_MARK = lazy_pattern(
    r"^[ \t]*\[\[(?P<line>[A-Za-z][^\[\]\n]*)\]\][ \t]*(?:\n|\Z)|\[\[(?P<inline>[A-Za-z][^\[\]\n]*)\]\]", re.M
)
_IF = lazy_pattern(r"if\s+(\w+)")
_NAME = lazy_pattern(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a template: plain text or, with a ``name``, two alternatives of which one is shown."""

    line: int
    text: str = ""
    name: str = ""
    shown: tuple[Part, ...] = ()
    otherwise: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A ``{name}`` in a template: its line, and the optional parts around it that are shown only with their value."""

    name: str
    line: int
    inside: frozenset[str]


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template. ``file`` names it in error messages."""

    file: str
    source: str
    parts: tuple[Part, ...]

    @classmethod
    def parse(cls, source: str, file: str) -> Template:
        """Return the template in ``source``; raise PromptError, with the line, if a mark is wrong."""
        return cls(file, source, _Parser(source, file).parse())

    def fill(self, values: Mapping[str, object]) -> str:
        """Return the text with every name replaced; parts without a value are left out, and so are final newlines."""

        def value(match: re.Match[str]) -> str:
            if match[1] not in values:
                raise PromptError(f"{self.file} names {match[0]}, which this step does not have")
            return escape_tokens(str(values[match[1]]))

        return _NAME.sub(value, "".join(_chosen(self.parts, values)).rstrip("\n"))

    def names(self) -> list[Named]:
        """Return all names to fill in, in the order of the text."""
        return list(_names(self.parts, frozenset()))

    def always(self) -> set[str]:
        """Return the names that are shown whichever parts are left out."""
        return _always(self.parts)

    def optional(self) -> dict[str, int]:
        """Return the names of the optional parts, each with the line where it occurs first."""
        found: dict[str, int] = {}
        for name, line in _optional(self.parts):
            found.setdefault(name, line)
        return found


class _Parser:
    """Turns the text of a template into parts."""

    def __init__(self, source: str, file: str) -> None:
        self._source, self._file = source, file
        self._marks = _MARK.finditer(source)
        self._at = 0

    def parse(self) -> tuple[Part, ...]:
        parts, ended_by, line = self._until_mark()
        if ended_by:
            raise self._error(line, f"[[{ended_by}]] without [[if …]]")
        return parts

    def _until_mark(self) -> tuple[tuple[Part, ...], str, int]:
        """Return the parts up to the next ``else`` or ``end``, which of the two it is, and its line."""
        parts: list[Part] = []
        for mark in self._marks:
            line = self._line(mark.start("line") if mark["line"] else mark.start())
            parts.append(Part(self._line(self._at), self._source[self._at : mark.start()]))
            self._at = mark.end()
            word = (mark["line"] or mark["inline"]).strip()
            if word in ("else", "end"):
                return tuple(parts), word, line
            condition = _IF.fullmatch(word)
            if condition is None:
                raise self._error(line, f"unknown mark [[{word}]]")
            parts.append(self._part(condition[1], line))
        parts.append(Part(self._line(self._at), self._source[self._at :]))
        return tuple(parts), "", 0

    def _part(self, name: str, line: int) -> Part:
        shown, ended_by, _ = self._until_mark()
        otherwise: tuple[Part, ...] = ()
        if ended_by == "else":
            otherwise, ended_by, again = self._until_mark()
            if ended_by == "else":
                raise self._error(again, f"a second [[else]] in [[if {name}]]")
        if not ended_by:
            raise self._error(line, f"[[if {name}]] is never closed", hint="close it with [[end]]")
        return Part(line, name=name, shown=shown, otherwise=otherwise)

    def _line(self, at: int) -> int:
        return self._source.count("\n", 0, at) + 1

    def _error(
        self, line: int, problem: str, hint: str = "the marks are [[if name]], [[else]] and [[end]]"
    ) -> PromptError:
        return PromptError(f"{self._file}, line {line}: {problem}", hint=hint)


def _chosen(parts: Sequence[Part], values: Mapping[str, object]) -> Iterator[str]:
    for part in parts:
        if part.name:
            yield from _chosen(part.shown if values.get(part.name) else part.otherwise, values)
        else:
            yield part.text


def _names(parts: Sequence[Part], inside: frozenset[str]) -> Iterator[Named]:
    for part in parts:
        for match in _NAME.finditer(part.text):
            yield Named(match[1], part.line + part.text.count("\n", 0, match.start()), inside)
        yield from _names(part.shown, inside | {part.name})
        yield from _names(part.otherwise, inside)


def _always(parts: Sequence[Part]) -> set[str]:
    found: set[str] = set()
    for part in parts:
        found.update(_NAME.findall(part.text))
        found.update(_always(part.shown) & _always(part.otherwise))
    return found


def _optional(parts: Sequence[Part]) -> Iterator[tuple[str, int]]:
    for part in parts:
        if part.name:
            yield part.name, part.line
        yield from _optional(part.shown)
        yield from _optional(part.otherwise)
