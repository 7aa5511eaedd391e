"""The server that OPENAI_BASE_URL names, and its only model where no model is set."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from readagent.cli.options import settings_of
from readagent.cli.screen import echo
from readagent.connection import uses_own_server
from readagent.errors import UsageError
from readagent.models.hosts import redacted
from readagent.models.keys import Keys
from readagent.models.local_servers import Listing, listing_of
from readagent.models.own_server import ONLY_MODEL, has_own_server, not_one_model
from readagent.models.providers import OPENAI_URL, PROVIDERS, resolve
from readagent.settings import Settings

_SECONDS = 3.0  # to list its models


def own_server(keys: Mapping[str, str]) -> tuple[str, Listing]:
    """Return the server that OPENAI_BASE_URL names, and its models. It is "" if the variable is not set."""
    if not has_own_server(keys):
        return "", Listing([])
    target = resolve(ONLY_MODEL, None, keys)
    return redacted(target.base_url), asyncio.run(listing_of(target.base_url, target.key, _SECONDS))


def set_server(settings: Settings) -> tuple[str, Listing, str]:
    """Return the server whose address is set, its models, and the variable that its key is taken from."""
    target = resolve("", settings.base_url, Keys(os.environ, settings.home), settings.key_server)
    return redacted(target.base_url), asyncio.run(listing_of(target.base_url, target.key, _SECONDS)), target.key_name


def settings_with_model(flags: dict[str, Any], *, required: bool = True) -> Settings:
    """Return the settings in force; where they name no model, with the only model of the user's own server.

    If it has several, that is an error where a model is ``required``. The offline reader comes before the server where
    it is installed: no text is sent that was not sent before.
    """
    settings = settings_of(flags)
    if not uses_own_server(settings):
        return settings
    url, found = own_server(Keys(os.environ, settings.home))
    if found.models is not None and len(found.models) == 1:
        echo(f"using {found.models[0]}, the only model of {url} ({OPENAI_URL})", err=True)
        return replace(settings, model=f"openai/{found.models[0]}")
    if url and required:
        _refuse(url, found)
    return settings


def remedy(found: Listing, key_name: str, address: str) -> str:
    """Return what to do about a server that does not list its models; ``address`` is where its address is set."""
    match found.problem:
        case "does not answer":
            return f"start the server, or correct its address in {address}"
        case "needs a key":
            return f"set {key_name} to a key of that server"
        case "does not accept the key":
            return f"set {key_name} to another key of that server"
    return "name a model with `model`"


def _refuse(url: str, found: Listing) -> NoReturn:
    if found.models is None:
        raise UsageError(
            f"no model was named, and {url} ({OPENAI_URL}) {found.problem}",
            hint=remedy(found, PROVIDERS["openai"].key_name, OPENAI_URL),
        )
    raise not_one_model(url, found.models)
