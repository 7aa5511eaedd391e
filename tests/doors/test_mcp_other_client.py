"""A client that shares no code with the SDK: over standard input and output, and over HTTP. It speaks 2025-06-18."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from chuk_mcp.client import MCPClient, connect_to_server
from chuk_mcp.transports.http import StreamableHTTPParameters, StreamableHTTPTransport
from chuk_mcp.transports.stdio import StdioParameters

from doors.mcp_clients import RUN, STORY
from readagent.testing.loopback import LoopbackServer
from web.fixtures import Serve
from web.running import TOKEN

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # this client does not close its own streams
]
Connect = Callable[[], AbstractAsyncContextManager[MCPClient]]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Let what the client has not closed be collected where its warnings are ignored."""
    yield
    gc.collect()


def started(*arguments: str) -> AbstractAsyncContextManager[MCPClient]:
    command, *rest = [*RUN, "--allow", str(STORY.parent), *arguments]
    return connect_to_server(StdioParameters(command=command, args=rest, env=dict(os.environ)))


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, model: LoopbackServer) -> Connect:
    """Connect to a server whose model is on loopback."""
    if request.param == "stdio":
        return lambda: started("--model", "skimmer", "--base-url", model.base_url)
    serve: Serve = request.getfixturevalue("serve")
    running = serve(folders=(STORY.parent,))

    @asynccontextmanager
    async def over_http() -> AsyncIterator[MCPClient]:
        parameters = StreamableHTTPParameters(
            url=f"{running.client.address}mcp", headers={"Authorization": f"Bearer {TOKEN}"}
        )
        async with connect_to_server(StreamableHTTPTransport(parameters)) as client:
            yield client

    return over_http


async def called(client: MCPClient, tool: str, **arguments: Any) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments)
    assert not found.isError, found.content
    return dict(found.structuredContent)


async def test_it_reads_asks_and_opens_pages(connect: Connect) -> None:
    async with connect() as client:
        assert client.server_info.name == "readagent"
        assert "ask" in {tool.name for tool in await client.list_tools()}
        read = await called(client, "read_document", path="story.txt")
        answer = await called(client, "ask", document=read["document"], question="What was in the biscuit tin?")
        assert answer["quotes"]
        quote = answer["quotes"][0]
        page = await called(client, "open_pages", document=read["document"], pages=[quote["page"]])
        assert quote["text"] in page["pages"][0]["text"]
        uri = f"readagent://documents/{read['document']}/pages/{quote['page']}"
        (content,) = (await client.read_resource(uri)).contents
        assert quote["text"] in content.text
        assert {prompt.name for prompt in await client.list_prompts()} == {"answer_from"}
