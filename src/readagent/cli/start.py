"""Which model there is: the one that is set, or what is found on this computer; it is checked before a text is sent."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from readagent.advice import as_options
from readagent.cli.options import settings_of
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.connection import is_local, uses_own_server
from readagent.embedded.weights import steps_to_reader
from readagent.errors import ReadAgentError, UsageError
from readagent.models.hosts import redacted
from readagent.models.providers import OPENAI_URL, PROVIDERS, Keys, not_one_model
from readagent.settings import Settings

if TYPE_CHECKING:
    from readagent.models.server_info import Listing, ProbeReport


def settings_with_model(flags: dict[str, Any], *, required: bool = True) -> Settings:
    """Return the settings in force; where they name no model, with the only model of the user's own server.

    If it has several, that is an error where a model is ``required``. The offline reader comes before the server where
    it is installed: no text is sent that was not sent before.
    """
    settings = settings_of(flags)
    if not uses_own_server(settings):
        return settings
    from readagent.finding import own_server

    url, found = asyncio.run(own_server(Keys(os.environ, settings.home)))
    if found.models is not None and len(found.models) == 1:
        echo(f"using {found.models[0]}, the only model of {url} ({OPENAI_URL})", err=True)
        return replace(settings, model=f"openai/{found.models[0]}")
    if url and required:
        _refuse(url, found)
    return settings


def _refuse(url: str, found: Listing) -> NoReturn:
    from readagent.finding import remedy

    if found.models is None:
        raise UsageError(
            f"no model was named, and {url} ({OPENAI_URL}) {found.problem}",
            hint=remedy(found) or "name a model with `model`",
        )
    raise not_one_model(url, found.models)


def checked(settings: Settings, keys: Keys | None = None) -> ProbeReport:
    """Return what the model that the settings name replies to a request of a few words."""
    from readagent.finding import probed
    from readagent.models.server_info import ProbeReport

    named = settings.model or redacted(settings.base_url)
    with Progress(doing=f"checking {named}"):
        try:
            return asyncio.run(probed(settings, keys))
        except ReadAgentError as error:
            return ProbeReport(model=named, error=str(error), hint=error.hint)


def report(settings: Settings, keys: Keys | None = None) -> bool:
    """Check the model that the settings name, say whether it answers, and return that."""
    found = checked(settings, keys)
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
    from readagent.finding import LOCAL, ways

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
