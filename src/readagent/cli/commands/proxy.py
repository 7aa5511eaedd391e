"""`readagent proxy`: an OpenAI-compatible endpoint that makes long requests fit the window of a model."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, get_args

import click

from readagent.cli.documents import served_library
from readagent.cli.options import model_options
from readagent.cli.screen import echo
from readagent.cli.serving import address_options, check_token, require_packages, warn_of_no_tls
from readagent.cli.start import settings_with_model
from readagent.library import Library
from readagent.models.hosts import is_loopback_host, redacted


@click.command(
    epilog="""\b
Examples:
  readagent proxy --model ollama/qwen3:8b
  readagent proxy --base-url http://localhost:8000/v1 --window 8192
  OPENAI_BASE_URL=http://127.0.0.1:8766/v1 your-program

A client uses the address that is printed as its base URL. A streamed reply must begin within --timeout, and may pause
for --silence. docs/proxy.md says what is sent and what is kept.
"""
)
@address_options(8766)
@click.option(
    "--key-from", type=click.Choice(["caller", "server"]), default="caller", show_default=True,
    help="Whose API key the model's server gets: the caller's if there is one, or always the one set here.",
)  # fmt: skip
@click.option(
    "--token", envvar="READAGENT_PROXY_TOKEN", default="", metavar="TEXT",
    help="Token that clients must send; optional if only this machine can connect.",
)  # fmt: skip
@click.option(
    "--max-calls", type=click.IntRange(min=0), default=40, show_default=True, metavar="N",
    help="Calls that one request may cause: for its look-up, and for gists that are written after its response.",
)  # fmt: skip
@click.option("--no-gists", is_flag=True, help="Cause no calls: show what a search finds, and some sentences of pages.")
@click.option("--no-store", is_flag=True, help="Keep gists in memory only, not in the library.")
@model_options
def command(
    host: str, port: int, key_from: str, token: str, hosts: tuple[str, ...], max_calls: int, no_gists: bool,
    no_store: bool, **flags: Any,
) -> None:  # fmt: skip
    """Give any OpenAI client a larger window than its model has.

    A request that fits is passed on unchanged. In one that does not, old turns and long texts become pages with gists,
    and the model looks up the pages that the last message is about.
    """
    require_packages("proxy", "starlette", "uvicorn", extra="serve")
    from readagent.proxy.callers import KeyFrom
    from readagent.proxy.proxy import Proxy, ProxyOptions
    from readagent.web.serving import address_of, listening_socket, serve_proxy

    own = is_loopback_host(host)
    check_token(host, token, own, "READAGENT_PROXY_TOKEN")
    settings = settings_with_model(flags)
    chosen: KeyFrom = next(one for one in get_args(KeyFrom) if one == key_from)
    options = ProxyOptions(chosen, token, (*hosts, host), max_calls=0 if no_gists else max_calls)
    with Library.in_memory() if no_store else served_library(settings) as library:
        proxy = Proxy(settings, library, options, lambda report: echo(report.line(), err=True))
        listener = listening_socket(host, port)
        address = f"{address_of(listener, host)}v1"

        def ready() -> None:
            echo(f"The proxy is at {address}", wrap=False)
            kept = "in memory" if no_store else f"in {library.location}"
            echo(f"requests go to {redacted(proxy.server)}; gists are kept {kept}; press Ctrl-C to stop", err=True)
            if not own:
                warn_of_no_tls()

        with suppress(KeyboardInterrupt):  # a signal is the usual end
            serve_proxy(proxy, listener, ready)
