"""Which hosts may be connected to: those on the public internet, unless private ones are explicitly allowed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from readagent.errors import LoadError

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_TRANSLATED = IPv6Network("64:ff9b::/96")  # NAT64: the last four bytes are the IPv4 address that is really reached
_PRIVATE = tuple(
    map(
        ip_network,
        "127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 198.18.0.0/15 ::1/128 fc00::/7".split(),
    )
)  # the own machine, and networks behind a router or in a laboratory
# What else IANA's registries of special-purpose addresses list, whole blocks without their few anycast exceptions, and
# multicast. Python's `is_global` knows other rows in each version. Unicast IPv6 addresses are all in 2000::/3.
_RESERVED = tuple(
    map(
        ip_network,
        "0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24"
        " 192.175.48.0/24 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"
        " 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20".split(),
    )
)
_UNICAST = IPv6Network("2000::/3")
# Services inside a cloud that give out its machines' credentials, where no reserved block has them: of Alibaba, Azure,
# AWS, Google, Linode and Scaleway.
_CLOUD = tuple(
    map(
        ip_network,
        "100.100.100.200/32 168.63.129.16/32 fd00:ec2::/32 fd20:ce::/32 fd00:a9fe:a9fe::/48 fd00:42::42/128".split(),
    )
)
_CHECK_SPELLING = "check the spelling of the address"
_MAX_TRIED = 4  # addresses of one host


async def resolve(host: str, port: int) -> list[str]:
    """Return the network addresses of a host, as the system resolves them."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)):
            raise LoadError(f"unknown host: {host}", hint=_CHECK_SPELLING) from error
        raise LoadError(f"could not look up the host {host}", hint="check the network connection") from error
    except (UnicodeError, OSError) as error:
        raise LoadError(f"could not look up the host {host}", hint=_CHECK_SPELLING) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class ForbiddenAddressError(LoadError):
    """An address that is not on the public internet. Another try would end in the same way."""


async def allowed_addresses(host: str, port: int, *, allow_private: bool, resolve: Resolve = resolve) -> list[str]:
    """Return the addresses of a host to connect to; raise LoadError if one is private and that is not allowed."""
    found = await resolve(host, port)
    if not found:
        raise LoadError(f"unknown host: {host}", hint=_CHECK_SPELLING)
    for one in found:
        try:
            address = ip_address(one)
        except ValueError:
            raise LoadError(f"could not look up the host {host}", hint=_CHECK_SPELLING) from None
        where = f"{host} is" if one == host else f"{host} resolves to {one},"
        if is_public(address):
            continue
        if not is_private(address):
            raise ForbiddenAddressError(f"{where} a reserved address, which is never downloaded from")
        if not allow_private:
            hint = "if you trust it, use `allow_private=True`"
            raise ForbiddenAddressError(f"{where} a private address, which is not downloaded from", hint=hint)
    return list(found[:_MAX_TRIED])


def is_public(address: Address) -> bool:
    """Whether this address leads to the same machine from everywhere on the internet."""
    reached = _reached(address)
    unicast = reached.version == 4 or reached in _UNICAST
    return unicast and not any(reached in block for block in (*_PRIVATE, *_RESERVED, *_CLOUD))


def is_private(address: Address) -> bool:
    """Whether this is the own machine or its local network; not reserved ones, some of which give out credentials."""
    reached = _reached(address)
    return any(reached in block for block in _PRIVATE) and not any(reached in block for block in _CLOUD)


def _reached(address: Address) -> Address:
    """Return the IPv4 address that is really reached if one is embedded in an IPv6 address."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
