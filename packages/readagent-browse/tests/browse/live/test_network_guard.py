"""NetworkGuard: which hosts, ports and addresses a visit may use; without a browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest

from browse.live.recorder import recorder
from readagent.errors import LoadError, UsageError
from readagent.models.hosts import live_requests
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.origin import Origin
from readagent_browse.live.proxy import FilteringProxy

pytestmark = pytest.mark.anyio
KNOWN = {
    "shop.example": ["93.184.216.34"], "cdn.example": ["93.184.216.35"], "intra.example": ["10.0.0.7"],
    "mixed.example": ["93.184.216.34", "192.168.1.1"], "meta.example": ["169.254.169.254"], "localhost": ["127.0.0.1"],
    "www.eu.shop.example": ["93.184.216.34"],
}  # fmt: skip


async def resolve(host: str, port: int) -> Sequence[str]:
    if host not in KNOWN:
        raise LoadError(f"there is no host {host}")
    return KNOWN[host]


@pytest.mark.parametrize(
    ("start", "opened"),
    [("127.1:8801/a", "http://127.0.0.1:8801/a"), ("b\u00fccher.example/x", "https://xn--bcher-kva.example/x")],
)
async def test_a_start_address_is_written_as_browsers_write_it(start: str, opened: str) -> None:
    guard = NetworkGuard(start)
    assert guard.start == opened
    assert guard.is_named(opened)


@pytest.mark.parametrize("start", ["javascript:alert(1)", "about:blank"])
def test_an_address_of_another_kind_is_no_web_page(start: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a web page"):
        NetworkGuard(start)


async def refusal(start: str, url: str, *allow: str, navigates: bool = True, resources: bool = False) -> str:
    with live_requests(True):
        guard = NetworkGuard(start, allow, resources=resources, resolve=resolve)
        return await guard.refusal(url, navigates=navigates)


@pytest.mark.parametrize(
    ("start", "url", "allow"),
    [
        ("https://shop.example/a", "https://shop.example/b?c", ()),
        ("shop.example", "https://shop.example/", ()),
        ("https://shop.example", "https://cdn.example/", ("cdn.example",)),
        ("http://10.0.0.7", "http://10.0.0.7/", ()),
        ("http://shop.example", "https://shop.example/", ()),
        ("https://shop.example", "http://cdn.example/", ("http://cdn.example",)),
        ("https://shop.example", "wss://shop.example/chat", ()),
    ],
)
async def test_allowed_navigation(start: str, url: str, allow: tuple[str, ...]) -> None:
    assert await refusal(start, url, *allow) == ""


@pytest.mark.parametrize(
    ("start", "url", "allow"),
    [
        ("https://shop.example", "https://cdn.example/", ()),
        ("https://shop.example", "https://evilshop.example/", ("*.shop.example",)),
        ("http://localhost:8000", "http://localhost:9000/", ()),
        ("shop.example", "http://shop.example/", ()),
        ("shop.example", "https://shop.example.evil.example/", ("*.shop.example",)),
        ("shop.example", "https://shop.example./", ()),
        ("shop.example", "https://shop.example@evil.example/", ()),
        ("shop.example", "https://xn--shp-jya.example/", ()),
        ("shop.example", "ws://shop.example/", ()),
        ("https://shop.example", "http://cdn.example/", ("cdn.example",)),
        ("https://shop.example", "https://shop.example:8443/", ()),
        ("https://shop.example", "https://mixed.example/", ("mixed.example",)),
        ("https://shop.example", "https://unknown.example/", ("unknown.example",)),
        ("https://shop.example", "https://intra.example/", ("*.example",)),
    ],
)
async def test_refused_navigation(start: str, url: str, allow: tuple[str, ...]) -> None:
    assert await refusal(start, url, *allow)


async def test_a_private_host_that_only_a_pattern_allows_is_refused_with_what_to_do() -> None:
    said = await refusal("https://shop.example", "https://intra.example/", "*.example")
    assert "private address" in said
    assert said.endswith("allow intra.example by its name")
    assert "by its name" not in await refusal("https://shop.example", "https://meta.example/", "*.example")


@pytest.mark.parametrize(
    ("host", "public"),
    [("cdn.example", True), ("mixed.example", False), ("[::1]", False), ("unknown.example", False)],
)  # fmt: skip
async def test_resources_come_from_other_hosts_only_if_wanted_and_from_public_addresses_only(
    host: str, public: bool
) -> None:
    url = f"https://{host}/x.js"
    assert await refusal("https://shop.example", url.replace("https", "http"), navigates=False, resources=True)
    for start in ("https://shop.example", "http://localhost:8000"):
        assert (await refusal(start, url, navigates=False, resources=True) == "") is public
        assert "is not an allowed host" in await refusal(start, url, navigates=False)
        assert "is not an allowed host" in await refusal(start, url, resources=True)


async def test_a_host_is_resolved_once_so_that_it_cannot_move_to_another_machine() -> None:
    answers = [["93.184.216.34"], ["127.0.0.1"]]

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return answers.pop(0)

    guard = NetworkGuard("https://shop.example", resolve=rebinding)
    with live_requests(True):
        for _ in range(3):
            assert await guard.refusal("https://shop.example/", navigates=True) == ""
            assert await guard.addresses("https://shop.example/x") == ["93.184.216.34"]
        assert await guard.addresses("https://shop.example:8443/") == ["93.184.216.34"], "also where it is not named"


async def test_with_live_requests_off_other_machines_are_refused() -> None:
    guard = NetworkGuard("https://shop.example", resolve=resolve)
    assert "live requests are forbidden" in await guard.refusal("https://shop.example/", navigates=True)


@pytest.mark.parametrize("host", ["", "user@a.example", "ftp://a.example", "a.example/path"])
def test_an_invalid_host_is_a_usage_error(host: str) -> None:
    with pytest.raises(UsageError):
        Origin.parse(host)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("bank.example", "https://bank.example"),
        ("http://bank.example", "http://bank.example"),
        ("BANK.example:8443", "https://bank.example:8443"),
        ("127.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:80", "http://[::1]"),
    ],
)
def test_a_host_means_https_unless_the_user_wrote_http(written: str, meant: str) -> None:
    assert str(Origin.parse(written)) == meant


async def test_what_would_not_be_encrypted_is_refused_with_the_reason() -> None:
    said = await refusal("bank.example", "http://bank.example/login")
    assert said == "http://bank.example is not an allowed host: it would not be encrypted, only https is allowed there"


class Gate:
    """Lets the hosts in ``known`` through, to these addresses, and notes what it was asked."""

    def __init__(self, **known: str) -> None:
        self.known = known
        self.asked: list[tuple[str, bool]] = []
        self.failures: list[str] = []

    async def addresses(self, url: str, *, socket: bool) -> Sequence[str]:
        self.asked.append((url, socket))
        host = url.partition("//")[2].partition(":")[0].partition(".")[0]
        if host not in self.known:
            raise LoadError(f"{host} is not allowed")
        return [self.known[host]]

    def failed(self, url: str, reason: str) -> None:
        self.failures.append(url)


async def ask(proxy: FilteringProxy, request: str, *, sockets: bool = False) -> str:
    """Send a request to the proxy and return all that comes back until it closes the connection."""
    web, own = re.findall(r"127\.0\.0\.1:(\d+)", proxy.browser_flags()[0])[1:]
    reader, writer = await asyncio.open_connection("127.0.0.1", int(own if sockets else web))
    writer.write(request.encode())
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer.decode()


async def test_a_request_goes_to_the_address_of_the_gatekeeper_and_the_connection_is_closed_after_it() -> None:
    with recorder({"/a": "found"}) as here:
        port = here.host.partition(":")[2]
        async with FilteringProxy() as proxy:
            proxy.gatekeeper = gate = Gate(shop="127.0.0.1")
            body = "Content-Length: 2\r\nConnection: keep-alive\r\nProxy-Connection: keep-alive\r\n\r\nhi"
            answer = await ask(proxy, f"POST http://shop.test:{port}/a?b HTTP/1.1\r\nHost: shop.test\r\n{body}")
        assert here.got == ["POST /a?b hi"]
    assert answer.startswith("HTTP/1.0 200")
    assert "connection: close" in answer.lower()
    assert answer.endswith("\r\n\r\nfound")
    assert gate.asked == [(f"http://shop.test:{port}/a?b", False)]


async def test_a_tunnel_is_opened_and_sockets_are_told_apart_by_their_port() -> None:
    with recorder({"/a": "found"}) as here:
        port = here.host.partition(":")[2]
        async with FilteringProxy() as proxy:
            proxy.gatekeeper = gate = Gate(shop="127.0.0.1")
            inner = "GET /a HTTP/1.0\r\nHost: shop.test\r\n\r\n"
            for sockets in (False, True):
                head = f"CONNECT shop.test:{port} HTTP/1.1\r\n\r\n"
                answer = await ask(proxy, head + inner, sockets=sockets)
                assert answer.startswith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200")
    assert gate.asked == [(f"https://shop.test:{port}/", False), (f"ws://shop.test:{port}/", True)]


async def test_a_tunnel_that_is_open_is_closed_when_the_proxy_is_shut() -> None:
    with recorder({"/a": "found"}) as here:
        port = here.host.partition(":")[2]
        async with FilteringProxy() as proxy:
            proxy.gatekeeper = Gate(shop="127.0.0.1")
            web = re.findall(r"127\.0\.0\.1:(\d+)", proxy.browser_flags()[0])[0]
            reader, writer = await asyncio.open_connection("127.0.0.1", int(web))
            writer.write(f"CONNECT shop.test:{port} HTTP/1.1\r\n\r\n".encode())
            await reader.readuntil(b"\r\n\r\n")
            await proxy.shut()
            writer.write(b"POST /a HTTP/1.0\r\n\r\n")
            assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()
        assert here.got == []


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET http://other.test/ HTTP/1.1", "403"),
        ("GET / HTTP/1.1", "400"),
        ("CONNECT shop.test:port HTTP/1.1", "400"),
        ("CONNECT shop.test:1 HTTP/1.1", "502"),
    ],
)
async def test_what_is_refused(request_line: str, status: str) -> None:
    async with FilteringProxy() as proxy:
        proxy.gatekeeper = gate = Gate(shop="127.0.0.1")
        assert (await ask(proxy, f"{request_line}\r\n\r\n")).split()[1] == status
        assert bool(gate.failures) == (status == "502")


async def test_hosts_whose_resources_were_not_loaded_are_listed_once() -> None:
    guard = NetworkGuard("https://shop.example", resolve=resolve)
    for path in "ab":
        guard.note_blocked(f"https://cdn.example/{path}.js")
    guard.note_blocked("https://shop.example/lamp.png")
    guard.note_blocked("chrome-extension://abc/lamp.png")
    assert list(guard.blocked_hosts) == ["https://cdn.example"]


async def test_without_a_gatekeeper_everything_is_refused() -> None:
    async with FilteringProxy() as proxy:
        assert "403 Forbidden" in await ask(proxy, "GET http://shop.test/ HTTP/1.1\r\n\r\n")
