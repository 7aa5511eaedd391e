"""`readagent serve`: the library as a page in the browser, and as an HTTP API."""

from __future__ import annotations

import secrets
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click

from readagent.advice import missing_package
from readagent.agent import AsyncReadAgent
from readagent.cli.agents import Announcement
from readagent.cli.documents import served_library
from readagent.cli.options import agent_options, plan_of
from readagent.cli.screen import echo
from readagent.cli.serving import address_options, allow_options, check_token, require_packages, warn_of_no_tls
from readagent.cli.start import settings_with_model
from readagent.models.hosts import is_loopback_host


@click.command(
    epilog="""\b
Examples:
  readagent serve --open
  readagent serve --model ollama/qwen3:8b --port 9000
  readagent serve --read-only --runs results
  READAGENT_SERVE_TOKEN=... readagent serve --host 0.0.0.0

The HTTP API is described at /api/docs.
"""
)
@address_options(8765)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@click.option("--read-only", is_flag=True, help="Change nothing and send nothing to a model.")
@click.option(
    "--token", envvar="READAGENT_SERVE_TOKEN", default="", metavar="TEXT",
    help="Token that clients need; by default a new random one.",
)  # fmt: skip
@allow_options("Let agents name files in this folder, over MCP; repeatable. By default they can name none.")
@click.option(
    "--max-upload", type=click.IntRange(1, 500), default=100, show_default=True, metavar="MB",
    help="Maximum size of an uploaded file.",
)  # fmt: skip
@click.option(
    "--runs", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help="Show the benchmark runs in this folder.",
)  # fmt: skip
@agent_options
def command(
    host: str, port: int, opens: bool, read_only: bool, token: str, hosts: tuple[str, ...],
    folders: tuple[Path, ...], allow_private: bool, max_upload: int, runs: Path | None, **flags: Any,
) -> None:  # fmt: skip
    """Show the library in the browser: add, read and ask documents, and see why an answer was given.

    Only this machine can reach the page, and only with the token in the address that is printed. Reading goes on
    while the page is closed, and after a restart.
    """
    require_packages("serve", "starlette", "uvicorn")
    if runs is not None and not entry_points(group="readagent.web", name="runs"):
        raise missing_package("`--runs`", "readagent-bench")
    from readagent.web.service import ServeOptions, Service
    from readagent.web.serving import address_of, listening_socket, serve

    own = is_loopback_host(host)
    check_token(host, token, own, "READAGENT_SERVE_TOKEN")
    settings = settings_with_model(flags, required=False)
    options = ServeOptions(
        token=token or secrets.token_urlsafe(24),
        code=secrets.token_urlsafe(24) if opens else "",
        read_only=read_only,
        runs=runs,
        allow_private=allow_private,
        max_upload=max_upload * 1_000_000,
        hosts=(*hosts, host),
        folders=folders,
        setup=own and not read_only,
    )
    library = served_library(settings, read_only=read_only)
    listener = listening_socket(host, port)
    address = address_of(listener, host, token=options.token)

    def ready() -> None:
        echo(f"ReadAgent is at {address}", wrap=False)
        echo(f"library: {agent.library.location}; model: {agent.model_name}; press Ctrl-C to stop", err=True)
        if not own:
            warn_of_no_tls()
        if opens:
            click.launch(address_of(listener, host, code=options.code))  # others can see the arguments of a browser

    agent = AsyncReadAgent.from_settings(settings, library=library, plan=plan_of(flags, settings))
    agent.connection.on_send = Announcement(settings)
    service = Service(agent, options)
    service.announcement = Announcement
    service.proxy.on_request = lambda told: echo(told.line(), err=True)
    with suppress(KeyboardInterrupt):  # a signal is the usual end
        serve(service, listener, ready)
    echo("stopped" if read_only else "stopped; what was not finished goes on at the next start", err=True)
