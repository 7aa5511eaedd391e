"""Check responses against the OpenAPI description of the server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2
from jsonschema import Draft202012Validator

from readagent.web.app import OPERATIONS
from readagent.web.openapi import described


def closed(schema: Any) -> Any:
    """Return a schema that allows no property that it does not describe."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if "properties" in schema and schema.get("type") == "object" else {}
    return {**more, **{name: closed(one) for name, one in schema.items()}}


@dataclass(frozen=True)
class Described:
    """The description."""

    description: dict[str, Any]

    @classmethod
    @cache
    def from_app(cls) -> Described:
        return cls(closed(described(OPERATIONS)))

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
        answer = expected["default"]
        if response.status_code < 400:
            assert str(response.status_code) in expected, f"{method} {path} is not described with this status"
            answer = expected[str(response.status_code)]
        schema = answer["content"].get("application/json", {}).get("schema")
        if schema is not None:
            whole = {**schema, "components": self.description["components"]}
            found = Draft202012Validator(whole).iter_errors(response.json())
            assert [f"{one.json_path}: {one.message}" for one in found] == [], where
