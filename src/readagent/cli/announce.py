"""Say which server gets a text, before it is sent there."""

from __future__ import annotations

from readagent.cli.screen import echo
from readagent.connection import server_of
from readagent.errors import LiveRequestError
from readagent.models.guard import check_allowed
from readagent.settings import Settings


def announce_server(settings: Settings) -> None:
    """Print on standard error which server gets the text; nothing if none does, or if it may not be called."""
    server = server_of(settings)
    if not server:
        return
    try:
        check_allowed(server)
    except LiveRequestError:  # the reading will say so
        return
    echo(f"sending the text to {server}", err=True)
