"""`readagent mcp`: the library as an MCP server on standard input and output."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from readagent.cli.options import agent_options, plan_of, settings_of
from readagent.cli.serving import allow_options, require_packages

if TYPE_CHECKING:
    from readagent.mcp.opening import Opening
    from readagent.settings import Settings


@click.command(
    epilog="""\b
Examples:
  readagent mcp --allow ~/papers --model ollama/qwen3:8b
  readagent mcp --allow ~/books --no-model
  claude mcp add readagent -- readagent mcp --allow ~/papers

An MCP client starts this command itself. docs/mcp.md has the lines for its settings.
"""
)
@allow_options("Let clients name files in this folder; repeatable. By default they can name none.")
@click.option("--no-model", is_flag=True, help="Let the client's own model read, page by page.")
@click.option("--read-only", is_flag=True, help="Change nothing and send nothing to a model.")
@agent_options
def command(folders: tuple[Path, ...], allow_private: bool, no_model: bool, read_only: bool, **flags: Any) -> None:
    """Let agents such as Claude, Codex or an editor read and ask documents, over the Model Context Protocol.

    The protocol uses standard input and output. Documents that are in the library can be read by the client, wherever
    they are from; new ones only from the allowed folders, from public web addresses, or as a text.
    """
    if no_model and read_only:
        raise click.UsageError("--no-model cannot be used with --read-only, which keeps no pages.")
    require_packages("mcp", "mcp")
    from readagent.mcp.opening import instructions, opened

    settings = settings_of(flags)
    with suppress(KeyboardInterrupt):  # a signal is a usual end
        opening = opened(instructions(client_reads=no_model, read_only=read_only))
        _serve(opening, settings, folders, allow_private, no_model, read_only, flags)


def _serve(
    opening: Opening,
    settings: Settings,
    folders: tuple[Path, ...],
    allow_private: bool,
    no_model: bool,
    read_only: bool,
    flags: dict[str, Any],
) -> None:
    """Serve a client, whose first request may have been answered: what is imported here takes long."""
    import asyncio

    from readagent.agent import AsyncReadAgent
    from readagent.cli.agents import Announcement
    from readagent.cli.documents import served_library
    from readagent.cli.start import settings_with_model
    from readagent.core.prompts import Prompts
    from readagent.mcp.context import AgentContext, ClientContext, Sources
    from readagent.mcp.server import server_for, server_for_readers

    sources = Sources(folders, allow_private=allow_private)
    if no_model:
        with served_library(settings) as library:
            context = ClientContext(library, sources, plan_of(flags, settings), Prompts.load(settings.prompts))
            asyncio.run(server_for_readers(context).run_from(opening))
        return
    settings = settings if read_only else settings_with_model(flags, required=False)
    with served_library(settings, read_only=read_only) as library:
        agent = AsyncReadAgent.from_settings(settings, library=library, plan=plan_of(flags, settings))
        agent.connection.on_send = Announcement(settings)

        async def serve() -> None:
            async with agent:
                await server_for(AgentContext(agent, sources, read_only=read_only)).run_from(opening)

        asyncio.run(serve())
