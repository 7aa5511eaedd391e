"""Tool: the description of a function that a model may call, in the forms of OpenAI and Anthropic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from readagent.errors import UsageError

Arguments = dict[str, Any]

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
NUMBERS = {"type": "array", "items": {"type": "integer"}}
_WORDS = {"string": "a text", "integer": "a whole number such as 1", "array": "a list of whole numbers such as [1, 2]"}
_SHOWN = 60  # characters of a wrong value


@dataclass(frozen=True, slots=True)
class Tool:
    """A function with its parameters, each a JSON schema; all of them are required."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as one JSON schema, which also meets the rules of OpenAI's strict mode."""
        properties = {name: dict(one) for name, one in self.parameters.items()}
        return {
            "type": "object", "properties": properties, "required": [*properties], "additionalProperties": False,
        }  # fmt: skip

    def openai(self) -> dict[str, Any]:
        """Return the form of OpenAI's chat completions, which most servers understand."""
        return {"type": "function", "function": {**self._named(), "parameters": self.schema, "strict": True}}

    def responses(self) -> dict[str, Any]:
        """Return the form of OpenAI's responses."""
        return {"type": "function", **self._named(), "parameters": self.schema, "strict": True}

    def anthropic(self) -> dict[str, Any]:
        """Return the form of Anthropic's messages."""
        return {**self._named(), "input_schema": self.schema}

    def _named(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description}

    def arguments(self, given: str | Mapping[str, Any]) -> Arguments:
        """Return the arguments of a call, which may be JSON; raise UsageError where they do not match the schema."""
        try:
            values = json.loads(given or "{}") if isinstance(given, str) else given
        except (ValueError, RecursionError):
            raise UsageError(f"the arguments of {self.name} are not JSON") from None
        if not isinstance(values, Mapping) or values.keys() != self.parameters.keys():
            names = ", ".join(self.parameters) or "none"
            raise UsageError(f"{self.name} takes exactly these arguments: {names}")
        for name, schema in self.parameters.items():
            if not _matches(values[name], schema):
                raise UsageError(f"{name} must be {_WORDS[schema['type']]}, not {_shown(values[name])}")
        return dict(values)


def _shown(value: object) -> str:
    """Return a wrong value as the model wrote it, or its beginning."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def _matches(value: object, schema: Mapping[str, Any]) -> bool:
    match schema["type"]:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, list) and all(_matches(one, schema["items"]) for one in value)
