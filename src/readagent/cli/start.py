"""What to do next where no model is set, and the server that OPENAI_BASE_URL names."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from readagent.advice import as_options
from readagent.cli.options import settings_of
from readagent.cli.screen import echo
from readagent.connection import uses_own_server
from readagent.embedded.weights import steps_to_reader
from readagent.errors import UsageError
from readagent.models.hosts import redacted
from readagent.models.providers import ONLY_MODEL, OPENAI_URL, PROVIDERS, Keys, has_own_server, not_one_model, resolve
from readagent.models.server_info import Listing, listing_of, local_servers
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


_NAMED = 3  # models that a line names


def next_steps(settings: Settings) -> list[str]:
    """Return a line for each way to a model: which of them is ready, and what to run."""
    keys = Keys(os.environ, settings.home)
    return [
        f"with a key: {_with_key(keys)}",
        f"on this computer: {_on_this_computer(asyncio.run(local_servers()))}",
        f"offline: {offline_step(settings)}",
    ]


def about_server(settings: Settings) -> str:
    """Return what is to be known of the server whose address is set, where no model is."""
    url, server, key_name = set_server(settings)
    if server.models is None:
        return f"{url} {server.problem}; {as_options(remedy(server, key_name, '`base_url`'))}"
    if not server.models:
        return f"{url} lists no models"
    if len(server.models) == 1:
        return f"{url} has {server.models[0]}, which is used"
    return (
        f"{url} has {_listed(server.models)}; the first is used unless you name one: "
        f"readagent read FILE --model {server.models[1]}"
    )


def providers_with_key(keys: Mapping[str, str]) -> list[str]:
    """Return the providers whose key is set."""
    return [name for name, one in PROVIDERS.items() if one.key_set(keys)]


def offline_step(settings: Settings) -> str:
    """Return what to run for the offline reader."""
    return ", then: ".join(filter(None, [steps_to_reader(settings.home), "readagent read FILE"]))


def _with_key(keys: Mapping[str, str]) -> str:
    url, server = own_server(keys)
    if url:
        run = f"readagent read FILE --model openai/{server.models[0] if server.models else 'MODEL'}"
        if server.models:
            return f"{url} has {_listed(server.models)}; {'choose one: ' if len(server.models) > 1 else ''}{run}"
        if server.models is None and server.problem != "does not list its models":
            todo = remedy(server, PROVIDERS["openai"].key_name, OPENAI_URL)
            return f"{url} ({OPENAI_URL}) {server.problem}; {todo}, then: {run}"
        return f"{url} ({OPENAI_URL}) {server.problem or 'lists no models'}; {run}"
    found = providers_with_key(keys)
    name = found[0] if found else "openai"
    provider = PROVIDERS[name]
    run = f"readagent read FILE --model {name}/{provider.usual}"
    return f"{provider.key_set(keys)} is set; {run}" if found else f"set {provider.key_name}, then: {run}"


def _on_this_computer(servers: Mapping[str, Sequence[str]]) -> str:
    name, models = next(((name, models) for name, models in servers.items() if models), ("ollama", ()))
    if models:
        return f"{name} has {_listed(models)}; readagent read FILE --model {name}/{models[0]}"
    usual = PROVIDERS["ollama"].usual
    missing = f"ollama pull {usual}" if "ollama" in servers else f"no server found; start Ollama, ollama pull {usual}"
    return f"{missing}, then: readagent read FILE --model ollama/{usual}"


def _listed(models: Sequence[str]) -> str:
    more = f" and {len(models) - _NAMED} more" if len(models) > _NAMED else ""
    return f"{', '.join(models[:_NAMED])}{more}"
