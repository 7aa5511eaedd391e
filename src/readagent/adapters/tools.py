"""Tools with which a model reads, and their descriptions in the forms of OpenAI and Anthropic."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from readagent.adapters.passages import as_page, as_pages, as_quote, indices_of, require_agent
from readagent.core.memory import GistMemory
from readagent.errors import NotInLibraryError, UsageError
from readagent.sync import ReadAgent, Shelf

Arguments = dict[str, Any]

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
NUMBERS = {"type": "array", "items": {"type": "integer"}}
_WORDS = {"string": "a text", "integer": "a whole number such as 1", "array": "a list of whole numbers such as [1, 2]"}
_SHOWN = 60  # characters of a wrong value


@dataclass(frozen=True, slots=True)
class Tool:
    """A function with its parameters, each a JSON schema; all of them are required."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as one JSON schema, which also meets the rules of OpenAI's strict mode."""
        properties = {name: dict(one) for name, one in self.parameters.items()}
        return {
            "type": "object", "properties": properties, "required": [*properties], "additionalProperties": False,
        }  # fmt: skip

    def openai(self) -> dict[str, Any]:
        """Return the form of OpenAI's chat completions, which most servers understand."""
        return {"type": "function", "function": {**self._named(), "parameters": self.schema, "strict": True}}

    def responses(self) -> dict[str, Any]:
        """Return the form of OpenAI's responses."""
        return {"type": "function", **self._named(), "parameters": self.schema, "strict": True}

    def anthropic(self) -> dict[str, Any]:
        """Return the form of Anthropic's messages."""
        return {**self._named(), "input_schema": self.schema}

    def _named(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description}

    def arguments(self, given: str | Mapping[str, Any]) -> Arguments:
        """Return the arguments of a call, which may be JSON; raise UsageError where they do not match the schema."""
        try:
            values = json.loads(given or "{}") if isinstance(given, str) else given
        except (ValueError, RecursionError):
            raise UsageError(f"the arguments of {self.name} are not JSON") from None
        if not isinstance(values, Mapping) or values.keys() != self.parameters.keys():
            names = ", ".join(self.parameters) or "none"
            raise UsageError(f"{self.name} takes exactly these arguments: {names}")
        for name, schema in self.parameters.items():
            if not _matches(values[name], schema):
                raise UsageError(f"{name} must be {_WORDS[schema['type']]}, not {_shown(values[name])}")
        return dict(values)


def _shown(value: object) -> str:
    """Return a wrong value as the model wrote it, or its beginning."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def _matches(value: object, schema: Mapping[str, Any]) -> bool:
    match schema["type"]:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, list) and all(_matches(one, schema["items"]) for one in value)


__all__ = ["Tool", "Tools"]

_HITS = 20
_DOCUMENT = {**TEXT, "description": "The title or id of a document, as in list_documents."}
_QUESTION = {**TEXT, "description": "A question that can be understood by itself."}
_TERMS = {**TEXT, "description": 'Words, or "a phrase" in quotation marks.'}
_FIRST = {**NUMBER, "description": "The page to begin with; 1 is the first."}
_PAGES = {**NUMBERS, "description": "Page numbers, as in read_gists and search_pages."}


class Tools:
    """Tools for a memory, for a shelf, or without a ``source`` for every document in the agent's library.

    ``openai()``, ``responses()`` and ``anthropic()`` return what to send to a model, and ``call`` runs what it calls.
    Only ``answer_question`` asks the agent's own model; the other tools make no calls.
    """

    def __init__(self, agent: ReadAgent, source: GistMemory | Shelf | None = None) -> None:
        require_agent(agent)
        if source is not None and not isinstance(source, GistMemory | Shelf):
            raise UsageError(
                f"source must be a GistMemory or a Shelf, not {type(source).__name__}",
                hint="for all documents in the agent's library, leave it out",
            )
        self._agent, self._source = agent, source
        which = {} if isinstance(source, GistMemory) else {"document": _DOCUMENT}
        asked = which if source is None else {}
        gists = "Read short summaries of the pages of a document, in order, to learn which pages to open."
        answer = "Ask a reader who knows the documents. The answer comes with verbatim quotes."
        made: list[tuple[Tool, Callable[..., object]]] = [
            (Tool("search_pages", "Find the pages that contain all these words.", {"words": _TERMS}), self._search),
            (Tool("read_gists", gists, {**which, "first_page": _FIRST}), self._gists),
            (Tool("open_pages", "Read pages of a document in full.", {**which, "pages": _PAGES}), self._pages),
            (Tool("answer_question", answer, {**asked, "question": _QUESTION}), self._answer),
        ]
        if not isinstance(source, GistMemory):
            made.insert(0, (Tool("list_documents", "List the documents that can be read."), self._documents))
        self._made = {tool.name: (tool, run) for tool, run in made}

    def __iter__(self) -> Iterator[Tool]:
        return (tool for tool, _ in self._made.values())

    def openai(self) -> list[dict[str, Any]]:
        """Return the tools in the form of OpenAI's chat completions, which most servers understand."""
        return [tool.openai() for tool in self]

    def responses(self) -> list[dict[str, Any]]:
        """Return the tools in the form of OpenAI's responses."""
        return [tool.responses() for tool in self]

    def anthropic(self) -> list[dict[str, Any]]:
        """Return the tools in the form of Anthropic's messages."""
        return [tool.anthropic() for tool in self]

    def call(self, name: str, arguments: str | Mapping[str, Any] = "") -> str:
        """Run a tool and return its result as JSON. ``arguments`` is JSON too, or a mapping.

        A mistake of the calling model, such as a page that does not exist, is a result with an ``error``, so that the
        model can correct it. Any other failure is raised.
        """
        self._agent.connection.require_open()
        try:
            if name not in self._made:
                raise UsageError(f"there is no tool {name!r}, only {', '.join(self._made)}")
            tool, run = self._made[name]
            result = run(**tool.arguments(arguments))
        except (UsageError, NotInLibraryError) as error:
            result = {"error": str(error)}
        return json.dumps(result, ensure_ascii=False)

    async def acall(self, name: str, arguments: str | Mapping[str, Any] = "") -> str:
        """Run a tool without blocking the event loop; see ``call``."""
        return await asyncio.to_thread(self.call, name, arguments)

    def _documents(self) -> object:
        cards = self._cards()
        rows = (row for row in self._agent.library.documents() if row.pages or row.tasks)
        return [
            {"id": row.id, "title": row.name, "words": row.words} | ({"about": cards[row.id]} if cards else {})
            for row in rows
            if cards is None or row.id in cards
        ]

    def _search(self, words: str) -> object:
        only = self._source.document.id if isinstance(self._source, GistMemory) else None
        cards = self._cards()
        hits = self._agent.library.search(words, document_id=only, limit=_HITS if cards is None else 50 * _HITS)
        found = [hit for hit in hits if cards is None or hit.document in cards]
        return [
            {"document": hit.document, "title": hit.title, **as_page(hit.page, hit.place), "text": hit.snippet}
            for hit in found[:_HITS]
        ]

    def _gists(self, first_page: int, document: str = "") -> object:
        memory = self._memory(document)
        (first,) = indices_of(memory, [first_page])
        return as_pages(memory, range(first, len(memory.pages)), lambda index: memory.gists[index].text)

    def _pages(self, pages: list[int], document: str = "") -> object:
        memory = self._memory(document)
        return as_pages(memory, indices_of(memory, pages), lambda index: memory.page_text(index).strip())

    def _answer(self, question: str, document: str = "") -> object:
        if isinstance(self._source, Shelf):
            answer = self._source.ask(question)
            quotes = [{"title": one.title, **as_quote(one.quote)} for one in answer.quotes]
            return {"answer": answer.text, "found_in_text": answer.found_in_text, "quotes": quotes}
        one = self._agent.ask(self._memory(document), question)
        return {"answer": one.text, "found_in_text": one.found_in_text, "quotes": [*map(as_quote, one.quotes)]}

    def _cards(self) -> dict[str, str] | None:
        """Return what the documents on the shelf are about, by their ids; None if there is no shelf."""
        return {one.document: one.text for one in self._source.cards()} if isinstance(self._source, Shelf) else None

    def _memory(self, document: str) -> GistMemory:
        """Return the memory of a document before any pages were merged."""
        if isinstance(self._source, GistMemory):
            return self._source.whole
        row, cards = self._agent.library.find_document(document), self._cards()
        if cards is not None and row.id not in cards:
            raise NotInLibraryError(f"{row.name!r} is not one of the documents")
        for task in ("", *row.tasks):
            memory = self._agent.recall(row.id, task=task)
            if memory is not None:
                return memory
        raise NotInLibraryError(f"{row.name!r} has not been read yet")
