"""The filtering proxy without a browser: what it passes on, to whom, and what it refuses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest

from browse.live.recorder import recorder
from readagent.errors import LoadError
from readagent_browse.live.proxy import FilteringProxy

pytestmark = pytest.mark.anyio


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


async def test_without_a_gatekeeper_everything_is_refused() -> None:
    async with FilteringProxy() as proxy:
        assert "403 Forbidden" in await ask(proxy, "GET http://shop.test/ HTTP/1.1\r\n\r\n")
