"""Facts: what was found out about a server and its model, to be remembered instead of found out again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readagent.core.choice import Choice
from readagent.core.form import Form
from readagent.core.replies import is_refusal, strip_thinking, unfenced
from readagent.errors import BadReplyError
from readagent.models.wire import decode

Constrain = Literal["unknown", "schema", "choice", "grammar", "none"]

WAYS: Mapping[str, Constrain] = {
    "response_format": "schema",
    "structured_outputs": "choice",
    "guided_choice": "choice",
    "grammar": "grammar",
}


@dataclass(slots=True)
class Facts:
    """How the server constrains output, the parameters it does not take, its window, and whether it streams.

    ``drop`` holds parameter names; ``max_tokens`` in it means that ``max_completion_tokens`` is sent instead.
    ``reply_limit`` is the most tokens it gives in one reply, where it told that.
    """

    constrain: Constrain = "unknown"
    drop: set[str] = field(default_factory=set)
    window: int | None = None
    streams: bool | None = None
    reply_limit: int | None = None

    def copy(self) -> Facts:
        """A draft that can be changed and thrown away."""
        return replace(self, drop=set(self.drop))

    def take(self, draft: Facts, base: Facts) -> bool:
        """Take over what a draft found out since it was copied from ``base``; whether anything was new."""
        before = self.copy()
        self.drop |= draft.drop
        for name in ("constrain", "window", "streams", "reply_limit"):
            if getattr(draft, name) != getattr(base, name):
                setattr(self, name, getattr(draft, name))
        if not set(WAYS) - self.drop:
            self.constrain = "none"
        elif self.constrain not in ("none", "unknown") and way_of(self.constrain, self.drop) is None:
            self.constrain = "unknown"
        return self != before

    def way(self, choice: Choice | None, form: Form | None = None) -> str | None:
        """The parameter that constrains a reply to this choice or form; None where plain text has to do."""
        if form is not None:  # only a schema can tell it
            told = "response_format" not in self.drop and self.constrain in ("unknown", "schema")
            return "response_format" if told else None
        if choice is None or self.constrain == "none" or choice.schema() is None:
            return None
        for name, kind in WAYS.items():
            if name not in self.drop and self.constrain in ("unknown", kind) and (choice.single or kind != "choice"):
                return name
        return None


def way_of(constrain: Constrain, drop: set[str]) -> str | None:
    """A parameter that constrains in this way and was not dropped."""
    return next((name for name, kind in WAYS.items() if kind == constrain and name not in drop), None)


def parameter(way: str, choice: Choice | Form) -> Any:
    """The value of the parameter that constrains a reply to this choice or form."""
    if way == "response_format" or not isinstance(choice, Choice):
        return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": choice.schema()}}
    if way == "structured_outputs":
        return {"choice": list(choice.values)}
    return list(choice.values) if way == "guided_choice" else choice.grammar()


def json_line(choice: Choice | Form) -> str:
    """The line that tells the JSON form, so that prompt and schema do not contradict each other."""
    if not isinstance(choice, Choice):
        return f"\n\nReply as JSON: {choice.example()}"
    value = '"..."' if choice.single else '["...", "..."]'
    return f'\n\nReply as JSON: {{"answer": {value}}}'


def conforms(way: str, choice: Choice | Form, text: str) -> bool | None:
    """Whether a reply was constrained; None where it cannot be told from this reply."""
    text = unfenced(strip_thinking(text)).strip()
    if not text or is_refusal(text):
        return None
    if way != "response_format" and isinstance(choice, Choice):
        return text in choice.values if choice.single else text.startswith("[") and text.endswith("]")
    try:
        value = decode(text)
    except BadReplyError:
        return False
    if not isinstance(choice, Choice):
        return choice.conforms(value)
    answer = value.get("answer") if isinstance(value, dict) else None
    named = answer if isinstance(answer, list) else [answer]
    return isinstance(answer, str) == choice.single and all(item in choice.values for item in named)
