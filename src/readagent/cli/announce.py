"""Say which server gets a text, before it is sent there."""

from __future__ import annotations

from readagent.cli.screen import echo
from readagent.connection import server_of
from readagent.models.hosts import is_loopback
from readagent.settings import Settings


def announce_server(settings: Settings) -> None:
    """Print on standard error which server gets the text; nothing if it stays on this machine."""
    server = server_of(settings)
    if server and not is_loopback(server):
        echo(f"sending the text to {server}", err=True)
