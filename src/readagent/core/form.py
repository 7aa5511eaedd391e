"""Form: what a reply may be, said in a prompt or as a JSON schema, and read strictly.

A form has fields, each under a label: a Choice has legal values, a Text is free, and Lines occur several times, each
with a number. A label counts at the start of any line, and Markdown around it is ignored. Nothing is guessed: a reply
that has none of the fields, or says two things, is not read, and the model is asked again with the form repeated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from readagent.core.patterns import lazy_pattern

THOUGHT = lazy_pattern(r"<(/?)(?:think|thinking|thought|reasoning|reflection)\b[^<>]{0,80}>", re.I)
_MOST_IN_SCHEMA = 500  # servers refuse larger enumerations
_LEAD = r"^[ \t>#*_`~•+-]*(?:\d{1,3}[.)][ \t]+)?[*_`]*"  # Markdown before a label
_AFTER = r"[*_`]*[ \t]*[:：][*_`]*[ \t]*"
_MARKUP = lazy_pattern(r"[*`]+|~~+|(?<!\w)_+|_+(?!\w)|^[ \t]*(?:(?:>|#+|[•+-])[ \t]+)+", re.M)
_TOKEN = lazy_pattern(r"\d+(?!\w)|\w+|[^\w\s]")
_AROUND = " \t\n[](){}<>\"'“”‘’.`"
_ENDS = lazy_pattern(r"[^\w,/(\[-]*(?:$|(?<=[.:;—–])|[(\[]|-\s)")  # what may follow a legal word: no comma


def strip_thinking(text: str) -> str:
    """Return the reply without its thinking, even if that was opened in the prompt or never closed."""
    said: list[str] = []
    depth = start = 0
    for tag in THOUGHT.finditer(text):
        if tag[1]:
            if depth == 0:
                said.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                said.append(text[start : tag.start()])
            depth += 1
        start = tag.end()
    if depth == 0:
        said.append(text[start:])
    return "".join(said).strip()


def unfenced(text: str) -> str:
    """Return the content of a reply that is a single fenced block, or else the reply, stripped."""
    text = text.strip()
    first, newline, rest = text.partition("\n")
    language = first.removeprefix("```").strip()
    if newline and first.startswith("```") and rest.endswith("```") and (not language or language.isalnum()):
        return rest[:-3].strip()
    return text


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision: a reply names at least ``least`` and at most ``most`` of the legal values.

    ``texts`` is the text of each value (the options of a question). A value in capitals, such as STOP, may also stand
    on a line of its own.
    """

    values: tuple[str, ...]
    least: int = 1
    most: int = 1
    texts: tuple[str, ...] = ()
    label: str = "Answer"

    @property
    def single(self) -> bool:
        """Whether exactly one value is expected."""
        return self.least == self.most == 1

    @property
    def words(self) -> tuple[str, ...]:
        """The values that may stand on a line of their own."""
        return tuple(value for value in self.values if len(value) > 2 and value.isupper())

    def parse(self, reply: str) -> tuple[str, ...] | None:
        """Return the values that a reply names, in its order, or None if it is not in this form. It never raises."""
        found = Form((self,)).parse(reply)
        return None if found is None else found.values.get(self.label)

    def read(self, said: str) -> tuple[str, ...] | None:
        """Return the values in what stands after the label, or None if that is not clear."""
        said = _MARKUP.sub("", said).strip()
        if any(value.isdigit() for value in self.values):
            named = self._numbers(said)
            return self._word(said, self.words) if named is None else named
        return self._option(said) if self.texts else self._word(said, self.values)

    def _numbers(self, said: str) -> tuple[str, ...] | None:
        if self.least == 0 and said and (not said.strip(_AROUND) or self._word(said, ("none",))):
            return ()
        tokens = _TOKEN.findall(said)
        joined = {self.label.lower(), self.label.lower().removesuffix("s"), "and", *",;&[](){}<>\"'“”#、，،"}
        named: list[str] = []
        rest = list[str]()
        for at, token in enumerate(tokens):
            if not token.isdecimal() and token.lower() not in joined:
                rest = tokens[at:]
                break
            if token.isdecimal():
                named.append(str(int(token)))
        legal = tuple(dict.fromkeys(named))
        if not legal or len(legal) > max(1, self.most) or any(one not in self.values for one in legal):
            return None
        if any(one.isdecimal() and str(int(one)) in self.values and one not in legal for one in rest):
            return None  # "2 or 7", "0 to 8", "2 (the flood), 7"
        if rest[:1] and rest[0] in "-–—/~" and "".join(rest[1:2]).isdecimal():
            return None  # "2/7"
        return legal

    def _option(self, said: str) -> tuple[str, ...] | None:
        """Return the letter that begins the text, alone or with its option; an option in full counts as its letter."""
        if (letter := said.strip(_AROUND).upper()) in self.values:
            return (letter,)
        for same in (str.strip, _words):
            quoted = [one for one, text in zip(self.values, self.texts, strict=True) if same(text) == same(said)]
            if quoted:
                return (quoted[0],) if len(quoted) == 1 else None
        begun = re.match(r"[\[(<\"']*([A-Z]{1,2})(?![^\W_])", said)
        if begun is None or begun[1] not in self.values:
            return None
        rest, text = said[begun.end() :], self.texts[self.values.index(begun[1])]
        named = rest.lstrip(_AROUND + ":").strip()
        others = [letter for letter in self.values if letter != begun[1]]
        if any(re.search(rf"(?<![\w'’]){letter}(?![\w'’]|\s[a-z])", rest) for letter in others):
            return None
        if named != text.strip() and named in [one.strip() for one in self.texts]:
            return None  # the letter of one option and the text of another
        if not (_ENDS.match(rest) or named == text.strip() or _words(rest)[:1] == _words(text)[:1] != ()):
            return None
        return (begun[1],)

    def _word(self, said: str, values: Sequence[str]) -> tuple[str, ...] | None:
        """Return the value that begins the text, if nothing follows that may change it."""
        said = said.strip().lstrip(_AROUND)
        for value in sorted(values, key=len, reverse=True):
            if said[: len(value)].lower() == value.lower() and _ENDS.match(said, len(value)):
                rest = said[len(value) :].lower()
                others = [
                    one for one in values if one not in value and re.search(rf"\b{re.escape(one.lower())}\b", rest)
                ]
                return None if others else (value,)
        return None

    def schema(self) -> dict[str, Any] | None:
        """Return a JSON schema that allows only the legal answers, or None if there are too many for a server."""
        return None if len(self.values) > _MOST_IN_SCHEMA else _object({"answer": self.value_schema()})

    def value_schema(self, *, optional: bool = False) -> dict[str, Any]:
        """Return the schema of the value alone; one that is ``optional`` may be empty."""
        some = {"enum": [*self.values, *([""] if optional and self.single else [])]}
        value: dict[str, Any] = {"type": "string", **(some if len(self.values) <= _MOST_IN_SCHEMA else {})}
        least = 0 if optional else self.least
        return value if self.single else {"type": "array", "items": value, "minItems": least, "maxItems": self.most}

    def shown(self) -> str:
        """Return the lines that a prompt asks for."""
        others, words = [f"{self.label}: none"] if self.least == 0 else [], self.words
        numbers = [value for value in self.values if value not in words]
        if self.texts:
            first = "(letter)"
        elif all(value.isdigit() for value in numbers) and numbers:
            first = "number" if self.most == 1 else "number, number"
        else:
            return "\n".join(f"{self.label}: {value}" for value in self.values)
        return "\n".join([f"{self.label}: {first}", *others, *words])

    def listed(self) -> str:
        """Return the legal answers as a list for people, for a reminder."""
        words = self.words
        numbers = [value for value in self.values if value not in words]
        if len(numbers) > 12 and all(value.isdigit() for value in numbers):
            listed = ", ".join([f"{numbers[0]} to {numbers[-1]}", *words])
        else:
            listed = ", ".join(self.values)
        return f"{listed}, or none" if self.least == 0 else listed


@dataclass(frozen=True, slots=True)
class Text:
    """A free text after its label, up to the next label."""

    label: str = "Answer"

    def shown(self) -> str:
        """Return the line that a prompt asks for."""
        return f"{self.label}: ..."


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that begin with the label and a legal number: ``Page 3: "..."``. The label may be empty.

    Without ``numbers`` any number is legal. Lines that are not ``numbered`` begin with the label alone.
    """

    label: str
    numbers: tuple[str, ...] = ()
    example: str = '"..."'
    numbered: bool = True

    def shown(self) -> str:
        """Return the line that a prompt asks for."""
        if self.numbered and not self.label and self.numbers:
            return f"{self.numbers[0]}: {self.example}"
        return f"{self.label}{' N' if self.numbered else ''}: {self.example}".lstrip()


Labelled = Choice | Text | tuple[Lines, str]  # a field, and of lines the number


@dataclass(frozen=True, slots=True)
class Filled:
    """What a reply says: the values of choices, the texts, and the numbered lines, by label.

    ``word`` is the reply of its own that it gives, such as NOT IN THE TEXT; or "". ``before`` is what stands before the
    first label or word.
    """

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    word: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """A reply with these fields, or one of the ``words`` instead; with ``either``, one field is enough."""

    fields: tuple[Choice | Text | Lines, ...]
    words: tuple[str, ...] = ()
    either: bool = False

    @property
    def decides(self) -> bool:
        """Whether it has legal values only. A free text is asked for as text: in JSON it is worse, and not streamed."""
        return not any(isinstance(one, Text) for one in self.fields)

    def shown(self) -> str:
        """Return the lines that a prompt asks for, with "or" between those that exclude each other."""
        fields = list[str]()
        for one in self.fields:  # lines belong to the field above them
            if fields and (not self.either or isinstance(one, Lines)):
                fields[-1] = f"{fields[-1]}\n{one.shown()}"
            else:
                fields.append(one.shown())
        return "\n\nor\n\n".join([*fields, *self.words])

    def parse(self, reply: str) -> Filled | None:
        """Return what a reply says, or None if it is not in this form or says two things. It never raises."""
        text = unfenced(strip_thinking(reply))
        if text[:1] in ("{", "["):
            try:
                return self._from_json(json.loads(text))
            except (ValueError, RecursionError):
                pass
        parts = list(self._labelled(text))
        word = next((said for label, said in parts if label is None), "")
        filled = self._filled([(label, said) for label, said in parts if label is not None], word)
        lines = text.splitlines()
        if filled is None:
            return self._bare(text)
        if filled.word and filled.texts and any(line.strip() == "or" for line in lines):
            return None  # it repeats the form after its answer
        first = next((at for at, line in enumerate(lines) if self.word_in(line) or self.label_in(line)), 0)
        return replace(filled, before="\n".join(lines[:first]).strip())

    def _labelled(self, text: str) -> Iterator[tuple[Labelled | None, str]]:
        """Yield each labelled field with what stands after its label, and words on lines of their own."""
        open_field: Labelled | None = None
        held: list[str] = []
        for line in text.splitlines():
            if (word := self.word_in(line)) or line.strip() == "or":  # "or" stands between forms
                if open_field is not None:
                    yield open_field, "\n".join(held)
                if word:
                    yield None, word
                open_field, held = None, []
            elif (labelled := self.label_in(line)) is not None:
                if open_field is not None:
                    yield open_field, "\n".join(held)
                open_field, held = labelled[0], [labelled[1]]
            elif open_field is not None:
                held.append(line)
        if open_field is not None:
            yield open_field, "\n".join(held)

    def all_words(self) -> list[str]:
        """Return the words that may stand on a line of their own, those of choices too."""
        return [*self.words, *(word for one in self.fields if isinstance(one, Choice) for word in one.words)]

    def word_in(self, line: str) -> str:
        """Return the word that is all of a line, or begins it in capitals, with a reason after it; or ""."""
        return next((word for word in self.all_words() if _says(word, line)), "")

    def label_in(self, line: str) -> tuple[Labelled, str] | None:
        """Return the field that a line begins with, and the rest of the line."""
        for one in self.fields:
            if isinstance(one, Lines):
                name = rf"{re.escape(one.label)}[ \t]*" if one.label else ""
                after = "" if one.label else r"(?=\S)"
                lead = _LEAD if one.label else r"^[ \t>#*_`~•+-]*"
                number = r"[<\[(#]*(\d{1,9}|N)[>\])]*" if one.numbered else r"()(?:\d{1,3})?"
                end = _AFTER if one.label else _AFTER.replace("[:：]", "[:：.)]")
                found = re.match(rf"{lead}{name}{number}{end}{after}", line, re.I)
                if found and (not one.numbers or found[1] in one.numbers or found[1] == "N"):
                    return (one, found[1]), line[found.end() :]
            else:
                name = re.escape(one.label.removesuffix("s")) + "s?"
                if found := re.match(rf"{_LEAD}{name}{_AFTER}", line, re.I):
                    return one, line[found.end() :]
        return None

    def _filled(self, parts: Sequence[tuple[Labelled, str]], word: str) -> Filled | None:
        values: dict[str, tuple[str, ...]] = {}
        texts: dict[str, str] = {}
        lines: dict[str, list[tuple[str, str]]] = {}
        for labelled, said in parts:
            if isinstance(labelled, tuple):
                if labelled[1] != "N":  # the form itself, repeated
                    lines.setdefault(labelled[0].label, []).append((labelled[1], said.strip()))
            elif isinstance(labelled, Choice):
                first, *rest = said.strip().split("\n\n")[0].splitlines() or [""]
                below = "" if said.partition("\n")[0].strip() else ", ".join(_MARKUP.sub("", one) for one in rest)
                named = labelled.read(f"{_MARKUP.sub('', first)}, {below}" if below else first)
                if named is not None and values.setdefault(labelled.label, named) != named:
                    return None
            elif ending := [one for one in self.words if _says(one, said)]:
                word = ending[0]
            elif _words(said) and texts.setdefault(labelled.label, _closed(said)) != _closed(said):
                return None
        for one in self.fields:
            if not isinstance(one, Choice) or word not in one.words:
                continue
            if values.setdefault(one.label, (word,)) != (word,):
                return None
            word = ""
        filled_in = {labelled.label for labelled, _ in parts if not isinstance(labelled, tuple)}
        if not (values or texts or lines or word) or (word and (values or len(filled_in) > 1)):
            return None
        return Filled(values, texts, {label: tuple(some) for label, some in lines.items()}, word)

    def _bare(self, text: str) -> Filled | None:
        """Return a legal value that is the whole reply, where only one field is open."""
        choices = [one for one in self.fields if isinstance(one, Choice)]
        if len(self.fields) != 1 or not choices or "\n" in text.strip():
            return None
        named = choices[0].read(text)
        return None if named is None else Filled({choices[0].label: named})

    def schema(self) -> dict[str, Any]:
        """Return a JSON schema that allows only such replies; a field that is left out is empty."""
        fields: dict[str, Any] = {}
        for one in self.fields:
            if isinstance(one, Choice):
                fields[_key(one.label)] = one.value_schema(optional=len(self.fields) > 1)
            elif isinstance(one, Text):
                fields[_key(one.label)] = {"type": "string"}
            else:
                legal = {"enum": list(one.numbers)} if one.numbers else {}
                line = _object({"number": {"type": "string", **legal}, "text": {"type": "string"}})
                fields[_key(one.label or "lines")] = {"type": "array", "items": line}
        return _object(fields)

    def example(self) -> str:
        """Return a short example of a reply in JSON."""
        filled = {
            _key(one.label or "lines"): '[{"number": "...", "text": "..."}, ...]' if isinstance(one, Lines)
            else '["...", "..."]' if isinstance(one, Choice) and not one.single else '"..."'
            for one in self.fields
        }  # fmt: skip
        body = ", ".join(f'"{key}": {value}' for key, value in filled.items())
        words = f"; {' or '.join(self.words)} is a text" if self.words else ""
        return f"{{{body}}}{words}; what is not needed is empty" if len(filled) > 1 else f"{{{body}}}{words}"

    def conforms(self, value: Any) -> bool:
        """Return whether a JSON value has the shape of the schema."""
        return isinstance(value, dict) and set(self.schema()["required"]) <= set(value)

    def _from_json(self, value: Any) -> Filled | None:
        if isinstance(value, list) and len(self.fields) == 1 and isinstance(self.fields[0], Choice):
            value = {_key(self.fields[0].label): value}
        if not isinstance(value, dict):
            return None
        given = {_key(str(name)): one for name, one in value.items()}
        parts: list[tuple[Labelled, str]] = []
        for one in self.fields:
            said = given.get(_key(one.label or "lines"), given.get("answer") if len(self.fields) == 1 else None)
            if isinstance(one, Lines):
                rows = [row for row in said if isinstance(row, dict)] if isinstance(said, list) else []
                parts += [((one, str(row.get("number"))), str(row.get("text", ""))) for row in rows
                          if not one.numbers or str(row.get("number")) in one.numbers]  # fmt: skip
            elif isinstance(said, list):
                alone = len(self.fields) == 1 or not any(given.values())
                empty = "none" if isinstance(one, Choice) and one.least == 0 and alone else ""
                parts.append((one, ", ".join(map(str, said)) or empty))
            elif said is not None and not isinstance(said, dict):
                parts.append((one, str(said).lower() if isinstance(said, bool) else str(said)))
        return self._filled(parts, "")


class JsonForm(Protocol):
    """What a reply in JSON may be."""

    def schema(self) -> dict[str, Any]:
        """Return a JSON schema that allows only such replies."""
        ...

    def example(self) -> str:
        """Return a short example of a reply in JSON."""
        ...

    def conforms(self, value: Any) -> bool:
        """Return whether a JSON value has the shape of the schema."""
        ...


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _key(label: str) -> str:
    return label.lower().replace(" ", "_")


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters, without what stands around them."""
    return tuple(re.findall(r"[^\W_]+", text.lower()))


def _says(word: str, line: str) -> bool:
    """Return whether a line is a word such as STOP, or begins with it in capitals and goes on with a reason."""
    begins = re.match(rf"{_LEAD}{re.escape(word)}(?=[^\w\s]|\s+[^\w\s]|\n)", line)
    return begins is not None or _words(word) == _words(line)


def _closed(said: str) -> str:
    """Return a text without emphasis that its label opened: ``**Answer: Irma.**``."""
    said = said.strip()
    for mark in ("**", "__", "*", "_", "`"):
        if said.endswith(mark) and said.count(mark) % 2:
            return said.removesuffix(mark).rstrip()
    return said
