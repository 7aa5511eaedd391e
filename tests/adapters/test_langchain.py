"""The retriever and the chat history for LangChain, in LangChain's own chains."""

from __future__ import annotations

import pytest

from adapters.tales import SOLD, WHO, honey, shelf
from readagent import ReadAgent
from readagent.errors import ReadAgentError, UsageError

pytest.importorskip("langchain_core")

from langchain_core.documents import Document  # noqa: E402
from langchain_core.runnables import RunnableLambda  # noqa: E402

from readagent.adapters.langchain import ReadAgentRetriever  # noqa: E402

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


def test_it_takes_the_fields_of_every_retriever_and_refuses_wrong_ones(agent: ReadAgent) -> None:
    memory = honey(agent)
    assert ReadAgentRetriever(agent, memory, tags=["books"]).tags == ["books"]
    with pytest.raises(UsageError, match="pages or quotes"):
        ReadAgentRetriever(agent, memory, kind="words")  # type: ignore[arg-type]


async def test_an_error_stays_one_of_readagent(agent: ReadAgent) -> None:
    retriever = ReadAgentRetriever(agent, honey(agent))
    with pytest.raises(ReadAgentError, match="question is empty"):
        retriever.invoke(" ")
    with pytest.raises(ReadAgentError, match="question is empty"):
        await retriever.ainvoke(" ")
