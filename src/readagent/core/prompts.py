"""Prompts: a folder of plain text templates, one file for each step, checked strictly and fingerprinted.

A template has ``{names}`` to fill in and optional parts, ``[[if name]] … [[else]] … [[end]]``. ``{form}`` is the lines
that the reply is to have. A line ``[[include _name]]`` stands for the file ``_name.txt``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from readagent.core.escaping import escape_tokens
from readagent.core.form import Choice, Form
from readagent.core.patterns import lazy_pattern
from readagent.core.rows import Rows
from readagent.errors import PromptError

_MARK = lazy_pattern(
    r"^[ \t]*\[\[(?P<line>[A-Za-z][^\[\]\n]*)\]\][ \t]*(?:\n|\Z)|\[\[(?P<inline>[A-Za-z][^\[\]\n]*)\]\]", re.M
)
_IF = lazy_pattern(r"if\s+(\w+)")
_NAME = lazy_pattern(r"\{(\w+)\}")
_INCLUDE = lazy_pattern(r"^\[\[include (_\w+)\]\]$", re.M)


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


_SETS = Path(__file__).parent.parent / "prompts"
_TWO_STEPS = frozenset({"paginate", "gist"})  # what `read` does in one pass
_NEEDED = frozenset(
    {"passage", "first", "second", "memory", "cards", "question", "questions", "reason", "statements", "quotes"}
)

# Of each built-in set the fingerprints of its earlier wordings in releases: finished readings made with them are used.
_EARLIER: Mapping[str, tuple[str, ...]] = {}


class Prompts:
    """A loaded set of templates. ``fingerprint`` changes with any letter of any of them.

    ``earlier`` are the fingerprints that a built-in set had in earlier versions. ``one_pass`` is False for a set that
    has ``own`` prompts for pages or gists and none for both: in one pass they would not be used.
    """

    def __init__(self, templates: Mapping[str, Template], *, built_in: str = "", own: Collection[str] = ()) -> None:
        self._templates = dict(templates)
        self.one_pass = "read" in own or not _TWO_STEPS & set(own)
        self.built_in, self.earlier = bool(built_in), _EARLIER.get(built_in, ())
        everything = "\0".join(f"{name}\0{template.source}" for name, template in sorted(templates.items()))
        self.fingerprint = hashlib.sha256(everything.encode()).hexdigest()[:16]

    @classmethod
    def load(cls, source: str | Path = "default") -> Prompts:
        """Return the built-in set of that name, or the set in that folder."""
        default = _built_in("default")
        if str(source) in _set_names():
            named = _built_in(str(source))
            return cls({**default, **named}, built_in=str(source), own=named)
        folder = Path(source).expanduser()
        if not folder.is_dir():
            raise PromptError(
                f"there is no prompt set {str(source)!r}", hint=f"give a folder, or one of: {', '.join(_set_names())}"
            )
        own = _read(folder)
        for name, template in own.items():
            _check(template, name, default.get(name))
        return cls({**default, **own}, own=own)

    @classmethod
    def whole(cls, folder: Path) -> Prompts:
        """Return a set for other steps than those of reading; nothing is taken from the default set."""
        return cls(_read(folder))

    def fill(self, name: str, /, *, form: Choice | Form | Rows | None = None, **values: object) -> str:
        """Return the prompt of that name with these values. An optional part is shown if it has a value.

        The lines of the ``form`` stand where the template names it, and otherwise at the end.
        """
        template = self._templates[name]
        text = template.fill(values if form is None else {**values, "form": form.shown()})
        if form is None or "{form}" in template.source:
            return text
        return f"{text}\n\nReply in this form:\n{form.shown()}"


@cache
def _built_in(name: str) -> Mapping[str, Template]:
    return _read(_SETS / name)


@cache
def _set_names() -> list[str]:
    return sorted(path.name for path in _SETS.iterdir() if path.is_dir() and not path.name.startswith("_"))


def _read(folder: Path) -> dict[str, Template]:
    try:
        texts = {path: path.read_text("utf-8-sig").rstrip("\n") for path in sorted(folder.glob("*.txt"))}
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"the prompt set in {folder} cannot be read: {error}") from None
    included = {path.stem: text for path, text in texts.items() if path.stem.startswith("_")}
    whole = {path: text for path, text in texts.items() if path.stem not in included}
    return {path.stem: Template.parse(_with_includes(text, included, path), str(path)) for path, text in whole.items()}


def _with_includes(text: str, included: Mapping[str, str], path: Path) -> str:
    """Return a template with the files that it includes: those beside it, or else those of the default set."""

    def file(found: re.Match[str]) -> str:
        default = _SETS / "default" / f"{found[1]}.txt"
        if found[1] not in included and not default.is_file():
            raise PromptError(
                f"{path} includes {found[1]}.txt, which does not exist", hint=f"put it into {path.parent}"
            )
        return included[found[1]] if found[1] in included else default.read_text("utf-8").rstrip("\n")

    return _INCLUDE.sub(file, text)


def _check(template: Template, name: str, default: Template | None) -> None:
    """Raise PromptError if a user's template cannot replace the default one."""
    if default is None:
        raise PromptError(
            f"{template.file} is not a prompt of any step", hint="rename it to the step it is for, or remove it"
        )
    optional = set(default.optional())
    known = {one.name for one in default.names()}
    for part, line in template.optional().items():
        if part not in optional:
            raise PromptError(f"{template.file}, line {line}: unknown part [[if {part}]]", hint=_may_name(default))
    for one in template.names():
        if one.name not in known:
            raise PromptError(f"{template.file}, line {one.line}: unknown name {{{one.name}}}", hint=_may_name(default))
        if one.name in optional and one.name not in one.inside:
            raise PromptError(
                f"{template.file}, line {one.line}: {{{one.name}}} does not always have a value",
                hint=f"put it into a part: [[if {one.name}]] … {{{one.name}}} … [[end]]",
            )
    if missing := sorted((known & _NEEDED) - template.always()):
        raise PromptError(
            f"{template.file} does not always show {{{missing[0]}}}",
            hint="the model needs it for this step: put it outside of all optional parts",
        )


def _may_name(default: Template) -> str:
    optional = default.optional()
    names = dict.fromkeys(one.name for one in default.names() if one.name not in optional)
    parts = f"; it may have the parts {', '.join(optional)}" if optional else ""
    return f"it may name {', '.join(names) or 'nothing'}{parts}"
