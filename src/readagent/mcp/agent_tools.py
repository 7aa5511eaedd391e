"""Tools that the agent's own model works for: read a document, ask about it, summarise it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import ToolAnnotations
from pydantic import Field

from readagent.advice import as_options
from readagent.core.document import Document
from readagent.core.trace import Trace
from readagent.library.documents import SOURCE
from readagent.mcp.context import AgentContext, document_names
from readagent.mcp.library_tools import Address, DocumentName, FilePath, Title, WholeText
from readagent.mcp.readings import reports_to
from readagent.mcp.results import (
    AnswerResult,
    OutlineResult,
    ReadResult,
    Remembered,
    SummaryResult,
    for_model,
    shown,
)
from readagent.records.answers import new_answer, new_shelf_answer
from readagent.records.overviews import item_records, summary_record
from readagent.shelf import AsyncShelf

_KEEPS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
Question = Annotated[
    str, Field(min_length=1, max_length=10_000, description="A question that can be understood by itself.")
]


class AgentTools:
    """The tools of an agent with a model of its own."""

    def __init__(self, shared: AgentContext) -> None:
        self._context = shared

    def add_to(self, server: MCPServer[None]) -> None:
        """Add the tools to a server."""
        for tool in (self.read_document, self.ask, self.summarize, self.outline, self.ask_shelf):
            server.add_tool(tool, annotations=_KEEPS, structured_output=True)
        server.add_tool(self.remember, annotations=_ADDS, structured_output=True)

    async def read_document(
        self,
        context: Context[None, Any],
        path: FilePath = "",
        url: Address = "",
        text: WholeText = "",
        title: Title = "",
        again: Annotated[bool, Field(description="Read it again if the model or the settings have changed.")] = False,
    ) -> ReadResult:
        """Read a long document once, so that it can be asked about. Give a path, a URL or a text.

        It may take minutes. If it is stopped, call it again: it goes on where it was. A document that was read before
        returns at once.
        """
        shared = self._context

        def loaded() -> Document:
            return shared.sources.load(path=path, url=url, text=text, title=title)

        document = await anyio.to_thread.run_sync(loaded)
        memory = None if again else await shared.run(shared.agent.recall(document.id))
        if memory is None:
            await shared.run(shared.agent.connection.model())  # without a model nothing is added
        await anyio.to_thread.run_sync(lambda: shared.library.add(document, current=True))
        if memory is None:
            memory = await shared.read(document, reports_to(context))
        whole = memory.whole
        return ReadResult(
            document.id,
            shown(document.title),
            document.words,
            len(whole.pages),
            sum(gist.words for gist in whole.gists),
            len(whole.leads),
            [*map(as_options, memory.warnings), *_cut(memory.trace)],
        )

    async def ask(
        self,
        document: DocumentName,
        question: Question,
        up_to_page: Annotated[int, Field(ge=0, description="Use the text only up to this page; 0 for all of it.")] = 0,
    ) -> AnswerResult:
        """Ask a question about a document that was read. The answer has verbatim quotes, checked, with their places."""
        shared = self._context
        memory = await anyio.to_thread.run_sync(shared.memory, document)
        up_to = str(up_to_page) if up_to_page else None
        answer = await shared.run(shared.agent.ask(memory, question, up_to=up_to))
        pages = [page + 1 for page in answer.pages]
        more = {"sources": _named([memory.document.source]), "warnings": _cut(answer.trace)}
        return for_model(AnswerResult, new_answer(memory, answer), pages_opened=pages, **more)

    async def summarize(
        self,
        document: DocumentName,
        words: Annotated[int, Field(ge=20, le=5000, description="About how many words.")] = 300,
        about: Annotated[
            str, Field(max_length=1000, description="Only what the text says on this; empty for all.")
        ] = "",
    ) -> SummaryResult:
        """Summarise a document that was read. Every statement names the pages that it is from."""
        shared = self._context
        memory = await anyio.to_thread.run_sync(shared.memory, document)
        found = await shared.run(shared.agent.summary(memory, words=words, about=about))
        return for_model(SummaryResult, summary_record(found), summary=shown(found.text))

    async def outline(self, document: DocumentName) -> OutlineResult:
        """List the chapters or parts of a document that was read, and what is in each."""
        shared = self._context
        memory = await anyio.to_thread.run_sync(shared.memory, document)
        found = await shared.run(shared.agent.outline(memory))
        return for_model(OutlineResult, {"sections": item_records(found, found.memory)})

    async def ask_shelf(
        self,
        shelf: Annotated[str, Field(min_length=1, description="The name of a shelf, as in list_documents.")],
        question: Question,
    ) -> AnswerResult:
        """Ask a question of all documents on a shelf at once. Every quote names its document."""
        shared = self._context
        name = (await anyio.to_thread.run_sync(shared.library.shelves.find, shelf)).name
        answer = await shared.run(AsyncShelf(shared.agent, name).ask(question))
        names = await anyio.to_thread.run_sync(document_names, shared.library)
        record = new_shelf_answer(name, answer)
        more = {
            "sources": _named(card.source for card in answer.documents),
            "warnings": [*_cut(answer.trace), *([f"asked: {answer.not_asked}"] if answer.unread else [])],
        }
        result = for_model(AnswerResult, record, pages_opened=[], **more)
        quotes = [replace(one, document=names.get(one.document, one.document)) for one in result.quotes]
        return replace(result, quotes=quotes)

    async def remember(
        self,
        conversation: Annotated[str, Field(min_length=1, max_length=500, description="The name of the conversation.")],
        speaker: Annotated[
            str, Field(min_length=1, max_length=500, description="Who said it, such as user or assistant.")
        ],
        text: Annotated[str, Field(min_length=1, description="What was said, word for word.")],
    ) -> Remembered:
        """Add a turn to a conversation that is kept in the library, so that it can be asked about later.

        The document of the result is its name for the other tools, which stays the same when turns are added.
        """
        found = self._context.conversation(conversation.strip().removeprefix(SOURCE))

        async def add() -> Remembered:
            await found.add(speaker, text)
            return Remembered(found.name, f"{SOURCE}{found.name}", len(await found.turns()))

        return await self._context.run(add())


def _named(sources: Iterable[str]) -> list[str]:
    """Return paths and addresses for a model; documents that were given as texts have none."""
    return [shown(source) for source in sources if source]


def _cut(trace: Trace) -> list[str]:
    """Return what is said of prompts that the server cut."""
    return [f"{one.reason}; used instead: {one.taken}" for one in trace.fallbacks if one.step == "window"]
