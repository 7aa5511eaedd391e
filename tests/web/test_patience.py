"""Slow clients: what they send is waited for, but not for ever."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from web.fixtures import Serve
from web.running import STORY, TOKEN, Client

HEAD = f"host: localhost\r\nauthorization: Bearer {TOKEN}\r\n"


@contextmanager
def connected(client: Client) -> Iterator[socket.socket]:
    address = urlsplit(client.address)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        yield connection


def rest(connection: socket.socket) -> bytes:
    """Return what comes until the server closes the connection."""
    received = b""
    while piece := connection.recv(65536):
        received += piece
    return received


def test_a_connection_without_whole_headers_is_closed_also_if_it_was_used_before(serve: Serve) -> None:
    client = serve(patience=0.2).client
    with connected(client) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHo")
        assert rest(connection) == b""
    with connected(client) as connection:
        connection.sendall(f"GET /healthz HTTP/1.1\r\n{HEAD}\r\n".encode())
        received = b""
        while b"ok" not in received:
            received += connection.recv(65536)
        connection.sendall(b"GET /healthz HT")
        assert rest(connection) == b""


def test_a_body_that_does_not_go_on_is_refused(serve: Serve) -> None:
    path = "/api/uploads?name=a.txt"
    client = serve(patience=0.2).client
    with connected(client) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\n{HEAD}content-length: 100\r\n\r\nonly a part".encode())
        received = rest(connection)
    assert received.startswith(b"HTTP/1.1 408 ")
    assert b"nothing more of the request came" in received
    assert client.get("/api/documents") == []


def test_responses_may_take_longer(serve: Serve) -> None:
    client = serve(patience=0.2).client
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    events = client.events("/api/events")
    assert next(events)[0] == "begin"
    with connected(client) as slow:
        slow.sendall(b"GET")
        assert rest(slow) == b""  # longer than a request may take
    client.post(f"/api/documents/{document}/readings", status=202)
    assert "done" in (kind for kind, _, _ in events)
