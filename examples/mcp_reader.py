"""An agent that reads a story into a library over MCP: `python examples/mcp_reader.py [FOLDER]`, offline.

The server has no model (`readagent mcp --no-model`). Here a few lines of Python stand in for the agent's model: they
make pages as long as the rules allow, and keep their first words as gists. A real agent chooses and shortens.
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


def divide(passage: dict[str, Any], end: int) -> list[dict[str, Any]]:
    """Return the pages of a passage, each up to the last label that it may have; ``end`` is that of the text."""
    least, most = map(int, re.findall(r"\d+", passage["rules"])[:2])
    pieces = re.split(r"\n<(\d+)>\n?", passage["text"])  # texts and labels in turn
    labels = [*map(int, pieces[1::2])]
    pages, begins, words = [], passage["begins"], list[str]()
    for text, label, following in zip(pieces[::2], labels, [*labels[1:], end + most], strict=False):
        words += text.split()
        if label == end or (label - begins >= least and following - begins > most):
            pages.append({"pause": label, "gist": " ".join(words[: max(25, (label - begins) // 7)])})
            begins, words = label, []
    return pages


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
            pages = divide(state["next"], state["words"])
            state = await call(client, "keep_pages", document=document, pages=pages)
            print(f"{state['words_read']:,} of {state['words']:,} words read, {state['pages_kept']} pages kept")
        memory = await call(client, "memory", document=document)
        print(f"page 1: {memory['pages'][0]['text'][:100]}…")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(main(folder))
