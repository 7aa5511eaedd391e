"""The URL of a library on PostgreSQL: how it is told from a path, what is ours in it, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

from readagent.errors import UsageError

_DATABASE = ("postgresql://", "postgres://")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:/")  # C:/ is a drive
_SETTINGS = re.compile(r"(?:^|\s)(?:host|hostaddr|dbname|password|service)\s*=")  # libpq's other form
_SCHEMA = "readagent"
_TENANT = re.compile(r"[a-z0-9][a-z0-9_]{0,47}")
_SERVER = re.compile(r"(?:\[[0-9a-fA-F:.%]+\]|[^:\[\]]*)(?::\d*)?")
_OPTION = re.compile(r"[a-z][a-z_]{0,39}")
_OWN = ("tenant", "pool_size")  # options that PostgreSQL does not know
_MOST_CONNECTIONS = 8  # of one process
_DEFAULTS = {
    "connect_timeout": "10",
    "application_name": "readagent",
    "target_session_attrs": "read-write",  # of several hosts, the one that is not a standby
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
_EXAMPLE = "for example postgresql://user@host/name; in a password, / is written %2F and @ is written %40"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a library is. ``url`` is what psycopg gets, with the password if there is one; ``name`` has none."""

    url: str = field(repr=False)
    name: str
    schema: str
    connections: int


def is_database_url(place: str | Path) -> bool:
    """Return whether a library is in a PostgreSQL database, and not in a file. Raise UsageError for any other URL."""
    if str(place).strip().startswith(_DATABASE):
        return True
    if _SETTINGS.search(str(place)):
        raise UsageError("a library on PostgreSQL is given as a URL, not as settings", hint=_EXAMPLE)
    if found := _URL.match(str(place)):
        raise UsageError(
            f"a library cannot be at a URL that begins with {found[0]}",
            hint="give a folder, a file that ends in .db, or postgresql://user@host/name",
        )
    return False


def url_or_path(named: str | PathLike[str]) -> str | Path:
    """Return the URL of a library as it is, and a path with the home folder in place of ``~``."""
    place = fspath(named)
    return place if is_database_url(place) else Path(place).expanduser()


def place_of(url: str, tenant: str = "") -> Place:
    """Return where the library with this URL is. Nothing of a URL that is not valid is in the error."""
    scheme, _, rest = url.strip().partition("://")
    address, _, query = rest.partition("?")
    try:
        options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise UsageError("the URL of the library is not valid after the question mark", hint=_EXAMPLE) from None
    user, _, hosts = address.partition("/")[0].rpartition("@")
    legal = "#" not in address and "@" not in user + address.partition("/")[2]
    legal = legal and all(map(_SERVER.fullmatch, hosts.split(",")))
    if scheme not in ("postgresql", "postgres") or not legal:
        raise UsageError("the URL of the library is not valid", hint=_EXAMPLE)
    named = options.pop("tenant", "")
    if tenant and named and tenant != named:
        raise UsageError(
            f"the URL of the library names the tenant {named}, and the settings name {tenant}",
            hint="name one: leave it out of the URL, or unset READAGENT_TENANT",
        )
    tenant = tenant or named
    if tenant and not _TENANT.fullmatch(tenant):
        raise UsageError(
            f"{tenant!r} cannot be the name of a tenant",
            hint="a name has up to 48 lower-case letters, digits and underscores",
        )
    connections = options.pop("pool_size", str(_MOST_CONNECTIONS))
    if not connections.isdecimal() or not int(connections):
        raise UsageError("pool_size must be a whole number of at least 1", hint=f"it is {_MOST_CONNECTIONS} by default")
    full = f"postgresql://{address}?{urlencode({**_DEFAULTS, **options}, quote_via=quote)}"
    schema = f"{_SCHEMA}_{tenant}" if tenant else _SCHEMA
    return Place(full, _shown(address, tenant), schema, int(connections))


def invalid(place: Place, known: Collection[str]) -> UsageError:
    """Return the error for a URL that is refused; it names an option that is none of PostgreSQL's, which are known.

    What follows the question mark is not shown if it may be a part of a password.
    """
    options = dict(parse_qsl(place.url.partition("?")[2], keep_blank_values=True))
    unknown = [name for name in options if name not in known and _OPTION.fullmatch(name)]
    if not unknown or any("@" in one for pair in options.items() for one in pair):
        return UsageError("the URL of the library is not valid", hint=_EXAMPLE)
    hint = f"use options of PostgreSQL, such as sslmode, or {' and '.join(_OWN)}"
    near = get_close_matches(unknown[0], [*_OWN, *known], 1)
    return UsageError(
        f"the URL of the library has an unknown option: {unknown[0]}",
        hint=f"did you mean {near[0]}?" if near else hint,
    )


def read_only_too(place: Place) -> Place:
    """Return a place whose servers need not be writable."""
    return replace(place, url=place.url.replace("target_session_attrs=read-write", "target_session_attrs=any"))


def _shown(address: str, tenant: str) -> str:
    """Return the URL without password and options, which may hold one."""
    user, at, host = address.rpartition("@")
    name = user.partition(":")[0]
    return f"postgresql://{name}{at}{host}" + (f"?tenant={tenant}" if tenant else "")
