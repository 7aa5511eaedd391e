"""Check responses against the OpenAPI description of the server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2

from readagent.web.app import OPERATIONS
from readagent.web.openapi import described

_TYPES = {"string": str, "integer": int, "number": int | float, "boolean": bool, "array": list, "object": dict}


@dataclass(frozen=True)
class Described:
    """The description, and which of its operations were checked."""

    description: dict[str, Any]

    @classmethod
    @cache
    def from_app(cls) -> Described:
        return cls(described(OPERATIONS))

    def check(self, method: str, path: str, response: httpx2.Response) -> None:
        """Fail if a response is not as the description says."""
        where = urlsplit(path).path
        if not where.startswith("/api/") or where.startswith(("/api/openapi", "/api/docs")):
            return
        templates = [one for one in self.description["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", one), where)]
        operations = [found for one in templates if (found := self.description["paths"][one].get(method.lower()))]
        if not operations:
            assert response.status_code in (401, 403, 404, 405), f"{method} {path} is not described"
            return
        expected = operations[-1]["responses"]
        answer = expected.get(str(response.status_code), expected["default"])
        if response.status_code >= 400:
            answer = expected["default"]
        else:
            assert str(response.status_code) in expected, f"{method} {path} is not described with this status"
        schema = answer["content"].get("application/json", {}).get("schema")
        if schema is not None:
            self._fits(response.json(), schema, where)

    def _fits(self, value: Any, schema: dict[str, Any], at: str) -> None:
        if "$ref" in schema:
            schema = self.description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            assert any(self._is(value, one, at) for one in schema["anyOf"]), f"{at}: {value!r} is none of the types"
            return
        if "enum" in schema:
            assert value in schema["enum"], f"{at}: {value!r} is not in {schema['enum']}"
            return
        kind = schema.get("type")
        if kind == "null":
            assert value is None, f"{at}: {value!r} is not null"
        elif kind is not None:
            assert isinstance(value, _TYPES[kind]), f"{at}: {value!r} is no {kind}"
            assert kind == "boolean" or not isinstance(value, bool), f"{at}: {value!r} is no {kind}"
        if isinstance(value, dict) and "properties" in schema:
            missing, unknown = set(schema.get("required", ())) - set(value), set(value) - set(schema["properties"])
            assert not missing, f"{at} lacks {missing}"
            assert not unknown, f"{at} has {unknown}, which is not described"
            for name, one in value.items():
                self._fits(one, schema["properties"][name], f"{at}.{name}")
        if isinstance(value, list) and isinstance(schema.get("items"), dict):
            for number, one in enumerate(value):
                self._fits(one, schema["items"], f"{at}[{number}]")
        if isinstance(value, list) and "prefixItems" in schema:
            assert len(value) == len(schema["prefixItems"]), f"{at} has {len(value)} items"

    def _is(self, value: Any, schema: dict[str, Any], at: str) -> bool:
        try:
            self._fits(value, schema, at)
        except AssertionError:
            return False
        return True
