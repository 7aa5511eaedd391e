"""Say which server gets a text and whether its price is known, before the text is sent there."""

from __future__ import annotations

from readagent.cli.screen import echo
from readagent.connection import is_local, price_of, server_of
from readagent.models.hosts import is_loopback
from readagent.settings import Settings


def announce_reading(settings: Settings) -> None:
    """Print on standard error which server gets the text, unless it is on this machine, and if its price is unknown."""
    server = server_of(settings)
    if server and not is_loopback(server):
        echo(f"sending the text to {server}", err=True)
    if not is_local(settings) and price_of(settings) is None:
        model = settings.model or settings.base_url
        echo(f"price unknown: add the price of {model} under [prices] in the settings to see costs", err=True)
