"""Which model there is: the one that is set, or what is found on this computer; it is checked before a text is sent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from readagent.advice import as_options
from readagent.cli.options import settings_of
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.connection import endpoint_of, is_local, uses_own_server
from readagent.embedded.weights import WEIGHTS, state, steps_to_reader
from readagent.errors import ReadAgentError, UsageError
from readagent.models.hosts import redacted
from readagent.models.providers import ONLY_MODEL, OPENAI_URL, PROVIDERS, Keys, has_own_server, not_one_model, resolve
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


def settings_with_model(flags: dict[str, Any], *, required: bool = True) -> Settings:
    """Return the settings in force; where they name no model, with the only model of the user's own server.

    If it has several, that is an error where a model is ``required``. The offline reader comes before the server where
    it is installed: no text is sent that was not sent before.
    """
    settings = settings_of(flags)
    if not uses_own_server(settings):
        return settings
    url, found = asyncio.run(own_server(Keys(os.environ, settings.home)))
    if found.models is not None and len(found.models) == 1:
        echo(f"using {found.models[0]}, the only model of {url} ({OPENAI_URL})", err=True)
        return replace(settings, model=f"openai/{found.models[0]}")
    if url and required:
        _refuse(url, found)
    return settings


def _remedy(found: Listing) -> str:
    """Return what to do about the server of OPENAI_BASE_URL if it does not list its models; "" if it may still work."""
    match found.problem:
        case "does not answer":
            return f"start the server, or correct its address in {OPENAI_URL}"
        case "needs a key":
            return f"set {PROVIDERS['openai'].key_name} to a key of that server"
        case "does not accept the key":
            return f"set {PROVIDERS['openai'].key_name} to another key of that server"
    return ""


def _refuse(url: str, found: Listing) -> NoReturn:
    if found.models is None:
        raise UsageError(
            f"no model was named, and {url} ({OPENAI_URL}) {found.problem}",
            hint=_remedy(found) or "name a model with `model`",
        )
    raise not_one_model(url, found.models)


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
        todo = _remedy(found) or "name one of its models: readagent read FILE --model openai/MODEL"
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


def checked(settings: Settings) -> ProbeReport:
    """Return what the model that the settings name replies to a request of a few words."""
    named = settings.model or redacted(settings.base_url)
    with Progress(doing=f"checking {named}"):
        try:
            return asyncio.run(_probed(settings))
        except ReadAgentError as error:
            return ProbeReport(model=named, error=str(error), hint=error.hint)


async def _probed(settings: Settings) -> ProbeReport:
    if is_local(settings):
        from readagent.embedded.check import check

        reader = (await check(settings.home))[-1]
        return ProbeReport(reader.works, seconds=reader.seconds or 0, error=reader.detail, hint=reader.hint)
    endpoint = endpoint_of(settings)
    try:
        async with asyncio.timeout(_LONGEST):
            return await probe(endpoint, quick=True)
    except TimeoutError:
        said = f"{endpoint.base_url} has not replied for {_LONGEST:.0f} seconds"
        return ProbeReport(model=endpoint.model, error=said, hint="if it is still loading the model, try again")
    finally:
        await endpoint.aclose()


def report(settings: Settings) -> bool:
    """Check the model that the settings name, say whether it answers, and return that."""
    found = checked(settings)
    server = redacted(settings.base_url)
    name = "the offline reader" if is_local(settings) else settings.model or found.model or server
    name = f"{name} of {server}" if server and name != server else name
    if found.answers:
        window = f"; its window has {found.window:,} tokens" if found.window else ""
        echo(f"{name} answers, in {found.seconds:.1f} s{window}")
    else:
        echo(f"{name} cannot be used: {found.error}")
        echo(f"  {as_options(found.hint)}" if found.hint else "  `readagent model check` says more")
    return found.answers


def introduce(settings: Settings) -> None:
    """Say which model there is and whether it answers, and what to run next."""
    if settings.model or settings.base_url:
        if report(settings):
            echo("next: readagent read FILE")
        echo("`readagent --help` lists the commands.")
        return
    with Progress(doing="looking for a model"):
        found = ways(settings)
    for way in found:
        echo(f"found {way.about}{way.missing and f'; {way.missing}'}")
    usable = (way.model for way in found if not way.missing)
    best = next((model for model in usable if report(replace(settings, model=model))), "")
    if best == LOCAL:
        echo("next: readagent read FILE")
    elif best:
        echo(f"next: readagent setup, which keeps it; or: readagent read FILE --model {best}")
    if best != LOCAL and found and found[-1].model == LOCAL:
        echo("Where no model is named, the offline reader is used.")
    if not best:
        _offer(settings)
    echo("`readagent --help` lists the commands.")


def _offer(settings: Settings) -> None:
    usual = PROVIDERS["ollama"].usual
    echo("No model can be used yet. Any of these gives you one:")
    echo("  with a key: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, then: readagent")
    echo(f"  on this computer: start Ollama (https://ollama.com), then: ollama pull {usual}, then: readagent")
    echo(f"  offline: {', then: '.join(filter(None, [steps_to_reader(settings.home), 'readagent read FILE']))}")
