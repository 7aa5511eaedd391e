"""`readagent setup`: three questions, and the user file that they fill."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from readagent.advice import install_command
from readagent.cli.screen import echo, safe
from readagent.cli.start import offline_step, own_server, providers_with_key
from readagent.cli.user_file import is_broken, kept_aside, write_settings
from readagent.cli.wrapping import columns_of, wrap_lines
from readagent.errors import UsageError
from readagent.models.hosts import is_loopback, problem_of, redacted
from readagent.models.providers import OPENAI_URL, PROVIDERS, Keys, has_own_server, keep_key, key_name, resolve
from readagent.models.server_info import Listing, listing_of, local_servers
from readagent.settings import Settings, home_folder, load_settings

_LOCAL = "local"
_IN_LINES = "run it on a terminal, or give an answer in each line: printf 'ollama\\nqwen3:8b\\n' | readagent setup"
_NAMED = 5  # models that a line names
_LEAST_COLUMNS = 20  # of a question on a narrow terminal


@click.command(
    epilog="""\b
Examples:
  readagent setup
  printf 'ollama\\nqwen3:8b\\n' | readagent setup
"""
)
def command() -> None:
    """Ask for the model and remember it: where it is, its name, and its key if it needs one.

    The model is kept in config.toml in the home folder (READAGENT_HOME), which only you can read, and the key in the
    system's keyring with the extra keyring, otherwise in keys.json next to it. Keys in environment variables come
    first.
    """
    settings = _settings()
    keys, servers = Keys(os.environ, settings.home), asyncio.run(local_servers())
    where = _where(keys, servers)
    if where == _LOCAL:
        file = write_settings(settings.home, {"model": _LOCAL, "base_url": None})
        _report(file, _LOCAL, offline_step(settings))
        return
    is_url = where not in PROVIDERS
    url = where if is_url else PROVIDERS[where].base_url
    is_here = is_loopback(url)
    without_key = asyncio.run(listing_of(url)) if is_here else Listing(None, "needs a key")
    asks_key = without_key.problem == "needs a key"
    if is_url and is_here and not asks_key:
        servers = {**servers, where: _found(redacted(where), without_key)}
    elif where == "openai" and has_own_server(keys):
        servers = {**servers, where: _found(*own_server(keys))}
    listed = servers.get(where, ())
    usual = next(iter(listed), "") or ("" if is_url else PROVIDERS[where].usual)
    model = _asked("2. Model (Enter for the first that the server lists)" if not usual else "2. Model", usual)
    model = model if is_url else _without_provider(model, where, listed)
    if asks_key:
        name = key_name(url) if is_url or is_here else PROVIDERS[where].key_name
        _ask_for_key(name, keys, settings, optional=is_url)
    if is_here:
        _check_listed(model, url, settings)
    named = model if is_url else f"{where}/{model}"
    file = write_settings(settings.home, {"model": named or None, "base_url": where if is_url else None})
    if is_url and redacted(where) != where:
        echo(f"the password or key in the address is in {file}, which only you can read (mode 600)", err=True)
    _report(file, named or redacted(where), "readagent read FILE")


def _settings() -> Settings:
    """Return the settings in force; the defaults if the user file is not TOML, since a new one is written."""
    try:
        return load_settings()
    except UsageError as error:
        home = home_folder(os.environ)
        if not is_broken(home):
            raise
        echo(f"note: {error}; it will be renamed to {kept_aside(home).name}, and a new one is written", err=True)
        return Settings(home)


def _without_provider(model: str, provider: str, listed: Sequence[str]) -> str:
    """Return the name of a model as its provider has it, also if it was typed with the provider: openai/gpt-4.1.

    OpenRouter has models of its own that begin with its name: openrouter/auto.
    """
    first, _, rest = model.partition("/")
    is_own = model in listed or (provider == "openrouter" and "/" not in rest)
    return rest if first.lower() == provider and rest and not is_own else model


def _where(keys: Mapping[str, str], servers: Mapping[str, list[str]]) -> str:
    """Ask for a provider, the address of a server, or the offline reader."""
    running = [name for name, models in servers.items() if models]
    for name in running:
        _report_found(name, servers[name])
    own = ["openai"] if keys.get(OPENAI_URL, "").strip() else []
    usual = next(iter([*own, *running, *providers_with_key(keys)]), "openai")
    question = f"1. Where is the model: {', '.join(PROVIDERS)}, {_LOCAL} (offline), or the URL of a server"
    while True:
        given = _asked(question, usual)
        if given.lower() in (*PROVIDERS, _LOCAL):
            return given.lower()
        if not (problem := problem_of(given)):
            return given
        echo(f"{redacted(given)!r} is none of these names and no URL: {problem}", err=True)


def _found(server: str, listing: Listing) -> list[str]:
    """Return the models that a server lists; say which they are, or why there are none."""
    _report_found(server, listing.models or [])
    if listing.models is None:
        echo(f"warning: {server} {listing.problem}", err=True)
    return listing.models or []


def _report_found(server: str, models: Sequence[str]) -> None:
    if models:
        more = f" and {len(models) - _NAMED} more" if len(models) > _NAMED else ""
        here = " on this computer" if server in PROVIDERS or is_loopback(server) else ""
        echo(f"found {server}{here} with {', '.join(models[:_NAMED])}{more}", err=True)


def _check_listed(model: str, url: str, settings: Settings) -> None:
    """Say so if a server on this computer refuses the key or does not have the model."""
    key = resolve(model, url, Keys(os.environ, settings.home)).key
    found = asyncio.run(listing_of(url, key))
    if found.problem == "needs a key":
        echo(f"warning: {redacted(url)} needs a key; run this again", err=True)
    elif found.problem == "does not accept the key":
        echo(f"warning: {redacted(url)} does not accept this key; run this again", err=True)
    elif found.models and model and not {model, f"{model}:latest"} & {*found.models}:
        echo(f"warning: {redacted(url)} does not list {model}; it has {', '.join(found.models[:_NAMED])}", err=True)


def _ask_for_key(name: str, keys: Mapping[str, str], settings: Settings, *, optional: bool) -> None:
    """Ask for a key, and keep it. Without one, that of the environment counts, if there is any."""
    known = bool(keys.get(name, "").strip())
    instead = "keeps the one that is set" if known else "for none" if optional else f"sets {name} later"
    key = _asked(f"3. Key (not shown; Enter {instead})", "", hidden=True)
    if not key:
        return
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


def _report(file: Path, model: str, run: str) -> None:
    echo(f"{file}: the model is {model}")
    echo(f"next: {run}")
