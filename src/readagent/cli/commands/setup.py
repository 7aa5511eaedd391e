"""`readagent setup`: what was found, three questions, the user file that they fill, and a check of the model."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import click

from readagent.advice import install_command
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, safe
from readagent.cli.start import report
from readagent.cli.wrapping import columns_of, wrap_lines
from readagent.errors import UsageError
from readagent.finding import LOCAL, Way, listed, own_server, ways
from readagent.models.hosts import is_loopback, problem_of, redacted
from readagent.models.providers import PROVIDERS, Keys, has_own_server, keep_key, key_name
from readagent.models.server_info import Listing, listing_of
from readagent.settings import COMMAND_LINE, Settings, load_settings, with_model
from readagent.user_file import write_settings

_IN_LINES = "run it on a terminal, or give an answer in each line: printf 'ollama\\nqwen3:8b\\n' | readagent setup"
_LEAST_COLUMNS = 20  # of a question on a narrow terminal


@click.command(
    epilog="""\b
Examples:
  readagent setup
  readagent setup --model ollama/qwen3:8b
  readagent setup --base-url https://llm.example.edu/v1
"""
)
@click.option("-m", "--model", metavar="NAME", help="Keep this model; no questions.")
@click.option("--base-url", metavar="URL", help="Keep this server; no questions.")
def command(model: str | None, base_url: str | None) -> int:
    """Find a model, check it with one request of a few words, and remember it if it answers.

    The model is kept in config.toml in the home folder (READAGENT_HOME), which only you can read, and the key in the
    system's keyring with the extra keyring, otherwise in keys.json next to it. Keys in environment variables come
    first.
    """
    settings = load_settings()
    if model or base_url:
        load_settings({"model": model, "base_url": base_url}, origin=COMMAND_LINE)  # refuses what cannot be
        return _keep(settings, model, base_url)
    with Progress(doing="looking for a model"):
        keys, found = Keys(os.environ, settings.home), ways(settings)
    where = _where(found)
    if where == LOCAL or where in _downloaded(found):
        return _keep(settings, where, None)
    is_url = where not in PROVIDERS
    url = where if is_url else PROVIDERS[where].base_url
    is_here = is_loopback(url)
    server = asyncio.run(listing_of(url)) if is_here else Listing(None, "needs a key")
    asks_key = server.problem == "needs a key"
    if where == "openai" and has_own_server(keys):
        models = asyncio.run(own_server(keys))[1].models or []
    else:
        models = server.models or []
    if models and is_url:
        echo(f"found {redacted(where)} with {listed(models)}", err=True)
    usual = next(iter(models), "") or ("" if is_url else PROVIDERS[where].usual)
    name = _asked("2. Model (Enter for the first that the server lists)" if not usual else "2. Model", usual)
    name = name if is_url else _without_provider(name, where, models)
    variable = key_name(url) if is_url or is_here else PROVIDERS[where].key_name
    key = _key_for(variable, keys) if asks_key else ""
    return _keep(settings, name if is_url else f"{where}/{name}", where if is_url else None, variable, key)


def _keep(settings: Settings, model: str | None, base_url: str | None, variable: str = "", key: str = "") -> int:
    """Check the model, write the user file and the key if it answers, and return the exit code."""
    set_so = os.environ.get(variable, "").strip()
    keys = Keys({**os.environ, variable: set_so or key} if key else os.environ, settings.home)
    if not report(with_model(settings, model or "", base_url or ""), keys):
        echo(f"nothing was changed; to use it all the same, set model or base_url in {settings.home / 'config.toml'}")
        return 1
    if key:
        _keep_key(variable, key, settings)
    file = write_settings(settings.home, {"model": model or None, "base_url": base_url})
    if base_url and redacted(base_url) != base_url:
        echo(f"the password or key in the address is in {file}, which only you can read (mode 600)", err=True)
    echo(f"{file}: the model is {model or redacted(base_url or '')}")
    echo("next: readagent read FILE")
    return 0


def _downloaded(found: Sequence[Way]) -> list[str]:
    """Return the language models that were downloaded: ways without a provider."""
    return [way.model for way in found if "/" not in way.model and way.model != LOCAL]


def _without_provider(model: str, provider: str, listed: Sequence[str]) -> str:
    """Return the name of a model as its provider has it, also if it was typed with the provider: openai/gpt-4.1.

    OpenRouter has models of its own that begin with its name: openrouter/auto.
    """
    first, _, rest = model.partition("/")
    is_own = model in listed or (provider == "openrouter" and "/" not in rest)
    return rest if first.lower() == provider and rest and not is_own else model


def _where(found: Sequence[Way]) -> str:
    """Ask for a provider, the address of a server, a model that was downloaded, or the offline reader."""
    for way in found:
        echo(f"found {way.about}", err=True)
    usual = next((way.model.partition("/")[0] for way in found if not way.missing), "openai")
    names = (*PROVIDERS, *_downloaded(found), LOCAL)
    question = f"1. Where is the model: {', '.join(names)} (offline), or the URL of a server"
    while True:
        given = _asked(question, usual)
        if given.lower() in names:
            return given.lower()
        if not (problem := problem_of(given)):
            return given
        echo(f"{redacted(given)!r} is none of these names and no URL: {problem}", err=True)


def _key_for(name: str, keys: Mapping[str, str]) -> str:
    """Ask for a key. Without one, that of the environment counts, if there is any."""
    instead = "keeps the one that is set" if keys.get(name, "").strip() else "for none"
    return _asked(f"3. Key (not shown; Enter {instead})", "", hidden=True)


def _keep_key(name: str, key: str, settings: Settings) -> None:
    file = keep_key(name, key, settings.home)
    if file is None:
        echo("the key is in the system's keyring", err=True)
    else:
        echo(f"the key is in {file}, which only you can read (mode 600)", err=True)
        if find_spec("keyring") is None:
            echo(f"to keep keys in the system's keyring: {install_command('keyring')}, and run this again", err=True)
    if os.environ.get(name, "").strip():
        echo(f"note: {name} in the environment comes before the key that is kept", err=True)


def _asked(question: str, usual: str, *, hidden: bool = False) -> str:
    """Ask one question; the lines of standard input are the answers where it is no terminal.

    ``usual`` may be what a server said.
    """
    hidden = hidden and sys.stdin is not None and sys.stdin.isatty()
    if columns := columns_of(sys.stderr):
        question = wrap_lines(question, max(columns - len(f" [{usual}]: "), _LEAST_COLUMNS))
    question = f"{question} [{usual}]" if usual else question
    try:
        given: str = click.prompt(
            safe(question), default=usual, show_default=False, hide_input=hidden, type=str, err=True
        )
    except click.Abort as stopped:
        if not isinstance(stopped.__context__, EOFError) or (sys.stdin is not None and sys.stdin.isatty()):
            if not hidden:
                echo("", err=True)  # what is said next gets a line of its own
            raise
        echo("", err=True)
        raise UsageError(
            "the input ended before all questions were answered; nothing was changed", hint=_IN_LINES
        ) from None
    if not given.strip().isprintable():
        hint = "type it, or copy it without what is invisible"
        raise UsageError("an answer has control or invisible characters; nothing was changed", hint=hint)
    return given.strip()
