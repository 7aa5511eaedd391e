"""Which model there is on this computer: servers, keys and weights; and whether one answers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readagent.connection import endpoint_of, is_local
from readagent.embedded.weights import WEIGHTS, state, steps_to_reader
from readagent.models.hosts import redacted
from readagent.models.providers import ONLY_MODEL, OPENAI_URL, PROVIDERS, Keys, has_own_server, resolve
from readagent.models.server_info import Listing, ProbeReport, listing_of, local_servers, probe
from readagent.settings import Settings

LOCAL = "local"  # the offline reader
_SECONDS = 3.0  # to list the models of a server
_LONGEST = 60.0  # seconds for the first reply; a server may have to load the model
_NAMED = 3  # models that a line names


async def own_server(keys: Mapping[str, str]) -> tuple[str, Listing]:
    """Return the server that OPENAI_BASE_URL names, and its models. It is "" if the variable is not set."""
    if not has_own_server(keys):
        return "", Listing([])
    target = resolve(ONLY_MODEL, None, keys)
    return redacted(target.base_url), await listing_of(target.base_url, target.key, _SECONDS)


def remedy(found: Listing) -> str:
    """Return what to do about the server of OPENAI_BASE_URL if it does not list its models; "" if it may still work."""
    match found.problem:
        case "does not answer":
            return f"start the server, or correct its address in {OPENAI_URL}"
        case "needs a key":
            return f"set {PROVIDERS['openai'].key_name} to a key of that server"
        case "does not accept the key":
            return f"set {PROVIDERS['openai'].key_name} to another key of that server"
    return ""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to a model that was found: the name of the model, and what is still ``missing`` before it can be used."""

    about: str
    model: str
    missing: str = ""


def ways(settings: Settings) -> list[Way]:
    """Return every way to a model that is found: servers, keys, and weights, the best one first."""
    return asyncio.run(_found(settings))


async def _found(settings: Settings) -> list[Way]:
    keys = Keys(os.environ, settings.home)
    (url, own), servers = await asyncio.gather(own_server(keys), local_servers())
    return [*_own(url, own), *_servers(servers), *_keys(keys, url), *_weights(settings)]


def _own(url: str, found: Listing) -> Iterator[Way]:
    if found.models:
        yield Way(f"{url} ({OPENAI_URL}) with {listed(found.models)}", f"openai/{found.models[0]}")
    elif url:
        todo = remedy(found) or "set READAGENT_MODEL to one of its models: openai/MODEL"
        yield Way(f"{url} ({OPENAI_URL}), which {found.problem or 'lists no models'}", "openai/", todo)


def _servers(servers: Mapping[str, Sequence[str]]) -> Iterator[Way]:
    for name, models in servers.items():
        if models:
            yield Way(f"{name} on this computer with {listed(models)}", f"{name}/{models[0]}")
        else:
            todo = f"ollama pull {PROVIDERS[name].usual}" if PROVIDERS[name].usual else "load a model in it"
            yield Way(f"{name} on this computer, which has no model", f"{name}/", todo)


def _keys(keys: Mapping[str, str], own_url: str) -> Iterator[Way]:
    for name, provider in PROVIDERS.items():
        if (variable := provider.key_set(keys)) and not (name == "openai" and own_url):
            yield Way(f"{variable}, a key for models such as {name}/{provider.usual}", f"{name}/{provider.usual}")


def _weights(settings: Settings) -> Iterator[Way]:
    states = state(settings.home)
    for name, weights in WEIGHTS.items():
        if weights.optional and states[name] == "ready":
            yield Way(f"{name}, a language model that was downloaded", name)
    if not steps_to_reader(settings.home):
        yield Way("the offline reader, which finds and quotes passages and does not reason", LOCAL)


def listed(models: Sequence[str]) -> str:
    """Return the first names of a list of models."""
    more = f" and {len(models) - _NAMED} more" if len(models) > _NAMED else ""
    return f"{', '.join(models[:_NAMED])}{more}"


async def probed(settings: Settings, keys: Keys | None = None) -> ProbeReport:
    if is_local(settings):
        from readagent.embedded.check import check

        reader = (await check(settings.home))[-1]
        return ProbeReport(reader.works, seconds=reader.seconds or 0, error=reader.detail, hint=reader.hint)
    endpoint = endpoint_of(settings, keys=keys)
    try:
        async with asyncio.timeout(_LONGEST):
            return await probe(endpoint, quick=True)
    except TimeoutError:
        said = f"{endpoint.base_url} has not replied for {_LONGEST:.0f} seconds"
        return ProbeReport(model=endpoint.model, error=said, hint="if it is still loading the model, try again")
    finally:
        await endpoint.aclose()
