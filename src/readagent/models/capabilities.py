"""What a server and its model can do. It is found out once and then remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readagent.core.choice import Choice
from readagent.core.failure_text import is_refusal
from readagent.core.form import Form
from readagent.core.replies import strip_thinking, unfenced
from readagent.errors import BadReplyError
from readagent.models.wire import decode

ConstraintKind = Literal["unknown", "schema", "choice", "grammar", "none"]

CONSTRAINT_PARAMETERS: Mapping[str, ConstraintKind] = {
    "response_format": "schema",
    "structured_outputs": "choice",
    "guided_choice": "choice",
    "grammar": "grammar",
}


@dataclass(slots=True)
class Capabilities:
    """What is known about a server. Libraries store this as JSON, so field names must not change."""

    constrain: ConstraintKind = "unknown"  # how it constrains output
    drop: set[str] = field(default_factory=set)  # parameters it rejects; for max_tokens, max_completion_tokens is sent
    window: int | None = None  # tokens, prompt and reply together
    streams: bool | None = None
    reply_limit: int | None = None  # the most tokens in one reply, if known
    request_limit: int | None = None  # tokens, prompt and reply together; found by trying, where no window is named
    accepted: int | None = None  # the tokens of the longest prompt that was answered

    def copy(self) -> Capabilities:
        """Return an independent copy, to be used as a draft."""
        return replace(self, drop=set(self.drop))

    def merge(self, draft: Capabilities, base: Capabilities) -> bool:
        """Take over what changed in a draft since it was copied from ``base``. Returns whether anything was new."""
        before = self.copy()
        self.drop |= draft.drop
        self.accepted = max(self.accepted or 0, draft.accepted or 0) or None
        for name in ("constrain", "window", "streams", "reply_limit", "request_limit"):
            if getattr(draft, name) != getattr(base, name):
                setattr(self, name, getattr(draft, name))
        if not set(CONSTRAINT_PARAMETERS) - self.drop:
            self.constrain = "none"
        elif self.constrain not in ("none", "unknown") and not self._supports(self.constrain):
            self.constrain = "unknown"
        return self != before

    def _supports(self, kind: ConstraintKind) -> bool:
        return any(known == kind and name not in self.drop for name, known in CONSTRAINT_PARAMETERS.items())

    def constraint_for(self, choice: Choice | None, form: Form | None = None) -> str | None:
        """Return the parameter that constrains a reply to this choice or form; None if there is none to try."""
        if form is not None:  # only a JSON schema can express it
            usable = "response_format" not in self.drop and self.constrain in ("unknown", "schema")
            return "response_format" if usable else None
        if choice is None or self.constrain == "none" or choice.schema() is None:
            return None
        for name, kind in CONSTRAINT_PARAMETERS.items():
            if name not in self.drop and self.constrain in ("unknown", kind) and (choice.single or kind != "choice"):
                return name
        return None


def constraint_value(parameter: str, choice: Choice | Form) -> Any:
    """Return the value of the parameter that constrains a reply to this choice or form."""
    if parameter == "response_format" or not isinstance(choice, Choice):
        return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": choice.schema()}}
    if parameter == "structured_outputs":
        return {"choice": list(choice.values)}
    return list(choice.values) if parameter == "guided_choice" else choice.grammar()


def json_instruction(choice: Choice | Form) -> str:
    """Return the line of the prompt that describes the JSON, so that prompt and schema agree."""
    if not isinstance(choice, Choice):
        return f"\n\nReply as JSON: {choice.example()}"
    value = '"..."' if choice.single else '["...", "..."]'
    return f'\n\nReply as JSON: {{"answer": {value}}}'


def conforms(parameter: str, choice: Choice | Form, text: str) -> bool | None:
    """Whether a reply obeys the constraint; None if this reply does not show it."""
    text = unfenced(strip_thinking(text)).strip()
    if not text or is_refusal(text):
        return None
    if parameter != "response_format" and isinstance(choice, Choice):
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
