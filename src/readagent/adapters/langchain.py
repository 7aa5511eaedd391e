"""For LangChain: a retriever over a memory or a shelf, and the history of a chat that remembers.

They need langchain-core, which the extra ``langchain`` installs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from readagent.adapters.passages import Kind, Passages
from readagent.advice import missing_extra
from readagent.core.memory import GistMemory
from readagent.errors import NotInLibraryError
from readagent.sync import Conversation, ReadAgent, Shelf

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, convert_to_messages, convert_to_openai_messages
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing_extra("readagent.adapters.langchain", "langchain-core", "langchain") from error

__all__ = ["ReadAgentChatMessageHistory", "ReadAgentRetriever"]


class ReadAgentRetriever(BaseRetriever):
    """Returns the pages that the model opens for a question as documents, or with ``kind="quotes"`` what it quotes.

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

    ``messages`` has at most so many ``words``, see ``Conversation.messages``: the newest messages as they are, after a
    system message with the gists of what was said before.
    """

    def __init__(self, agent: ReadAgent, name: str, *, words: int = 1500) -> None:
        self._conversation, self._words = Conversation(agent, name), words

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override, unused-ignore]
        known: list[BaseMessage] = convert_to_messages(self._conversation.messages(words=self._words))
        return known

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add what was said; see ``Conversation.add_messages`` for what is kept of messages that are not text."""
        self._conversation.add_messages(convert_to_openai_messages([*messages]))

    def clear(self) -> None:
        """Delete the conversation, if there is one."""
        with suppress(NotInLibraryError):
            self._conversation.delete()
