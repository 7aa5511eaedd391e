"""The retriever and the chat history for LangChain, in LangChain's own chains."""

from __future__ import annotations

import warnings

import pytest

from adapters.tales import SOLD, WHO, honey, shelf
from readagent import ReadAgent

pytest.importorskip("langchain_core")

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda

from readagent.adapters.langchain import ReadAgentChatMessageHistory, ReadAgentRetriever

pytestmark = pytest.mark.anyio


async def test_pages_are_documents_with_their_place(agent: ReadAgent) -> None:
    retriever = ReadAgentRetriever(agent, honey(agent))
    found = retriever.invoke(WHO)
    assert SOLD in found[0].page_content
    assert found[0].metadata["source"] == "/tales/honey.txt"
    assert found[0].metadata["place"] == "page 1"
    assert await retriever.ainvoke(WHO) == found
    assert retriever.batch([WHO, WHO]) == [found, found]


def test_a_chain_gets_the_quotes_of_a_shelf(agent: ReadAgent) -> None:
    def joined(documents: list[Document]) -> str:
        return "; ".join(f"{one.metadata['title']}: {one.page_content}" for one in documents)

    chain = ReadAgentRetriever(agent, shelf(agent), kind="quotes") | RunnableLambda(joined)
    assert f"Of honey: {SOLD}" in chain.invoke(WHO)


async def test_a_history_is_kept_under_its_name_and_can_be_cleared(agent: ReadAgent) -> None:
    history = ReadAgentChatMessageHistory(agent, "support")
    assert history.messages == []
    history.clear()  # nothing to delete is no error
    said = [HumanMessage("My order is 4711."), AIMessage("It left on Monday."), HumanMessage("Thanks.")]
    history.add_messages(said[:2])
    await history.aadd_messages(said[2:])
    assert history.messages == await history.aget_messages() == said
    assert ReadAgentChatMessageHistory(agent, "support").messages == said
    assert ReadAgentChatMessageHistory(agent, "sales").messages == []
    await history.aclear()
    assert history.messages == ReadAgentChatMessageHistory(agent, "support").messages == []
    history.add_user_message("Once more.")
    assert history.messages == [HumanMessage("Once more.")]


def test_of_a_long_history_the_newest_messages_come_after_gists(agent: ReadAgent) -> None:
    history = ReadAgentChatMessageHistory(agent, "long", words=200)
    for number in range(40):
        history.add_user_message(f"Message {number}: " + "the parcel is late again and nobody answers. " * 5)
    first, *newest = history.messages
    assert isinstance(first, SystemMessage)
    assert "Message 39" in newest[-1].text
    assert sum(len(one.text.split()) for one in (first, *newest)) <= 200


def test_a_chain_remembers_with_it(agent: ReadAgent) -> None:
    histories = pytest.importorskip("langchain_core.runnables.history")
    seen: list[list[BaseMessage]] = []

    def model(messages: list[BaseMessage]) -> AIMessage:
        seen.append(messages)
        return AIMessage("Noted.")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LangChain recommends other ways of remembering
        chain = histories.RunnableWithMessageHistory(
            RunnableLambda(model), lambda session_id: ReadAgentChatMessageHistory(agent, session_id)
        )
    config = {"configurable": {"session_id": "support"}}
    for text in ("My order is 4711.", "Where is it?"):
        chain.invoke([HumanMessage(text)], config)
    assert [one.text for one in seen[1]] == ["My order is 4711.", "Noted.", "Where is it?"]
