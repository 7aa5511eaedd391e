"""For LangChain: a retriever over a memory or a shelf, and the history of a chat that remembers.

They need langchain-core, which the extra ``langchain`` installs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from readagent.adapters.passages import Kind, Passages
from readagent.core.memory import GistMemory
from readagent.extras import missing_extra
from readagent.sync import Conversation, ReadAgent, Shelf

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, SystemMessage
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing_extra("readagent.adapters.langchain", "langchain-core", "langchain") from error

_SPEAKERS = {"human": "User", "ai": "Assistant"}

__all__ = ["ReadAgentChatMessageHistory", "ReadAgentRetriever"]


class ReadAgentRetriever(BaseRetriever):
    """Returns the pages that the model opens for a question as documents, or with ``kind="quotes"`` those it quotes.

    ``source`` is a memory, or a shelf of the agent. At most ``max_pages`` pages are opened; by default as many as
    ``ask`` opens.
    """

    _passages: Passages

    def __init__(
        self,
        agent: ReadAgent,
        source: GistMemory | Shelf,
        *,
        kind: Kind = "pages",
        max_pages: int | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(**fields)
        self._passages = Passages(agent, source, kind, max_pages)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [Document(one.text, id=one.id, metadata=one.metadata) for one in self._passages.find(query)]


class ReadAgentChatMessageHistory(BaseChatMessageHistory):
    """The messages of a chat of any length, kept in the agent's library as the conversation of this name.

    ``messages`` is one system message of at most so many ``words``, or none if nothing was said: the gists of what was
    said long ago, and the newest turns as they are.
    """

    def __init__(self, agent: ReadAgent, name: str, *, words: int = 1500) -> None:
        self._agent, self._words = agent, words
        self._conversation = Conversation(agent, name)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override, unused-ignore]
        known = self._conversation.context(self._words)
        return [SystemMessage(f"The conversation so far:\n\n{known}")] if known else []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add what was said. Only text is kept: pictures, calls of tools and system messages are left out."""
        for message in messages:
            if message.type in _SPEAKERS and message.text.strip():
                self._conversation.add(message.name or _SPEAKERS[message.type], message.text)

    def clear(self) -> None:
        """Remove the conversation from the library."""
        library, document = self._agent.library, self._conversation.memory().document
        known = library.newest_at(document.source)
        if known is not None:
            library.remove(known)
        self._conversation = Conversation(self._agent, self._conversation.name)
