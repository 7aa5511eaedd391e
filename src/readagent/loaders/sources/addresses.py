"""Which hosts may be connected to: those on the public internet, unless private ones are explicitly allowed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from readagent.errors import LoadError

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_TRANSLATED = IPv6Network("64:ff9b::/96")  # NAT64: the last four bytes are the IPv4 address that is really reached
_SHARED = IPv4Network("100.64.0.0/10")  # carrier-grade NAT
_CLOUD_METADATA = frozenset(map(ip_address, ("169.254.169.254", "100.100.100.200", "fd00:ec2::254")))
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
    private = reached.is_private or reached.is_loopback or getattr(reached, "is_site_local", False)
    return reached.is_global and not private and not _is_reserved(reached)


def is_private(address: Address) -> bool:
    """Whether this is the own machine or its local network; not reserved ones, some of which give out credentials."""
    reached = _reached(address)
    return reached.is_loopback or ((reached.is_private or reached in _SHARED) and not _is_reserved(reached))


def _is_reserved(address: Address) -> bool:
    metadata = address in _CLOUD_METADATA
    return metadata or address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved


def _reached(address: Address) -> Address:
    """Return the IPv4 address that is really reached if one is embedded in an IPv6 address."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
