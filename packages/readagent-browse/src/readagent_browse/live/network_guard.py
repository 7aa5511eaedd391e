"""NetworkGuard: only allowed origins are contacted, and private addresses only if the user named the host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from readagent.errors import LiveRequestError, LoadError, UsageError
from readagent.loaders.sources.addresses import ForbiddenAddressError, Resolve, allowed_addresses, is_public, resolve
from readagent.models.hosts import check_allowed, is_ip_address
from readagent_browse.live.origin import Origin, canonical, split, with_scheme

_OTHER = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d|//)", re.I)  # javascript:, mailto:
_LOCAL = ("about", "blob", "data")  # schemes without a request


class NetworkGuard:
    """Decides which requests of the browser are made. The origin of ``start``, which is ``home``, is always allowed.

    Other origins than the allowed ones are not contacted, except for the resources of pages if ``resources`` is true.
    Each host is resolved once. Private addresses are for hosts that the user named, reserved ones for none.
    ``blocked_hosts`` are the origins from which resources were not loaded.
    """

    def __init__(
        self, start: str, allow: Iterable[str] = (), *, resources: bool = False, resolve: Resolve = resolve
    ) -> None:
        self.start = with_scheme(start)
        address = split(self.start) if not _OTHER.match(start) else urlsplit("")
        if address.scheme not in ("http", "https") or not address.hostname or re.search(r"\s", address.netloc):
            raise UsageError(f"{start!r} is not the address of a web page", hint="for example https://example.org/shop")
        if "@" in address.netloc:
            raise UsageError("the address must not contain a user name or password", hint="pass them with `secrets`")
        if (host := canonical(address.hostname)) != address.hostname:
            port = f":{address.port}" if address.port else ""
            address = address._replace(netloc=(f"[{host}]" if ":" in host else host) + port)
            self.start = address.geturl()
        self.home = Origin.parse(f"{address.scheme}://{address.netloc}")
        self.allowed = (self.home, *map(Origin.parse, allow))
        self.blocked_hosts: dict[str, None] = {}
        self._resources = resources
        self._resolve = resolve
        self._found: dict[str, Sequence[str]] = {}
        self._resolved: dict[tuple[str, bool], Sequence[str] | LoadError] = {}

    async def refusal(self, url: str, *, navigates: bool) -> str:
        """Return why a request is refused; empty if it is allowed. The model is shown the reason.

        ``navigates`` is whether the request loads a document, sends something or opens a WebSocket; others load a
        resource of a page.
        """
        origin, scheme = Origin.of(url), urlsplit(url).scheme
        if origin is None:
            return "" if scheme in _LOCAL else f"{scheme}: is no web address"
        if not self._is_allowed(origin) and (navigates or not self._gives_resources(origin)):
            return f"{origin} is not an allowed host{self._named_encrypted(origin)}"
        try:
            check_allowed(url)
            await self.addresses(url)
        except (ValueError, LiveRequestError, LoadError) as error:
            return str(error)
        return ""

    def is_named(self, url: str) -> bool:
        """Return whether the user named the origin of a URL: as the start address, or as an allowed host."""
        origin = Origin.of(url)
        return origin is not None and self._is_allowed(origin)

    def note_blocked(self, url: str) -> None:
        """Add the origin of a URL to ``blocked_hosts``, unless it is allowed."""
        if (origin := Origin.of(url)) and not self._is_allowed(origin):
            self.blocked_hosts[str(origin)] = None

    async def addresses(self, url: str) -> Sequence[str]:
        """Return the network addresses of the host of a URL, the same ones during the whole visit.

        Raise LoadError if there are none or if they are refused.
        """
        origin = Origin.of(url)
        if origin is None:
            raise LoadError("this is no web address")
        host = origin.host
        named = any(one.covers(origin) and not one.is_pattern for one in self.allowed)
        if (host, named) not in self._resolved:
            try:
                self._resolved[host, named] = await self._checked_addresses(host, named)
            except ForbiddenAddressError as error:
                by_pattern = self._is_allowed(origin) and bool(error.hint)  # a reserved address has none
                self._resolved[host, named] = LoadError(f"{error}; allow {host} by its name") if by_pattern else error
            except LoadError as error:
                self._resolved[host, named] = error
        found = self._resolved[host, named]
        if isinstance(found, LoadError):
            raise found
        return found

    async def _checked_addresses(self, host: str, named: bool) -> Sequence[str]:
        resolve = _as_given if is_ip_address(host) else self._resolve_once
        found = await allowed_addresses(host, 443, allow_private=named, resolve=resolve)
        if len({is_public(ip_address(one.partition("%")[0])) for one in found}) > 1:
            raise LoadError(f"{host} has public and private addresses")
        return found

    async def _resolve_once(self, host: str, port: int) -> Sequence[str]:
        if host not in self._found:
            self._found[host] = await self._resolve(host, port)
        return self._found[host]

    def _is_allowed(self, origin: Origin) -> bool:
        return any(allowed.covers(origin) for allowed in self.allowed)

    def _gives_resources(self, origin: Origin) -> bool:
        """Return whether resources may come from any origin like this one: unencrypted ones only to such pages."""
        return self._resources and (origin.scheme == "https" or self.home.scheme == "http")

    def _named_encrypted(self, origin: Origin) -> str:
        is_downgrade = origin.scheme == "http" and self._is_allowed(origin.encrypted)
        return ": it would not be encrypted, only https is allowed there" if is_downgrade else ""


async def _as_given(host: str, port: int) -> Sequence[str]:
    return [host]
