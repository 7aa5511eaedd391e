"""Choice: a decision with a finite set of legal answers, known before the model is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from readagent.core.parsing.numbers import parse_numbers
from readagent.core.parsing.options import parse_options
from readagent.core.parsing.verdicts import parse_words
from readagent.core.replies import plain

_MOST_IN_SCHEMA = 500  # servers refuse larger enumerations


def number_ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order as prompts name them: "0 to 4, 6 to 9"."""
    ranges = list[list[int]]()
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    return ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else str(one[0]) for one in ranges)


@dataclass(frozen=True, slots=True)
class Choice:
    """The legal answers; a reply names at least ``least`` and at most ``most`` of them.

    ``texts`` is the text of each value (the options of a question). ``cues`` are the words that introduce a value in a
    reply ("break point", "page", "answer").
    """

    values: tuple[str, ...]
    least: int = 1
    most: int = 1
    texts: tuple[str, ...] = ()
    cues: tuple[str, ...] = ("answer",)

    @property
    def single(self) -> bool:
        """Whether exactly one value is expected."""
        return self.least == self.most == 1

    def parse(self, reply: str) -> tuple[str, ...] | None:
        """Return the values that a reply names, in its order, or None if it names none. It never raises."""
        text = plain(reply, self.cues)
        if not text:
            return None
        if self.texts:
            return parse_options(text, self.values, self.texts, self.cues)
        if any(value.isdigit() for value in self.values):
            return parse_numbers(text, self.values, self.least, self.most, self.cues)
        return parse_words(text, self.values, self.cues)

    def schema(self) -> dict[str, Any] | None:
        """Return a JSON schema that allows only the legal answers, or None if there are too many for a server."""
        if len(self.values) > _MOST_IN_SCHEMA:
            return None
        value: dict[str, Any] = {"type": "string", "enum": list(self.values)}
        if not self.single:
            value = {"type": "array", "items": value, "minItems": self.least, "maxItems": self.most}
        return {
            "type": "object",
            "properties": {"answer": value},
            "required": ["answer"],
            "additionalProperties": False,
        }

    def grammar(self) -> str:
        """Return the same as a GBNF grammar, for servers that accept one."""
        names = " | ".join(f'"{value}"' for value in self.values)
        if self.single:
            return f"root ::= {names}"
        further = f'(", " value){{0,{self.most - 1}}}'
        some = f"value {further}"
        return f'root ::= "[" {f"({some})?" if self.least == 0 else some} "]"\nvalue ::= {names}'

    def listed(self) -> str:
        """Return the legal answers as a list for people, for a reminder."""
        if len(self.values) > 12 and all(value.isdigit() for value in self.values):
            listed = f"{self.values[0]} to {self.values[-1]}"
        else:
            listed = ", ".join(self.values)
        return f"{listed}, or [] for none" if self.least == 0 else listed
