"""What is said before a text is read: which server gets it, and whether its price is unknown."""

from __future__ import annotations

from readagent.cli.screen import echo
from readagent.connection import is_local, price_of, server_of
from readagent.errors import LiveRequestError
from readagent.models.guard import check_allowed
from readagent.settings import Settings


def announce_reading(settings: Settings) -> None:
    """Print it on standard error; nothing about a server if there is none, or if it may not be called."""
    server = server_of(settings)
    if server and _may_be_called(server):
        echo(f"sending the text to {server}", err=True)
    if not is_local(settings) and price_of(settings) is None:
        model = settings.model or settings.base_url
        echo(f"price unknown: add the price of {model} under [prices] in the settings to see costs", err=True)


def _may_be_called(server: str) -> bool:
    try:
        check_allowed(server)
    except LiveRequestError:  # the reading will say so
        return False
    return True
