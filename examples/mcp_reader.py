"""An agent that reads a story into a library over MCP: `python examples/mcp_reader.py [FOLDER]`, offline.

The server has no model (`readagent mcp --no-model`). Here a few lines of Python stand in for the agent's model: they
pause at the last place and keep the first sentences as the gist. A real agent chooses and shortens.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

HERE = Path(__file__).parent


def shorten(text: str, words: int) -> str:
    """Return the first words of a passage."""
    return " ".join(re.sub(r"\n<\d+>", "", text).split()[:words])


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the result of a tool; stop at an error."""
    result = await client.call_tool(tool, arguments)
    if result.is_error or result.structured_content is None:
        sys.exit(f"{tool}: {result.content}")
    return result.structured_content


async def main(home: str) -> None:
    """Read the story, then show what is kept of it."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "readagent", "mcp", "--no-model", "--allow", str(HERE)],
        env={**os.environ, "READAGENT_HOME": home},
    )
    async with Client(stdio_client(server)) as client:
        document = (await call(client, "add_document", path="story.txt"))["document"]
        state = await call(client, "next_passage", document=document)
        while not state["done"]:
            passage = state["next"]
            place = passage["places"][-1]
            gist = shorten(passage["text"], place["gist_words"])
            state = await call(
                client, "keep_page", document=document, page=passage["page"], pause=place["pause"], gist=gist
            )
            print(f"{state['words_read']:,} of {state['words']:,} words read, {state['pages_kept']} pages kept")
        memory = await call(client, "memory", document=document)
        print(f"page 1: {memory['pages'][0]['text'][:100]}…")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(main(folder))
