"""The description of the API in OpenAPI 3.1, made from its operations, and a plain page of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from html import escape
from importlib.metadata import version
from typing import Any

import msgspec

from readagent.records.jobs import RESULTS
from readagent.records.servers import Problem
from readagent.web.operations import JSON, Operation

_REF = "#/components/schemas/{name}"
_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")
_NUMBERS = ("answer", "job", "page")


def described(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the description of these operations."""
    types = [
        Problem,
        *RESULTS,
        *(one for operation in operations for one in (operation.body, operation.returns) if one),
    ]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    by_type = {repr(kind): schema for kind, schema in zip(types, schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        path = _PARAMETER.sub(r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = _operation(one, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ReadAgent",
            "version": version("readagent"),
            "description": "The API of `readagent serve`. Offsets in texts count Unicode code points; pages are "
            "numbered from 0.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": one.summary,
        "operationId": "_".join([one.method.lower(), *re.findall(r"\w+", _PARAMETER.sub(r"\1", one.path))]),
        "parameters": [
            *(_in_path(name) for name in _PARAMETER.findall(one.path)),
            *({"name": name, "in": "query", "description": text, "schema": {"type": "string"}}
              for name, text in one.query),
        ],
        "responses": {
            str(one.status if one.returns or one.media != JSON else 204): _response(one, schemas),
            **({} if one.otherwise is None else {
                str(one.otherwise[0]): {**_response(one, schemas), "description": one.otherwise[1]}
            }),
            "default": {"description": "Why it failed.", "content": {JSON: {"schema": schemas[repr(Problem)]}}},
        },
    }  # fmt: skip
    if one.body is not None:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": schemas[repr(one.body)]}}}
    elif one.method == "POST" and one.media != JSON:
        binary = {"schema": {"type": "string", "format": "binary"}}
        found["requestBody"] = {"required": True, "content": {one.media: binary}}
    return found


def _in_path(name: str) -> dict[str, Any]:
    schema = {"type": "integer"} if name in _NUMBERS else {"type": "string"}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _response(one: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if one.returns is not None:
        return {"description": one.summary, "content": {JSON: {"schema": schemas[repr(one.returns)]}}}
    return {"description": one.summary, "content": {} if one.media == JSON else {one.media: {}}}


def page_of(description: dict[str, Any]) -> str:
    """Return the description as a plain page of HTML, without scripts and styles."""
    parts = ["<!doctype html><html lang='en'><head><meta charset='utf-8'><title>ReadAgent API</title></head><body>"]
    parts.append("<h1>ReadAgent API</h1><p><a href='/api/openapi.json'>openapi.json</a></p><dl>")
    for path, methods in description["paths"].items():
        for method, one in methods.items():
            names = [parameter["name"] for parameter in one["parameters"] if parameter["in"] == "query"]
            query = f"?{'&'.join(f'{name}=…' for name in names)}" if names else ""
            body = one.get("requestBody", {}).get("content", {})
            sends = f" Sends {_types(body)}." if body else ""
            returns = next(iter(one["responses"].values())).get("content", {})
            gives = f" Returns {_types(returns)}." if returns else ""
            parts.append(f"<dt><code>{method.upper()} {escape(path + query)}</code></dt>")
            parts.append(f"<dd>{escape(one['summary'] + sends + gives)}</dd>")
    parts.append("</dl><h2>Types</h2>")
    for name, schema in description["components"]["schemas"].items():
        parts.append(f"<h3 id='{escape(name)}'>{escape(name)}</h3><p>{escape(schema.get('description', ''))}</p><ul>")
        parts += [f"<li><code>{escape(field)}</code></li>" for field in schema.get("properties", ())]
        parts.append("</ul>")
    return "".join([*parts, "</body></html>"])


def _types(content: dict[str, Any]) -> str:
    """Return the names of the types of a request or response."""
    for media, one in content.items():
        schema = one.get("schema", {})
        reference = reduce(lambda found, key: found.get(key, {}), ("items",), schema) or schema
        name = str(reference.get("$ref", "")).rpartition("/")[2]
        return (f"a list of {name}" if "items" in schema else name) if name else str(media)
    return ""
