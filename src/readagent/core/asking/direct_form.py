"""The JSON that servers which constrain replies are asked for: an answer or pages, for one question or for several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_PAGES = {"type": "array", "items": {"type": "integer"}}


@dataclass(frozen=True, slots=True)
class AnswerOrPages:
    """The pages that are asked for, or one of the legal ``values``; the other field is empty."""

    values: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        return _object({"pages": _PAGES, "answer": {"type": "string", "enum": [*self.values, ""]}})

    def example(self) -> str:
        return f'{{"pages": [], "answer": "{self.values[0]}"}}, or {{"pages": [...], "answer": ""}} to ask for pages'

    def conforms(self, value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        return isinstance(value.get("pages"), list) and value.get("answer") in (*self.values, "")


@dataclass(frozen=True, slots=True)
class Replies:
    """A reply to each of several questions: pages if they may be asked for, and an answer if it may be given."""

    questions: int
    may_ask: bool = True
    may_answer: bool = True
    quotes: bool = False

    def schema(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"question": {"type": "integer"}}
        if self.may_ask:
            fields["pages"] = _PAGES
        if self.may_answer:
            fields["answer"] = {"type": "string"}
        if self.quotes:
            fields["quotes"] = {"type": "array", "items": {"type": "string"}}
        return _object({"replies": {"type": "array", "items": _object(fields)}})

    def example(self) -> str:
        fields = ['"question": 1']
        fields += ['"pages": [...]'] if self.may_ask else []
        fields += ['"answer": "..."'] if self.may_answer else []
        fields += ['"quotes": ["Page ...: ..."]'] if self.quotes else []
        both = "; pages are empty where there is an answer" if self.may_ask and self.may_answer else ""
        return f'{{"replies": [{{{", ".join(fields)}}}, ...]}}{both}'

    def conforms(self, value: Any) -> bool:
        replies = value.get("replies") if isinstance(value, dict) else None
        return isinstance(replies, list) and all(isinstance(one, dict) and "question" in one for one in replies)


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
