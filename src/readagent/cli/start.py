"""What to do next where no model is set: with a key, with a server on this computer, or offline."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence

from readagent.cli.own_server import own_server, remedy, set_server
from readagent.embedded.loading import steps_to_reader
from readagent.models.keys import Keys
from readagent.models.local_servers import local_servers
from readagent.models.providers import OPENAI_URL, PROVIDERS
from readagent.option_names import as_options
from readagent.settings import Settings

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
