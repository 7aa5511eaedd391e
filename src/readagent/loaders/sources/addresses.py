"""Which machines pages may be fetched from: those on the public network, unless others are allowed explicitly."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from readagent.errors import LoadError

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_TRANSLATED = IPv6Network("64:ff9b::/96")  # the last four bytes are the IPv4 address that is really reached
_SHARED = IPv4Network("100.64.0.0/10")  # of an internet provider's network
_METADATA = frozenset(map(ip_address, ("169.254.169.254", "100.100.100.200", "fd00:ec2::254")))  # of cloud machines
_SPELT = "check how the address is spelt"
_MOST = 4  # addresses of one host that are tried


async def resolve(host: str, port: int) -> list[str]:
    """The network addresses of a host, as the system knows them."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None)):
            raise LoadError(f"there is no host {host}", hint=_SPELT) from error
        raise LoadError(f"the host {host} cannot be looked up", hint="is there a network?") from error
    except (UnicodeError, OSError) as error:
        raise LoadError(f"the host {host} cannot be looked up", hint=_SPELT) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def allowed(host: str, port: int, *, allow_private: bool, resolve: Resolve = resolve) -> list[str]:
    """The addresses of a host to connect to. All of them must be public, or private ones must be allowed."""
    found = await resolve(host, port)
    if not found:
        raise LoadError(f"there is no host {host}", hint=_SPELT)
    for one in found:
        try:
            address = ip_address(one)
        except ValueError:
            raise LoadError(f"the host {host} cannot be looked up", hint=_SPELT) from None
        where = f"{host} is" if one == host else f"{host} leads to {one},"
        if is_public(address):
            continue
        if not is_at_home(address):
            raise LoadError(f"{where} a reserved address, which is never fetched from")
        if not allow_private:
            hint = "if you trust it, allow it: readagent read --allow-private, or allow_private=True"
            raise LoadError(f"{where} a private address, which is not fetched from", hint=hint)
    return list(found[:_MOST])


def is_public(address: Address) -> bool:
    """Whether anyone on the internet would reach the same machine there."""
    reached = _reached(address)
    home = reached.is_private or reached.is_loopback or getattr(reached, "is_site_local", False)
    return reached.is_global and not home and not _is_odd(reached)


def is_at_home(address: Address) -> bool:
    """Whether it is this machine or one of its network; not the odd ones, of which some give out a machine's keys."""
    reached = _reached(address)
    return reached.is_loopback or ((reached.is_private or reached in _SHARED) and not _is_odd(reached))


def _is_odd(address: Address) -> bool:
    metadata = address in _METADATA
    return metadata or address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved


def _reached(address: Address) -> Address:
    """The IPv4 address that is really reached, where one is wrapped in an IPv6 address."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
