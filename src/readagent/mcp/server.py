"""The MCP server: all tools, resources and prompts, and errors as one line with a hint."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import cleandoc
from typing import Any, cast

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, TextContent, Tool
from pydantic import ValidationError

from readagent import __version__
from readagent.errors import ReadAgentError
from readagent.library import Library
from readagent.mcp.agent_tools import AgentTools
from readagent.mcp.client_tools import ClientTools
from readagent.mcp.context import AgentContext, ClientContext, FindMemory, PagesSoFar, one_line
from readagent.mcp.library_tools import LibraryTools
from readagent.mcp.opening import Opening, instructions
from readagent.mcp.resources import add_prompts, add_resources
from readagent.models.wire import encode


class ReadAgentServer(MCPServer[None]):
    """An MCP server whose tools and prompts fail with one line and a hint, and whose tools refuse unknown arguments.

    An argument that is spelt wrongly, such as how far a text may be used, must not be left out silently.
    """

    async def list_tools(self) -> list[Tool]:
        """Return the tools; their schemas say that there are no other arguments."""
        return [_without_filler(tool) for tool in await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool; an error that is not a bug is raised as one line."""
        known = next((tool.input_schema["properties"] for tool in await self.list_tools() if tool.name == name), None)
        unknown = [] if known is None else [one for one in arguments if one not in known]
        if unknown and known is not None:
            takes = ", ".join(known) or "no arguments"
            raise ToolError(f"wrong arguments for {name}: there is no {unknown[0][:80]!r} (it takes {takes})")
        try:
            found = await super().call_tool(name, arguments, context)
            return _in_one_line(found) if isinstance(found, CallToolResult) else found
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ReadAgentError):
                raise ToolError(one_line(cause)) from None
            if isinstance(cause, ValidationError):
                raise ToolError(f"wrong arguments for {name}: {_wrong(cause)}") from None
            raise

    async def run_from(self, opening: Opening) -> None:
        """Serve the client at standard input and output, whose first line was read."""
        with opening.wire() as (lines, answers):
            async with stdio_server(cast("Any", lines), cast("Any", answers)) as (read, write):
                server = self._lowlevel_server
                await server.run(read, write, server.create_initialization_options())

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[None, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt; a wrong name or wrong arguments are an error that says so."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, " ".join(str(error).split())) from None


def server_for(context: AgentContext) -> ReadAgentServer:
    """Return a server for an agent; a read-only one has only the tools that change nothing and ask no model."""
    about = instructions(read_only=context.read_only)
    server = _server(context.library, context.find, context.so_far, about, client_reads=False)
    if not context.read_only:
        AgentTools(context).add_to(server)
    return server


def server_for_readers(context: ClientContext) -> ReadAgentServer:
    """Return a server for clients whose own model reads."""
    about = instructions(client_reads=True)
    server = _server(context.library, context.memory, context.so_far, about, client_reads=True)
    ClientTools(context).add_to(server)
    return server


def _server(
    library: Library, find: FindMemory, so_far: PagesSoFar, instructions: str, *, client_reads: bool
) -> ReadAgentServer:
    with _logging_as_it_was():
        server = ReadAgentServer("readagent", title="ReadAgent", version=__version__, instructions=instructions)
    LibraryTools(library, find, so_far).add_to(server)
    add_resources(server, library, find, so_far)
    add_prompts(server, client_reads=client_reads)
    return server


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """Undo what the SDK does to the root logger: every line of our own log would be written twice."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


def _without_filler(tool: Tool) -> Tool:
    """Return a tool for a model: without the indentation of our source, and with short schemas."""
    said = cleandoc(tool.description or "")
    takes = {**_without(tool.input_schema, "title"), "additionalProperties": False}
    returns = _without(tool.output_schema, "title", "description", "default", "required")  # names and types remain
    return tool.model_copy(update={"description": said, "input_schema": takes, "output_schema": returns})


def _without(schema: Any, *words: str) -> Any:
    """Return a JSON schema without these keywords; a field may have the name of one."""
    match schema:
        case dict():
            kept = {name: one for name, one in schema.items() if name not in words or isinstance(one, dict)}
            return {name: _without(one, *words) for name, one in kept.items()}
        case list():
            return [_without(one, *words) for one in schema]
        case _:
            return schema


def _in_one_line(found: CallToolResult) -> CallToolResult:
    """Return a result whose text, for clients without typed results, is JSON without indentation."""
    if found.structured_content is None:
        return found
    text = encode(found.structured_content).decode()
    return found.model_copy(update={"content": [TextContent(type="text", text=text)]})


def _wrong(error: ValidationError) -> str:
    """Return what is wrong with the arguments, in one line."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg'].lower()}" for one in error.errors()[:3])
