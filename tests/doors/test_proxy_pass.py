"""What fits is passed on byte for byte, and so is what the server says to it."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BufferedIOBase
from typing import Any

import httpx2
import pytest

from doors.proxying import CHAT, WINDOW, RunningProxy, prose, said, until
from readagent.testing.loopback import LoopbackServer

Start = Callable[..., RunningProxy]
BODY = (
    b'{ "model":"skimmer",\n  "messages" : [{"content": "Who sold the lamp?", "role": "user"}], "odd": [1.0, null] %s}'
)


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW, retry_after=7, routes={"/v1/models/skimmer": {"id": 1}}).in_thread() as server:
        yield server


def directly(model: LoopbackServer, body: bytes, path: str = CHAT) -> httpx2.Response:
    return httpx2.post(f"{model.base_url.removesuffix('/v1')}{path}", content=body)


@pytest.mark.parametrize(
    ("path", "body"), [(CHAT, BODY % b""), ("/v1/responses", b'{"input": "Who sold  the lamp?", "model": "skimmer"}')]
)
def test_request_and_reply_are_the_same_bytes(model: LoopbackServer, start: Start, path: str, body: bytes) -> None:
    reply = start().http.post(path, content=body)
    assert [one.body for one in model.requests] == [body]  # nothing else is asked
    assert reply.content == directly(model, body, path).content
    assert reply.headers["x-readagent-compressed"] == "no"
    assert int(reply.headers["x-readagent-original-tokens"]) == int(reply.headers["x-readagent-sent-tokens"]) > 0


def test_a_stream_is_passed_on_as_it_arrives(model: LoopbackServer, start: Start) -> None:
    model.answer = lambda prompt, constraint: "one two three"
    with start().http.stream("POST", CHAT, content=BODY % b', "stream": true') as reply:
        assert reply.headers["content-type"] == "text/event-stream"
        texts = [json.loads(line[6:]) for line in reply.iter_lines() if line.startswith("data: {")]
    assert [one["choices"][0]["delta"].get("content") for one in texts] == ["one ", "two ", "three", None]


@pytest.mark.parametrize(
    ("path", "body", "faults"), [(CHAT, BODY % b"", ["429"] * 2), ("/v1/responses", b'{"model": "skimmer"}', [])]
)
def test_errors_are_the_servers_own(
    model: LoopbackServer, start: Start, path: str, body: bytes, faults: list[Any]
) -> None:
    proxy = start()
    model.faults.plan(*faults)
    reply, direct = proxy.http.post(path, content=body), directly(model, body, path)
    assert (reply.status_code, reply.content) == (direct.status_code, direct.content)
    assert reply.status_code >= 400
    assert reply.headers.get("retry-after") == direct.headers.get("retry-after")


def test_what_the_proxy_itself_refuses_is_in_the_form_of_openai(start: Start) -> None:
    http = start(max_body=1000).http
    for reply, status in (
        (http.post(CHAT, content=b"{not json"), 400),
        (http.post(CHAT, content=b"x" * 1001), 413),
        (http.get(CHAT), 405),
        (http.get("/v1/files"), 404),
    ):
        assert reply.status_code == status
        assert isinstance(reply.json()["error"]["message"], str)
        assert set(reply.json()["error"]) == {"message", "type", "param", "code"}


@pytest.mark.slow
def test_a_server_that_does_not_answer_in_time(model: LoopbackServer, start: Start) -> None:
    proxy = start(settings={"timeout": 0.2})
    model.faults.plan("stall")
    assert proxy.chat([said("user", "Hello")]).status_code == 504


def test_pages_of_web_sites_and_other_names_are_refused(start: Start) -> None:
    proxy = start()
    ask = [said("user", "Hello")]
    for host in ("evil.example", "127.0.0.1:80.evil.example", "[::1].evil.example"):
        assert proxy.chat(ask, headers={"host": host}).status_code == 403
    assert proxy.chat(ask, headers={"origin": "https://evil.example"}).status_code == 403
    for site in ("cross-site", "same-site"):
        assert proxy.chat(ask, headers={"sec-fetch-site": site}).status_code == 403
    assert proxy.chat(ask, headers={"origin": "http://127.0.0.1:1"}).status_code == 403  # another port of this machine
    assert proxy.chat(ask, headers={"origin": proxy.address}).status_code == 200
    assert proxy.chat(ask, headers={"host": "localhost"}).status_code == 200


def test_the_token_comes_as_the_key_or_beside_it(model: LoopbackServer, start: Start) -> None:
    proxy, ask = start(token="a-token-of-the-proxy"), [said("user", "Hello")]
    assert proxy.http.get("/healthz").status_code == 200
    assert proxy.chat(ask).status_code == 401
    assert proxy.chat(ask, key="wrong").status_code == 401
    assert proxy.chat(ask, key="a-token-of-the-proxy").status_code == 200
    assert "authorization" not in model.requests[-1].headers
    beside = {"x-readagent-token": "a-token-of-the-proxy"}
    assert proxy.chat(ask, key="sk-mine", headers=beside).status_code == 200
    assert model.requests[-1].headers["authorization"] == "Bearer sk-mine"
    assert "x-readagent-token" not in model.requests[-1].headers


def test_a_compressed_request_is_passed_on(start: Start) -> None:
    body = gzip.compress(BODY % b"")
    with upstream(start) as (proxy, received):
        proxy.http.post(CHAT, content=body, headers={"content-encoding": "gzip"})
        until(lambda: proxy.proxy.last)
    assert received == [(f"POST {CHAT}", "gzip", body)]
    assert proxy.proxy.last[0].reason == "its body is compressed"


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Yield the base URL of a bare server."""
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        answering = threading.Thread(target=server.serve_forever, daemon=True)
        answering.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        answering.join()


@contextmanager
def upstream(start: Start) -> Iterator[tuple[RunningProxy, list[tuple[str, str | None, bytes]]]]:
    """Yield a proxy in front of a bare server, and the method and path, the encoding and the body of what that has got."""
    received = list[tuple[str, str | None, bytes]]()

    class Upstream(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            received.append((f"{self.command} {self.path}", self.headers["content-encoding"], body))
            self.send_response(204)
            self.end_headers()

        do_POST = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: Any) -> None: ...

    with served(Upstream) as url:
        yield start(settings={"base_url": url, "window": WINDOW}), received


def test_kept_responses_and_conversations_are_passed_on(start: Start) -> None:
    sent = [
        "GET /v1/responses/resp_1?stream=true", "DELETE /v1/responses/resp_1", "POST /v1/responses/resp_1/cancel",
        "GET /v1/responses/resp_1/input_items?limit=2", "POST /v1/responses/input_tokens",
        "POST /v1/responses/compact", "POST /v1/conversations", "GET /v1/conversations/conv_1",
        "POST /v1/conversations/conv_1", "DELETE /v1/conversations/conv_1", "GET /v1/conversations/conv_1/items",
        "POST /v1/conversations/conv_1/items", "DELETE /v1/conversations/conv_1/items/msg_1",
        "GET /v1/responses/%252e%252e",
    ]  # fmt: skip
    body = f'{{"input": "{prose(9000)}"}}'.replace("\n", " ").encode()
    with upstream(start) as (proxy, received):
        for one in sent:
            method, path = one.split()
            reply = proxy.http.request(method, path, content=body if method == "POST" else None)
            assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (204, "no")
    assert received == [(one, None, body if one.startswith("POST") else b"") for one in sent]


@pytest.mark.parametrize("path", ["responses/%2e%2e", "files"])
def test_other_paths_below_are_not_passed_on(start: Start, path: str) -> None:
    with upstream(start) as (proxy, received):
        assert proxy.http.get(f"/v1/{path}").status_code == 404
    assert received == []


@contextmanager
def streaming(start: Start, pause: Callable[[BufferedIOBase], object], **settings: float) -> Iterator[RunningProxy]:
    """Yield a proxy in front of a server that streams three words, with a pause before each but the first."""

    class Streaming(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for at, word in enumerate(("one", "two", "three")):
                if at:
                    pause(self.wfile)
                piece = {"choices": [{"index": 0, "delta": {"content": word}}]}
                self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())

        def log_message(self, *_: Any) -> None: ...

    with served(Streaming) as url:
        yield start(settings={"base_url": url, "window": WINDOW, **settings})


def test_a_stream_that_stops_flowing_is_ended(start: Start) -> None:
    free = threading.Event()

    def pause(out: BufferedIOBase) -> None:
        free.wait(60)

    with streaming(start, pause, timeout=60.0, silence=0.2) as proxy:
        with pytest.raises(httpx2.RemoteProtocolError):
            proxy.chat([said("user", "Hello")], stream=True)
        free.set()
        until(lambda: proxy.proxy.last)
    assert "stopped arriving" in proxy.proxy.last[0].reason
