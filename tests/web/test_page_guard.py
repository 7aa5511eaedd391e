"""Who may talk to the server: with the token only, not from other pages, and not through other names."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from web.fixtures import Serve
from web.running import TOKEN, Client


def sent(client: Client, method: str, path: str, **headers: str) -> httpx2.Response:
    return client.http.request(method, path, headers=headers, json={"name": "contracts"} if method == "POST" else None)


@pytest.fixture
def cookie(client: Client) -> dict[str, str]:
    """The cookie that the token gives."""
    response = httpx2.get(f"{client.address}?token={TOKEN}", follow_redirects=False)
    return {"cookie": response.headers["set-cookie"].partition(";")[0]}


def test_the_token_is_exchanged_for_a_cookie(client: Client) -> None:
    response = httpx2.get(f"{client.address}?token={TOKEN}&lang=en", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/?lang=en")
    given = response.headers["set-cookie"]
    assert "HttpOnly" in given
    assert "SameSite=strict" in given
    assert TOKEN not in given
    page = httpx2.get(client.address, headers={"cookie": given.partition(";")[0]})
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]


def test_a_wrong_token_is_told(client: Client) -> None:
    for wrong in (
        httpx2.post(f"{client.address}login", data={"token": "other"}),
        httpx2.get(f"{client.address}?token=other"),
    ):
        assert wrong.status_code == 401
        assert "This token is wrong." in wrong.text
        assert "other" not in wrong.text.replace("another", "")


@pytest.mark.parametrize("path", ["/api/status", "/static/style.css"])
def test_without_the_token_there_is_nothing(client: Client, path: str) -> None:
    for headers in ({}, {"authorization": "Bearer wrong"}, {"cookie": "readagent-1=0"}, {"authorization": TOKEN}):
        response = httpx2.get(client.address.rstrip("/") + path, headers=headers)
        assert response.status_code == 401
        assert response.json()["error"]
    assert httpx2.get(f"{client.address}healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    "host",
    ["evil.example", ""],
)
def test_another_name_is_refused(client: Client, host: str) -> None:
    response = httpx2.get(f"{client.address}api/status", headers={"authorization": f"Bearer {TOKEN}", "host": host})
    assert response.status_code in (400, 403)


def test_a_name_that_was_allowed_is_served(serve: Serve) -> None:
    client = serve(hosts=("books.example",)).client
    client.get("/api/status", headers={"host": "books.example:8765"})
    client.get("/api/status", headers={"host": "localhost"})
    client.get("/api/status", headers={"host": "[::1]:8765"})
    client.get("/api/status", headers={"host": "other.example"}, status=403)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-readagent": "1"}, 201),
        ({"x-readagent": "1", "origin": "null"}, 403),
        ({"x-readagent": "1", "sec-fetch-site": "same-origin"}, 201),
    ],
)
def test_a_change_with_the_cookie_must_come_from_our_page(
    client: Client, cookie: dict[str, str], headers: dict[str, str], status: int
) -> None:
    assert sent(client, "POST", "/api/shelves", **cookie, **headers).status_code == status


def test_our_own_origin_is_ours(client: Client, cookie: dict[str, str]) -> None:
    own = client.address.rstrip("/")
    assert sent(client, "POST", "/api/shelves", **cookie, **{"x-readagent": "1"}, origin=own).status_code == 201
    assert sent(client, "GET", "/api/documents", **cookie, origin=own).status_code == 200
    other = "http://127.0.0.1:1"
    assert sent(client, "GET", "/api/documents", **cookie, origin=other).status_code == 403


@pytest.mark.parametrize("path", ["/", f"/?token={TOKEN}"])
def test_every_response_has_the_headers_of_a_careful_server(client: Client, path: str) -> None:
    headers = httpx2.get(client.address.rstrip("/") + path, headers={"authorization": f"Bearer {TOKEN}"}).headers
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
