"""Pages from the web: what comes back, and what is refused before, while and after it is fetched."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

import httpx2
import pytest

from loaders.pages import CERTIFICATES, Page, Pages, packed, redirect, served
from readagent.errors import LoadError
from readagent.loaders import load
from readagent.loaders.sources.addresses import Resolve, is_at_home, is_public
from readagent.loaders.sources.source import Fetched
from readagent.loaders.sources.web import Limits, address_of, fetch_page

TEXT = b"Anna crossed the river at night, and nobody saw her.\n"
PUBLIC = "93.184.215.14"


@pytest.fixture
def site() -> Iterator[Pages]:
    with served() as site:
        site.pages |= {"/river.txt": Page(TEXT, headers={"Content-Type": "text/plain"})}
        yield site


def hosts(**addresses: Sequence[str]) -> Resolve:
    """Answers of a name server; what is not there is an address already."""

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


def test_a_page_is_a_document_with_its_address(site: Pages) -> None:
    document = load(f"{site.address}/river.txt#part-2", allow_private=True)
    assert document.text.encode() == TEXT
    assert (document.title, document.source) == ("river", f"{site.address}/river.txt")
    path, headers = site.asked[0]
    assert path == "/river.txt"
    assert headers["host"] == site.address.removeprefix("http://")
    assert headers["user-agent"].startswith("readagent/")
    assert "cookie" not in headers


def test_what_the_server_says_of_it_is_used(site: Pages) -> None:
    russian = "Анна перешла реку."
    said = {"Content-Type": "Text/HTML; charset=windows-1251", "Content-Disposition": 'inline; filename="../a b.html"'}
    site.pages |= {
        "/get?id=7": Page(russian.encode("cp1251"), headers=said),
        "/odd": Page(TEXT, headers={"Content-Type": "text/plain; charset=unicode_escape"}),
        "/dir/": Page(TEXT),
    }
    page = fetched(f"{site.address}/get?id=7")
    assert (page.data.decode("utf-8-sig"), page.content_type, page.name, page.title) == (
        russian, "text/html", "a b.html", "a b"
    )  # fmt: skip
    assert fetched(f"{site.address}/odd").data == TEXT
    assert fetched(f"{site.address}/dir/").name == "dir"
    site.pages["/"] = Page(TEXT)
    assert fetched(site.address).title == "127.0.0.1"


def test_redirects_are_followed_and_the_address_that_was_asked_for_is_kept(site: Pages) -> None:
    site.pages |= {"/old": redirect("new", 301), "/new": redirect(f"{site.address}/river.txt", 308)}
    page = fetched(f"{site.address}/old")
    assert page.data == TEXT
    assert (page.source, page.address) == (f"{site.address}/old", f"{site.address}/river.txt")
    assert load(f"{site.address}/old", allow_private=True).metadata["address"] == f"{site.address}/river.txt"


@pytest.mark.parametrize(
    ("to", "line"),
    [
        ("/again", "leads on and on"),
        ("file:///etc/passwd", "leads on to 'file'"),
        ("gopher://127.0.0.1/", "leads on to 'gopher'"),
        ("http://169.254.169.254/latest/meta-data/", "169.254.169.254 is a reserved address"),
        ("http://[::ffff:169.254.169.254]/", "a reserved address"),
        ("http://[fd00:ec2::254]/", "a reserved address"),
        ("http://0.0.0.0/", "a reserved address"),
        ("http://name:word@127.0.0.1/", "holds a name or a password"),
    ],
)
def test_where_a_redirect_may_not_lead(site: Pages, to: str, line: str) -> None:
    site.pages["/again"] = redirect(to)
    error = refused(f"{site.address}/again", allow_private=True)
    assert line in str(error)
    assert len(site.asked) <= 6


class Wire(httpx2.AsyncBaseTransport):
    """Stands in for the network: gives the responses it was given, and remembers the requests."""

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
    wire = Wire(httpx2.Response(200, content=TEXT))
    page = fetch_page("https://example.org:8443/a?b#c", resolve=hosts(example=[PUBLIC]), transport=wire)
    (request,) = wire.requests
    assert (page.data, page.source) == (TEXT, "https://example.org:8443/a?b")
    assert str(request.url) == f"https://{PUBLIC}:8443/a?b"
    assert request.headers["host"] == "example.org:8443"
    assert request.extensions["sni_hostname"] == "example.org"
    wire = Wire(httpx2.Response(200, content=TEXT))
    fetch_page("https://example.org/", resolve=hosts(example=["2606:2800::1"]), transport=wire)
    assert str(wire.requests[0].url) == "https://[2606:2800::1]/"


@pytest.mark.parametrize(
    "inner", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd12::1", "::ffff:192.168.1.1", "64:ff9b::7f00:1"]
)
def test_a_public_page_cannot_lead_to_a_private_one(inner: str) -> None:
    wire = Wire(httpx2.Response(302, headers={"Location": "https://inner.example/"}))
    where = hosts(outer=[PUBLIC], inner=[inner])
    error = refused("https://outer.example/", resolve=where, transport=wire)
    assert f"leads to {inner}" in str(error)
    assert len(wire.requests) == 1


def test_a_host_with_one_private_address_among_others_is_refused() -> None:
    wire = Wire()
    assert "10.0.0.7" in str(refused("http://both.example/", resolve=hosts(both=[PUBLIC, "10.0.0.7"]), transport=wire))
    assert wire.requests == []


def test_a_name_that_is_looked_up_again_may_not_change_its_mind() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    async def resolve(host: str, port: int) -> Sequence[str]:
        return next(answers)

    wire = Wire(httpx2.Response(302, headers={"Location": "/next"}), httpx2.Response(200, content=b"secret"))
    assert "127.0.0.1" in str(refused("http://rebinding.example/", resolve=resolve, transport=wire))
    assert [request.url.host for request in wire.requests] == [PUBLIC]


def test_a_secure_page_does_not_lead_to_an_open_one() -> None:
    wire = Wire(httpx2.Response(301, headers={"Location": "http://example.org/"}))
    error = refused("https://example.org/", resolve=hosts(example=[PUBLIC]), transport=wire)
    assert "anyone could alter" in str(error)
    assert "yourself" in error.hint


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/",
        "http://localhost/",
        "http://2130706433/",
        "http://127.1/",
        "http://[::1]/",
        "http://0x7f.1/",
    ],
)
def test_this_machine_is_not_fetched_from_unless_that_is_allowed(site: Pages, address: str) -> None:
    error = refused(address)
    assert "a private address" in str(error)
    assert "--allow-private" in error.hint
    assert "private address" in str(refused(site.address))
    assert site.asked == []


def test_which_addresses_are_public() -> None:
    public = "8.8.8.8 1.1.1.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::"
    home = (
        "127.0.0.1 10.1.2.3 192.168.1.1 172.16.0.1 100.64.0.1 ::1 fc00::1 ::ffff:127.0.0.1 64:ff9b::a00:1 2002:7f00:1::"
    )
    never = (
        "169.254.169.254 0.0.0.0 255.255.255.255 224.0.0.1 240.0.0.1 :: fe80::1 ff02::1 ::ffff:169.254.169.254 "
        "100.100.100.200 fd00:ec2::254"
    )
    assert [one for one in public.split() if not is_public(ip_address(one))] == []
    for one in (*home.split(), *never.split()):
        assert not is_public(ip_address(one)), one
    assert [one for one in home.split() if not is_at_home(ip_address(one))] == []
    assert [one for one in never.split() if is_at_home(ip_address(one))] == []


@pytest.mark.parametrize(
    ("status", "line", "hint"),
    [
        (404, "has no such page (404)", "spelt"),
        (403, "refuses to show it to programs (403)", "save the page"),
        (401, "wants a name and a password (401)", "save the page"),
        (429, "was asked too often (429)", "later"),
        (503, "failed (503)", "later"),
        (418, "status 418", "save the page"),
        (204, "status 204", "save the page"),
    ],
)
def test_a_page_that_is_not_there(site: Pages, status: int, line: str, hint: str) -> None:
    site.pages["/page"] = Page(status=status)
    error = refused(f"{site.address}/page", allow_private=True)
    assert line in str(error)
    assert hint in error.hint


def test_secrets_in_an_address_are_not_printed(site: Pages) -> None:
    assert "s3cret" not in str(refused(f"{site.address}/page?key=s3cret", allow_private=True))
    assert "s3cret" not in str(refused("https://anna:s3cret@example.org/"))


def test_an_empty_page_says_so(site: Pages) -> None:
    site.pages["/none.txt"] = Page()
    with pytest.raises(LoadError, match=r"none\.txt is empty"):
        load(f"{site.address}/none.txt", allow_private=True)


def test_what_is_packed_is_counted_unpacked(site: Pages) -> None:
    site.pages |= {"/bomb": packed(bytes(3_000_000)), "/twice": packed(TEXT, times=2), "/fine": packed(TEXT)}
    site.pages |= {"/odd": Page(TEXT, headers={"Content-Encoding": "br"})}
    site.pages |= {"/torn": Page(b"\x1f\x8b\x08 no", headers={"Content-Encoding": "gzip"})}
    limits = Limits(most_bytes=1_000_000)
    assert fetched(f"{site.address}/fine", limits=limits).data == TEXT
    assert "larger than 1 MB" in str(refused(f"{site.address}/bomb", allow_private=True, limits=limits))
    for path in ("twice", "odd"):
        assert "packed in a way" in str(refused(f"{site.address}/{path}", allow_private=True))
    assert "cannot be unpacked" in str(refused(f"{site.address}/torn", allow_private=True))


def test_a_page_that_is_too_large_is_not_even_begun(site: Pages) -> None:
    site.pages["/huge"] = Page(TEXT, headers={"Content-Length": "999999999999"}, silent=True)
    assert "larger than 100 MB" in str(refused(f"{site.address}/huge", allow_private=True))


def test_a_server_that_falls_silent_or_takes_too_long(site: Pages) -> None:
    site.pages["/slow"] = Page(TEXT, headers={"Content-Length": "1000"}, silent=True)
    silence = refused(f"{site.address}/slow", allow_private=True, limits=Limits(silence=0.1))
    assert "sent nothing for 0.1 seconds" in str(silence)
    late = refused(f"{site.address}/slow", allow_private=True, limits=Limits(seconds=0.1))
    assert "took longer than 0.1 seconds" in str(late)


def test_a_line_that_breaks_is_told_and_gives_no_half_page(site: Pages) -> None:
    site.pages["/half"] = Page(TEXT, headers={"Content-Length": "1000"})
    assert "broke" in str(refused(f"{site.address}/half", allow_private=True))


def test_nobody_answers() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        error = refused(f"http://127.0.0.1:{held.getsockname()[1]}/", allow_private=True)
    assert "nobody answers at 127.0.0.1" in str(error)


def test_another_address_of_the_host_is_tried() -> None:
    wire = Wire(httpx2.ConnectError("no way there"), httpx2.Response(200, content=TEXT))
    both = hosts(both=["2606:2800::1", PUBLIC])
    assert fetch_page("http://both.example/", resolve=both, transport=wire).data == TEXT
    assert [request.url.host for request in wire.requests] == ["2606:2800::1", PUBLIC]


def test_a_host_that_is_not_there() -> None:
    assert "there is no host reading.invalid" in str(refused("https://reading.invalid/"))


@pytest.mark.parametrize(
    "address",
    ["http://", "http:///path", "https://[::1", "http://a b/", "http://exa\nmple.org/", "http://" + "a" * 70_000],
)
def test_what_is_no_address(address: str) -> None:
    refused(address, resolve=hosts())


def test_an_address_has_one_spelling() -> None:
    assert address_of("HTTPS://Example.org:443/a?b=1#c") == "https://example.org/a?b=1"


def test_certificates_are_checked_against_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    here = hosts(reading=["127.0.0.1"], other=["127.0.0.1"])
    with served(secure=True) as site:
        site.pages["/page"] = Page(TEXT)
        page = f"https://reading.test:{site.port}/page"
        error = refused(page, allow_private=True, resolve=here)
        assert "reading.test does not prove who it is" in str(error)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
        assert fetched(page, resolve=here).data == TEXT
        other = refused(page.replace("reading.test", "other.test"), allow_private=True, resolve=here)
        assert "other.test does not prove who it is" in str(other)
        open_page = page.replace("https", "http")
        assert "the line to reading.test broke" in str(refused(open_page, allow_private=True, resolve=here))
    with served() as site:
        assert "no secure connection" in str(refused(site.address.replace("http", "https"), allow_private=True))


def test_proxies_in_the_environment_are_not_used(site: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert fetched(f"{site.address}/river.txt").data == TEXT


def test_offline_means_offline(site: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_OFFLINE", "1")
    error = refused("https://example.org/", resolve=hosts(example=[PUBLIC]), transport=Wire())
    assert "READAGENT_OFFLINE is set" in str(error)
    assert fetched(f"{site.address}/river.txt").data == TEXT


@pytest.mark.anyio
async def test_it_also_works_where_a_loop_runs(site: Pages) -> None:
    assert asyncio.get_running_loop().is_running()
    assert fetched(f"{site.address}/river.txt").data == TEXT
