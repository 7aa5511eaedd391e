"""Uploads become documents within limits, and slow clients are waited for, but not for ever."""

from __future__ import annotations

import base64
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from readagent.testing.loopback import LoopbackServer
from readagent.web.uploads import file_name
from web.fixtures import Serve
from web.running import STORY, TOKEN, Client

FIXTURES = Path(__file__).parent.parent / "fixtures"


def test_a_file_is_uploaded(client: Client) -> None:
    file = "garden.pandoc.epub"
    data = (FIXTURES / file).read_bytes()
    document = client("POST", f"/api/uploads?name={file}", content=data, status=201)
    assert document["format"] == "epub"
    assert document["words"] > 100
    assert document["source"] == file
    assert client.get("/api/library?q=PANDOC")["found"] == 1
    chapters = client.get(f"/api/documents/{document['id']}")["chapters"]
    text = client.get(f"/api/documents/{document['id']}/text")["text"]
    assert chapters
    for chapter in chapters:
        assert " ".join(text[chapter["start"] : chapter["end"]].split()).startswith(chapter["title"])


def test_a_text_that_is_there_already_is_not_added_again(client: Client) -> None:
    text = "The lamp was lit at dusk. The keeper went down to the boat."
    added = client("POST", "/api/uploads?name=lamp.txt", content=text.encode(), status=201)
    assert client("POST", "/api/uploads?name=copy.txt", content=text.encode(), status=200)["id"] == added["id"]
    assert client.post("/api/documents", {"text": text, "title": "Lamp"}, status=200)["id"] == added["id"]
    assert len(client.get("/api/documents")) == 1


def test_a_pdf_is_kept_and_only_pictures_of_its_pages_are_sent(client: Client) -> None:
    data = (FIXTURES / "story.chromium-columns.pdf").read_bytes()
    text = client("POST", "/api/uploads?name=a.txt", content=STORY.encode(), status=201)
    assert client.get(f"/api/documents/{text['id']}/original", status=404)["hint"]
    document = client("POST", "/api/uploads?name=story.pdf", content=data, status=201)
    assert (text["original"], document["original"]) == (False, True)
    path = f"/api/documents/{document['id']}"
    start = client.get(f"{path}/text")["text"].index("There is only one hundred in a set")
    page = client.get(f"{path}/original?start={start}&end={start + 60}")
    png = base64.b64decode(page.pop("png"))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert (page["page"], page["pages"]) == (1, 2)
    assert all(0 <= left < right <= 1 and 0 <= top < bottom <= 1 for left, top, right, bottom in page["lines"])
    assert client.get(f"{path}/original?page=99&start=0&end=0")["page"] == 1
    client("DELETE", path, status=204)
    client.get(f"{path}/original", status=404)


def test_a_file_that_cannot_be_read_says_why_without_its_temporary_path(client: Client) -> None:
    problem = client("POST", "/api/uploads?name=broken.pdf", content=b"%PDF-1.7 nothing", status=422)
    assert "broken.pdf" in problem["error"]
    assert "/tmp" not in str(problem)
    assert client("POST", "/api/uploads?name=empty.txt", content=b"", status=422)["error"]
    assert client.get("/api/documents") == []


def test_a_file_that_is_too_large_is_refused(serve: Serve) -> None:
    client = serve(max_upload=1000).client
    assert "0.001 MB" in client("POST", "/api/uploads?name=a.txt", content=b"word " * 300, status=413)["error"]

    def endless() -> object:
        for _ in range(300):
            yield b"word " * 10

    assert client("POST", "/api/uploads?name=a.txt", content=endless(), status=413)["hint"]
    assert client.post("/api/documents", {"text": "word " * 300}, status=413)["error"]
    assert client.get("/api/documents") == []


def test_a_request_that_breaks_off_is_no_error_of_the_server(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    path = "/api/uploads?name=a.txt"
    address = urlsplit(client.address)
    head = f"POST {path} HTTP/1.1\r\n{head_of(client)}content-length: 1000\r\n\r\n"
    with caplog.at_level(logging.ERROR):
        with socket.create_connection((address.hostname, address.port)) as half:
            half.sendall(f"{head}only a part".encode())
        client.until("/metrics", lambda found: b'status="400"' in found)
    assert caplog.records == []
    assert client.get("/api/documents") == []


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("C:\\Users\\x\\report.docx", "report.docx"),
        ("", "upload"),
        ("/", "upload"),
        ("a" * 500 + ".epub", "a" * 115 + ".epub"),
        ("🦉" * 500 + ".epub", "🦉" * 37 + ".epub"),
    ],
)
def test_names_are_made_harmless(given: str, name: str) -> None:
    assert file_name(given) == name


def test_only_public_web_addresses_are_loaded(client: Client, model: LoopbackServer) -> None:
    for url in ("file:///etc/passwd", "http://1.1.1.1:99999/", "http://xn--/"):
        assert client.post("/api/documents", {"url": url}, status=422)["error"]
    port = model.base_url.rpartition(":")[2].partition("/")[0]
    for host in ("127.0.0.1", "0.0.0.0"):
        problem = client.post("/api/documents", {"url": f"http://{host}:{port}/v1/models"}, status=422)
        assert "address" in problem["error"]
    assert client.get("/api/documents") == []


def test_an_option_allows_private_addresses(serve: Serve) -> None:
    page = "<html><title>The lamp</title><body><p>" + "The lamp was lit at dusk by the keeper. " * 20 + "</p></body>"
    client = serve(allow_private=True).client
    with LoopbackServer(routes={"/page": page}).in_thread() as other:
        url = other.base_url.replace("/v1", "/page")
        assert client.post("/api/documents", {"url": url}, status=201)["words"] > 100


def test_markup_and_controls_of_a_document_stay_text(client: Client) -> None:
    hostile = "<script>alert(1)</script> and \u202eright to left\u202c and \x1b[31mred, told to Ann by Ben."
    document = client.post("/api/documents", {"text": hostile, "title": "<b>bold</b>"}, status=201)
    found = client.http.get(
        f"/api/documents/{document['id']}/text", headers={"authorization": "Bearer a-token-for-the-tests"}
    )
    assert found.headers["content-type"] == "application/json"
    assert "<script>alert(1)</script>" in found.json()["text"]


def head_of(client: Client) -> str:
    return f"host: {urlsplit(client.address).netloc}\r\nauthorization: Bearer {TOKEN}\r\n"


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
        connection.sendall(f"GET /healthz HTTP/1.1\r\n{head_of(client)}\r\n".encode())
        received = b""
        while b"ok" not in received:
            received += connection.recv(65536)
        connection.sendall(b"GET /healthz HT")
        assert rest(connection) == b""


def test_a_body_that_does_not_go_on_is_refused(serve: Serve) -> None:
    path = "/api/uploads?name=a.txt"
    client = serve(patience=0.2).client
    with connected(client) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\n{head_of(client)}content-length: 100\r\n\r\nonly a part".encode())
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
