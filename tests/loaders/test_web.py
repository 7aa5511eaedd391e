"""Web pages: what a download returns, and what is refused before, during and after it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence

import httpx2
import pytest

from loaders.web_server import CERTIFICATES, Page, WebServer, compressed, redirect, web_server
from readagent.errors import LoadError
from readagent.loaders import load
from readagent.loaders.sources.addresses import Resolve
from readagent.loaders.sources.files import Fetched
from readagent.loaders.sources.web import Limits, fetch_page

TEXT = b"Anna crossed the river at night, and nobody saw her.\n"
PUBLIC = "93.184.215.14"


@pytest.fixture
def site() -> Iterator[WebServer]:
    with web_server() as site:
        site.pages |= {"/river.txt": Page(TEXT, headers={"Content-Type": "text/plain"})}
        yield site


def hosts(**addresses: Sequence[str]) -> Resolve:
    """Return a resolver with these hosts; any other host is taken as an address."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses.get(host.split(".")[0], [host])

    return resolve


def fetched(address: str, **how: object) -> Fetched:
    return fetch_page(address, **{"allow_private": True, **how})  # type: ignore[arg-type]


def refused(address: str, **how: object) -> LoadError:
    with pytest.raises(LoadError) as caught:
        fetch_page(address, **how)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_page_is_a_document_with_its_address(site: WebServer) -> None:
    document = load(f"{site.address}/river.txt#part-2", allow_private=True)
    assert document.text.encode() == TEXT
    assert (document.title, document.source) == ("river", f"{site.address}/river.txt")
    path, headers = site.requests[0]
    assert path == "/river.txt"
    assert headers["host"] == site.address.removeprefix("http://")
    assert headers["user-agent"].startswith("readagent/")
    assert "cookie" not in headers


def test_redirects_are_followed_and_the_requested_address_is_kept(site: WebServer) -> None:
    site.pages |= {"/old": redirect("new", 301), "/new": redirect(f"{site.address}/river.txt", 308)}
    page = fetched(f"{site.address}/old")
    assert page.data == TEXT
    assert (page.source, page.address) == (f"{site.address}/old", f"{site.address}/river.txt")
    assert load(f"{site.address}/old", allow_private=True).metadata["address"] == f"{site.address}/river.txt"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("/again", "too many redirects"),
        ("http://[::ffff:169.254.169.254]/", "a reserved address"),
        ("http://name:word@127.0.0.1/", "contains a user name or password"),
    ],
)
def test_forbidden_redirects(site: WebServer, target: str, message: str) -> None:
    site.pages["/again"] = redirect(target)
    error = refused(f"{site.address}/again", allow_private=True)
    assert message in str(error)
    assert len(site.requests) <= 6


class FakeTransport(httpx2.AsyncBaseTransport):
    """A fake network: returns the given responses and records the requests."""

    def __init__(self, *responses: httpx2.Response | Exception) -> None:
        self._responses = list(responses)
        self.requests: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        response = self._responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    transport = FakeTransport(httpx2.Response(200, content=TEXT))
    page = fetch_page("https://example.org:8443/a?b#c", resolve=hosts(example=[PUBLIC]), transport=transport)
    (request,) = transport.requests
    assert (page.data, page.source) == (TEXT, "https://example.org:8443/a?b")
    assert str(request.url) == f"https://{PUBLIC}:8443/a?b"
    assert request.headers["host"] == "example.org:8443"
    assert request.extensions["sni_hostname"] == "example.org"
    transport = FakeTransport(httpx2.Response(200, content=TEXT))
    fetch_page("https://example.org/", resolve=hosts(example=["2606:2800::1"]), transport=transport)
    assert str(transport.requests[0].url) == "https://[2606:2800::1]/"


@pytest.mark.parametrize("inner", ["127.0.0.1", "::1", "64:ff9b::7f00:1"])
def test_a_public_page_cannot_redirect_to_a_private_address(inner: str) -> None:
    transport = FakeTransport(httpx2.Response(302, headers={"Location": "https://inner.example/"}))
    where = hosts(outer=[PUBLIC], inner=[inner])
    error = refused("https://outer.example/", resolve=where, transport=transport)
    assert f"resolves to {inner}" in str(error)
    assert len(transport.requests) == 1


def test_dns_rebinding_is_refused() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    async def resolve(host: str, port: int) -> Sequence[str]:
        return next(answers)

    transport = FakeTransport(
        httpx2.Response(302, headers={"Location": "/next"}), httpx2.Response(200, content=b"secret")
    )
    assert "127.0.0.1" in str(refused("http://rebinding.example/", resolve=resolve, transport=transport))
    assert [request.url.host for request in transport.requests] == [PUBLIC]


def test_redirects_from_https_to_http_and_hosts_with_one_private_address_are_refused() -> None:
    transport = FakeTransport(httpx2.Response(301, headers={"Location": "http://example.org/"}))
    error = refused("https://example.org/", resolve=hosts(example=[PUBLIC]), transport=transport)
    assert "insecure address" in str(error)
    assert "directly" in error.hint
    transport = FakeTransport()
    both = hosts(both=[PUBLIC, "10.0.0.7"])
    assert "10.0.0.7" in str(refused("http://both.example/", resolve=both, transport=transport))
    assert transport.requests == []


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/", "http://2130706433/", "http://0x7f.1/"])
def test_private_addresses_are_refused_by_default(site: WebServer, address: str) -> None:
    error = refused(address)
    assert "a private address" in str(error)
    assert "`allow_private=True`" in error.hint
    assert "private address" in str(refused(site.address))
    assert site.requests == []


PUBLIC_ONES = "8.8.8.8 1.1.1.1 192.0.1.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::"
# the blocks of IANA's registries of special-purpose addresses, two addresses of each
PRIVATE_ONES = """
127.0.0.1 127.255.0.1 10.1.2.3 10.255.255.254 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.1 100.64.0.1
100.127.255.254 198.18.0.1 198.19.255.254 ::1 fc00::1 fdff::1 ::ffff:127.0.0.1 64:ff9b::a00:1 2002:7f00:1::
"""
RESERVED_ONES = """
0.0.0.0 0.255.0.1 169.254.169.254 169.254.170.2 192.0.0.1 192.0.0.9 192.0.0.170 192.0.0.192 192.0.2.1 192.0.2.255
192.31.196.1 192.52.193.1 192.88.99.1 192.88.99.255 192.175.48.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250
240.0.0.1 255.255.255.255 :: ::10.0.0.1 64:ff9b:1::a00:1 64:ff9b:1:ffff::1 100::1 100:0:0:1::1 2001::1 2001:0:ffff::1
2001:1::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1 2001:db8:ffff::1
2620:4f:8000::1 3fff::1 3fff:fff::1 5f00::1 fe80::1 fec0::1 ff02::1 ::ffff:169.254.169.254 2002:a9fe:a9fe::
64:ff9b::a9fe:a9fe 100.100.100.200 168.63.129.16 fd00:ec2::254 fd20:ce::254 fd00:a9fe:a9fe::1 fd00:42::42
"""


@pytest.mark.parametrize("allow_private", [False, True])
def test_special_addresses_are_refused_and_credentials_of_a_cloud_always(allow_private: bool) -> None:
    def tried(address: str) -> str:
        transport = FakeTransport(httpx2.Response(200, content=TEXT))
        try:
            fetch_page("https://one.example/", allow_private=allow_private, resolve=hosts(one=[address]),
                       transport=transport)  # fmt: skip
        except LoadError as error:
            assert transport.requests == []
            return str(error).partition(", ")[2]
        return "connected"

    private = "connected" if allow_private else "a private address, which is not downloaded from"
    assert {tried(one) for one in PUBLIC_ONES.split()} == {"connected"}
    assert {one for one in PRIVATE_ONES.split() if tried(one) != private} == set()
    never = "a reserved address, which is never downloaded from"
    assert {one for one in RESERVED_ONES.split() if tried(one) != never} == set()


@pytest.mark.parametrize(
    ("status", "message", "hint"),
    [
        (404, "HTTP 404 (page not found)", "check the address"),
        (429, "HTTP 429 (too many requests)", "later"),
        (204, "HTTP 204", "save the page"),
    ],
)
def test_error_statuses(site: WebServer, status: int, message: str, hint: str) -> None:
    site.pages["/page"] = Page(status=status)
    error = refused(f"{site.address}/page", allow_private=True)
    assert message in str(error)
    assert hint in error.hint


def test_secrets_in_an_address_are_not_printed(site: WebServer) -> None:
    assert "s3cret" not in str(refused(f"{site.address}/page?key=s3cret", allow_private=True))
    assert "s3cret" not in str(refused("https://anna:s3cret@example.org/"))


def test_what_is_packed_is_counted_uncompressed(site: WebServer) -> None:
    site.pages |= {
        "/bomb": compressed(bytes(3_000_000)),
        "/twice": compressed(TEXT, times=2),
        "/fine": compressed(TEXT),
    }
    site.pages |= {"/odd": Page(TEXT, headers={"Content-Encoding": "br"})}
    site.pages |= {"/torn": Page(b"\x1f\x8b\x08 no", headers={"Content-Encoding": "gzip"})}
    limits = Limits(max_bytes=1_000_000)
    assert fetched(f"{site.address}/fine", limits=limits).data == TEXT
    assert "larger than 1 MB" in str(refused(f"{site.address}/bomb", allow_private=True, limits=limits))
    for path in ("twice", "odd"):
        assert "unexpected content encoding" in str(refused(f"{site.address}/{path}", allow_private=True))
    assert "compressed data is damaged" in str(refused(f"{site.address}/torn", allow_private=True))


def test_no_partial_page_is_read_if_it_is_too_long_or_slow_or_the_connection_is_lost(site: WebServer) -> None:
    site.pages["/huge"] = Page(TEXT, headers={"Content-Length": "999999999999"}, stalls=True)
    assert "larger than 100 MB" in str(refused(f"{site.address}/huge", allow_private=True))
    site.pages["/slow"] = Page(TEXT, headers={"Content-Length": "1000"}, stalls=True)
    idle = refused(f"{site.address}/slow", allow_private=True, limits=Limits(idle_seconds=0.1))
    assert "no data for 0.1 seconds" in str(idle)
    late = refused(f"{site.address}/slow", allow_private=True, limits=Limits(seconds=0.1))
    assert "took longer than 0.1 seconds" in str(late)
    site.pages["/half"] = Page(TEXT, headers={"Content-Length": "1000"})
    assert "the connection was lost" in str(refused(f"{site.address}/half", allow_private=True))


def test_a_host_that_cannot_be_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*asked: object, **more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "as a resolver says it")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    error = refused("https://reading.invalid/")
    assert "unknown host: reading.invalid" in str(error)
    assert "spelling" in error.hint


@pytest.mark.parametrize("address", ["http://", "https://[::1", "http://" + "a" * 70_000])
def test_invalid_addresses(address: str) -> None:
    refused(address, resolve=hosts())


def test_certificates_are_checked_against_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    here = hosts(reading=["127.0.0.1"], other=["127.0.0.1"])
    with web_server(secure=True) as site:
        site.pages["/page"] = Page(TEXT)
        page = f"https://reading.test:{site.port}/page"
        error = refused(page, allow_private=True, resolve=here)
        assert "could not connect to reading.test: invalid certificate" in str(error)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
        assert fetched(page, resolve=here).data == TEXT
        other = refused(page.replace("reading.test", "other.test"), allow_private=True, resolve=here)
        assert "could not connect to other.test: invalid certificate" in str(other)
        insecure_page = page.replace("https", "http")
        assert "the connection was lost" in str(refused(insecure_page, allow_private=True, resolve=here))
    with web_server() as site:
        assert "could not connect securely" in str(refused(site.address.replace("http", "https"), allow_private=True))


def test_no_proxy_is_used_and_offline_mode_allows_loopback_only(
    site: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    monkeypatch.setenv("READAGENT_OFFLINE", "1")

    async def resolved(host: str, port: int) -> list[str]:
        raise AssertionError(f"{host} must not even be looked up")

    error = refused("https://example.org/", resolve=resolved, transport=FakeTransport())
    assert "READAGENT_OFFLINE is set" in str(error)
    assert fetched(f"{site.address}/river.txt").data == TEXT
