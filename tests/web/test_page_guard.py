"""Who may talk to the server: with the token only, not from other pages, and not through other names."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from starlette.types import Message, Receive, Scope, Send

from readagent.web.page_guard import Guard
from web.fixtures import Serve
from web.running import TOKEN, Client


def sent(client: Client, method: str, path: str, **headers: str) -> httpx2.Response:
    return client.http.request(method, path, headers=headers, json={"name": "contracts"} if method == "POST" else None)


@pytest.fixture
def cookie(client: Client) -> dict[str, str]:
    """The cookie that the token gives."""
    response = client.http.get(f"{client.address}?token={TOKEN}", follow_redirects=False)
    return {"cookie": response.headers["set-cookie"].partition(";")[0]}


def test_the_token_is_exchanged_for_a_cookie(client: Client) -> None:
    response = client.http.get(f"{client.address}?token={TOKEN}&lang=en", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/?lang=en")
    given = response.headers["set-cookie"]
    assert "HttpOnly" in given
    assert "SameSite=strict" in given
    assert TOKEN not in given
    page = client.http.get(client.address, headers={"cookie": given.partition(";")[0]})
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]


def test_a_code_opens_the_page_once_and_ends_what_it_began_if_it_comes_again(serve: Serve) -> None:
    client = serve(code="a-code-for-one-use").client
    address = f"{client.address}?code=a-code-for-one-use"
    response = client.http.get(address, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = {"cookie": response.headers["set-cookie"].partition(";")[0]}
    assert client.http.get(client.address, headers=cookie).status_code == 200
    assert client.http.get(address, headers=cookie).status_code == 401
    assert client.http.get(client.address, headers=cookie).status_code == 401
    without = serve().client
    assert without.http.get(f"{without.address}?code=").status_code == 401


@pytest.mark.anyio
async def test_a_stream_under_way_ends_when_the_code_comes_again() -> None:
    async def call(query: bytes, *headers: tuple[bytes, bytes]) -> list[Message]:
        sent = list[Message]()

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "query_string": query, "scheme": "http"}
        await guard(scope | {"headers": [(b"host", b"localhost"), *headers]}, receive, send)
        return sent

    async def receive() -> Message:
        return {"type": "http.request"}

    async def streaming(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"before", "more_body": True})
        await call(b"code=once")
        await send({"type": "http.response.body", "body": b"after", "more_body": True})

    guard = Guard(streaming, token=TOKEN, code="once", hosts=(), read_only=False)
    start = (await call(b"code=once"))[0]
    cookie = dict(start["headers"])[b"set-cookie"].partition(b";")[0]
    received = await call(b"", (b"cookie", cookie))
    assert [one.get("body") for one in received] == [None, b"before", b""]
    assert not received[-1]["more_body"]


def test_a_wrong_token_is_told(client: Client) -> None:
    for wrong in (
        client.http.post(client.address, data={"token": "other"}),
        client.http.get(f"{client.address}?token=other"),
    ):
        assert wrong.status_code == 401
        assert "This token is wrong." in wrong.text
        assert "other" not in wrong.text.replace("another", "")


def test_without_the_token_there_is_nothing(client: Client) -> None:
    tokens = ({}, {"authorization": "Bearer wrong"}, {"cookie": "readagent-1=0"}, {"authorization": TOKEN})
    for path in ("api/status", "static/style.css"):
        for headers in tokens:
            response = client.http.get(f"{client.address}{path}", headers=headers)
            assert response.status_code == 401
            assert response.json()["error"]
    assert client.http.get(f"{client.address}healthz").json() == {"status": "ok"}


def test_another_name_is_refused(client: Client) -> None:
    for host in ("evil.example", ""):
        headers = {"authorization": f"Bearer {TOKEN}", "host": host}
        assert client.http.get(f"{client.address}api/status", headers=headers).status_code in (400, 403)


def test_a_name_that_was_allowed_is_served(serve: Serve) -> None:
    client = serve(hosts=("books.example",)).client
    client.get("/api/status", headers={"host": "books.example:8765"})
    port = client.address.rstrip("/").rpartition(":")[2]
    client.get("/api/status", headers={"host": f"localhost:{port}"})
    client.get("/api/status", headers={"host": f"[::1]:{port}"})
    for other in ("other.example", "127.0.0.1:1", "localhost", f"127.0.0.1:{port}:1"):
        client.get("/api/status", headers={"host": other}, status=403)
    behind = {"authorization": f"Bearer {TOKEN}", "host": "books.example"}
    for origin, status in (("https://books.example", 200), ("https://books.example:1", 403)):
        assert client.http.get("/api/status", headers=behind | {"origin": origin}).status_code == status


def test_a_change_with_the_cookie_must_come_from_our_page(client: Client, cookie: dict[str, str]) -> None:
    def status(method: str, path: str, **headers: str) -> int:
        return sent(client, method, path, **cookie, **headers).status_code

    ours, own = {"x-readagent": "1"}, client.address.rstrip("/")
    assert status("POST", "/api/shelves", **ours, origin="null") == 403
    assert status("GET", "/api/documents", origin="http://127.0.0.1:1") == 403
    assert status("POST", "/api/shelves") == 403
    assert status("POST", "/api/shelves", **ours, origin=own) == 201
    assert status("GET", "/api/documents", origin=own) == 200


def test_no_door_opens_for_another_origin(serve: Serve) -> None:
    client = serve(code="a-code-for-one-use").client
    own = client.address.rstrip("/")
    for origin in ("http://127.0.0.1:1", own.replace("http:", "https:"), "null"):
        for method, path in (("GET", "/?code=a-code-for-one-use"), ("GET", f"/?token={TOKEN}"), ("POST", "/")):
            answer = client.http.request(
                method, path, headers={"origin": origin}, data={"token": TOKEN} if method == "POST" else None
            )
            assert (answer.status_code, "set-cookie" in answer.headers) == (403, False), (origin, path)
    opened = client.http.get("/?code=a-code-for-one-use", headers={"origin": own}, follow_redirects=False)
    assert (opened.status_code, "set-cookie" in opened.headers) == (303, True)


def test_every_response_has_the_headers_of_a_careful_server(client: Client) -> None:
    headers = client.http.get("/", headers={"authorization": f"Bearer {TOKEN}"}).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_a_read_only_server_changes_nothing(serve: Serve) -> None:
    document = serve().client.story()
    client = serve(read_only=True).client
    assert client.get("/api/status")["read_only"] is True
    assert client.get(f"/api/documents/{document}/pages")
    for method, path, body in (
        ("POST", "/api/documents", {"text": "More."}),
        ("POST", f"/api/documents/{document}/questions", {"question": "Who?"}),
        ("PUT", f"/api/documents/{document}/pages/0/gist", {"text": "x"}),
        ("DELETE", f"/api/documents/{document}", None),
    ):
        assert "read-only" in client(method, path, json=body, status=403)["error"]
    assert len(client.get("/api/documents")) == 1


def test_what_is_not_there_is_told_in_one_line(client: Client) -> None:
    for method, path, status in (("GET", "/api/nothing", 404), ("PATCH", "/api/documents", 405), ("GET", "/x", 404)):
        problem: Any = client(method, path, status=status)
        assert "\n" not in problem["error"]
        assert problem["hint"]
    assert client.get("/api/jobs/abc", status=404)["error"]
    assert client.get("/api/jobs/99999999999999999999", status=404)["error"]
