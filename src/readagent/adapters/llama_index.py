"""For LlamaIndex: a reader for every format that ReadAgent loads, and a retriever over a memory or a shelf.

They need llama-index-core, which the extra ``llama-index`` installs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from readagent.adapters.passages import Kind, Passage, Passages, page_passages, require_agent
from readagent.advice import missing_extra
from readagent.core.document import Document as Text
from readagent.core.memory import GistMemory
from readagent.loaders import Skipped, is_folder, load, load_all
from readagent.sync import ReadAgent, Shelf

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import Document, NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing_extra("readagent.adapters.llama_index", "llama-index-core", "llama-index") from error

__all__ = ["ReadAgentReader", "ReadAgentRetriever"]

_log = logging.getLogger(__name__)
_FOR_PROGRAMS = ["document", "page", "start", "end", "gist"]  # metadata that is kept out of prompts and embeddings
_KEPT_OUT: dict[str, Any] = {
    "excluded_llm_metadata_keys": _FOR_PROGRAMS,
    "excluded_embed_metadata_keys": _FOR_PROGRAMS,
}


class ReadAgentReader(BaseReader):
    """Loads a file, a URL, or every file of a folder: a document for each, or with an ``agent`` for each page.

    The agent reads the texts, so its model chooses where pages end; the metadata of a page has its gist. A file of a
    folder that cannot be loaded is logged and left out.
    """

    def __init__(self, agent: ReadAgent | None = None) -> None:
        if agent is not None:
            require_agent(agent)
        self._agent = agent

    def lazy_load_data(
        self, source: str | Path, extra_info: dict[str, Any] | None = None, **options: Any
    ) -> Iterator[Document]:
        """Yield documents. ``extra_info`` is added to their metadata; the options are those of ``readagent.load``."""
        extra = extra_info or {}
        for text in _loaded(source, options):
            if self._agent is None:
                facts = {"source": text.source, "title": text.title, **text.metadata}
                yield Document(text=text.text, id_=text.id, metadata=facts | extra)
            else:
                for page in page_passages(self._agent.read(text)):
                    yield Document(text=page.text, id_=page.id, metadata=page.metadata | extra, **_KEPT_OUT)


def _loaded(source: str | Path, options: dict[str, Any]) -> Iterator[Text]:
    if not is_folder(source):
        yield load(source, **options)
        return
    for item in load_all(source, **options):
        if isinstance(item, Skipped):
            _log.warning("%s was left out: %s", item.source, item.reason)
        else:
            yield item.document


class ReadAgentRetriever(BaseRetriever):
    """Returns the pages that the model opens for a question as nodes, or with ``kind="quotes"`` what it quotes.

    ``source`` is a memory, or a shelf of the agent. At most ``max_pages`` pages are opened; by default as many as
    ``ask`` opens. The nodes are in the order of their importance, and have no score.
    """

    def __init__(
        self,
        agent: ReadAgent,
        source: GistMemory | Shelf,
        *,
        kind: Kind = "pages",
        max_pages: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._passages = Passages(agent, source, kind, max_pages)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=_node(one)) for one in self._passages.find(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(passage: Passage) -> TextNode:
    return TextNode(text=passage.text, id_=passage.id, metadata=passage.metadata, **_KEPT_OUT)
