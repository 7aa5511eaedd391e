"""What the commands share that listen for other programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeVar

import click

from readagent.advice import missing_extra
from readagent.cli.options import combined
from readagent.cli.screen import echo
from readagent.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_ADDRESS = re.compile(r"\d+(\.\d+){3}|.*:.*", re.DOTALL)
_LEAST = 16  # characters of a token for other machines


def check_token(host: str, token: str, own: bool, variable: str) -> None:
    """Refuse to serve other machines without a token that cannot be guessed, or on what is no address."""
    if own:
        return
    if _ADDRESS.fullmatch(host):
        try:
            ip_address(host)
        except ValueError:
            hint = "use an address of this machine: 127.0.0.1 for itself, 0.0.0.0 for others too"
            raise UsageError(f"{host} is not an IP address", hint=hint) from None
    if not token:
        raise UsageError(
            f"{host} lets other machines in, so a token of your own is needed", hint=f"set {variable}, or use --token"
        )
    if len(token) < _LEAST:
        raise UsageError(f"the token must have at least {_LEAST} characters", hint="take random ones")


def address_options(port: int) -> Callable[[F], F]:
    """Return what adds to a command where its server listens, and under which names."""
    return combined((
        click.option("--host", default="127.0.0.1", show_default=True, metavar="HOST", help="Address to listen on."),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=port, show_default=True, metavar="N",
            help="Port to listen on; 0 for any free one.",
        ),
        click.option(
            "--allow-host", "hosts", multiple=True, metavar="NAME",
            help="Also answer under this host name, at any port; repeatable.",
        ),
    ))  # fmt: skip


def allow_options(about: str) -> Callable[[F], F]:
    """Return what adds to a command which files and addresses clients may name."""
    return combined((
        click.option(
            "--allow", "folders", multiple=True, metavar="FOLDER",
            type=click.Path(path_type=Path, file_okay=False, exists=True), help=about,
        ),
        click.option(
            "--allow-private", is_flag=True, help="Let clients load URLs on this machine and the local network."
        ),
    ))  # fmt: skip


def require_packages(command: str, *packages: str, extra: str = "") -> None:
    """Raise an error that says how to install what a command needs, if one of these packages is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise missing_extra(f"`readagent {command}`", package, extra or command)


def warn_of_no_tls() -> None:
    """Say that others can read what a server sends to other machines."""
    echo(
        "warning: there is no TLS here: others on the network can read everything; "
        "use an SSH tunnel, or a proxy with TLS",
        err=True,
    )
