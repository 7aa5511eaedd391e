"""A running server over a library of its own, and a client that checks every response."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from jsonschema import Draft202012Validator

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.library import Library
from readagent.settings import load_settings
from readagent.testing.loopback import LoopbackServer
from readagent.web.app import OPERATIONS
from readagent.web.openapi import described
from readagent.web.service import ServeOptions, Service
from readagent.web.serving import HttpServer, address_of, listening_socket
from sessions import EXAMPLES

TOKEN = "a-token-for-the-tests"
STORY = (EXAMPLES / "story.txt").read_text("utf-8")


def strict(schema: Any) -> Any:
    """Return a schema that allows no property that it does not describe."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    more = {"additionalProperties": False} if "properties" in schema and schema.get("type") == "object" else {}
    return {**more, **{name: strict(one) for name, one in schema.items()}}


@dataclass(frozen=True)
class Described:
    """The OpenAPI description of the server, to check its responses against."""

    description: dict[str, Any]

    @classmethod
    @cache
    def from_app(cls) -> Described:
        return cls(strict(described(OPERATIONS)))

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


class Client:
    """Sends requests with the token; each JSON response must be as the OpenAPI description says."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx2.Client(base_url=address, timeout=30, verify=False)  # loading the certificates takes long
        self._described = Described.from_app()

    def __call__(self, method: str, path: str, *, status: int = 200, **how: Any) -> Any:
        headers = {"authorization": f"Bearer {TOKEN}", **how.pop("headers", {})}
        response = self.http.request(method, path, headers=headers, **how)
        assert response.status_code == status, response.text
        self._described.check(method, path, response)
        is_json = response.headers.get("content-type", "").startswith("application/json")
        return response.json() if is_json else response.content

    def get(self, path: str, **how: Any) -> Any:
        return self("GET", path, **how)

    def post(self, path: str, body: Any = None, **how: Any) -> Any:
        return self("POST", path, json=body if body is not None else {}, **how)

    def events(self, path: str, last_id: str = "") -> Iterator[tuple[str, Any, str]]:
        """Yield the kind, data and id of each event until the stream ends."""
        headers = {"authorization": f"Bearer {TOKEN}"} | ({"last-event-id": last_id} if last_id else {})
        with self.http.stream("GET", path, headers=headers) as response:
            assert response.status_code == 200
            kind, data, number = "", "", ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    data = line.removeprefix("data: ")
                elif line.startswith("id: "):
                    number = line.removeprefix("id: ")
                elif not line and kind:
                    yield kind, json.loads(data), number
                    kind, data, number = "", "", ""

    def ended(self, job: dict[str, Any], state: str = "done") -> Any:
        """Follow a job to its end, and return it."""
        for kind, data, _ in self.events(f"/api/jobs/{job['id']}/events"):
            if kind == "done":
                assert data["state"] == state, data["reason"]
                return self.get(f"/api/jobs/{job['id']}")
        raise AssertionError("the stream ended before the job")

    def until(self, path: str, true: Callable[[Any], bool]) -> Any:
        """Ask again and again until the response is as expected."""
        deadline = time.monotonic() + 30
        while not true(found := self.get(path)):
            assert time.monotonic() < deadline, found
        return found

    def story(self, text: str = STORY, title: str = "The Salt Barge") -> str:
        """Add a document and read it; return its id."""
        document = self.post("/api/documents", {"text": text, "title": title}, status=201)["id"]
        self.ended(self.post(f"/api/documents/{document}/readings", status=202))
        return str(document)


class Running:
    """A server on a thread of its own."""

    def __init__(
        self, home: Path | str, base_url: str, *, port: int = 0, plan: Plan | None = None, **options: Any
    ) -> None:
        settings = load_settings({"model": "skimmer", "base_url": base_url, "patience": 0.0})
        self.library = Library(home)  # a folder, or the URL of a database
        agent = AsyncReadAgent.from_settings(settings, library=self.library, plan=plan)
        self.service = Service(agent, ServeOptions(**{"token": TOKEN, **options}))
        self.listener = listening_socket("127.0.0.1", port)
        self.client = Client(address_of(self.listener, "127.0.0.1"))
        self.service.start()
        self._server = HttpServer(self.service)
        self._thread = threading.Thread(target=self._server.run, args=([self.listener],), daemon=True)
        self._thread.start()
        self.client.until("/healthz", lambda found: found == {"status": "ok"})

    def stop(self) -> None:
        """Stop the server; a second time, nothing happens."""
        if self._server.should_exit:
            return
        self.client.http.close()
        self._server.stop()
        self._thread.join()
        self.listener.close()
        self.service.close()


@contextmanager
def held(model: LoopbackServer, step: str) -> Iterator[threading.Event]:
    """Let the model hold its replies to prompts with these words until the event is set."""
    free, answer = threading.Event(), model.answer

    def later(prompt: str, constraint: dict[str, Any] | None) -> str:
        if step in prompt:
            free.wait(30)
        return answer(prompt, constraint)

    model.answer = later
    try:
        yield free
    finally:
        free.set()
        model.answer = answer
