"""The reader and the retriever for LlamaIndex, in LlamaIndex's own pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adapters.tales import SOLD, WHO, honey, shelf, tale
from readagent import ReadAgent
from readagent.testing.loopback import LoopbackServer

core = pytest.importorskip("llama_index.core")

from readagent.adapters.llama_index import ReadAgentReader, ReadAgentRetriever  # noqa: E402

pytestmark = pytest.mark.anyio
FIXTURES = Path(__file__).parent.parent / "fixtures"


async def test_pages_are_nodes_in_the_order_of_their_importance(agent: ReadAgent) -> None:
    retriever = ReadAgentRetriever(agent, honey(agent))
    found = retriever.retrieve(WHO)
    assert SOLD in found[0].text
    assert found[0].metadata["title"] == "Of honey"
    assert [one.node.id_ for one in await retriever.aretrieve(WHO)] == [one.node.id_ for one in found]


def test_a_chain_answers_from_the_quotes(agent: ReadAgent) -> None:
    from llama_index.core.query_engine import CitationQueryEngine

    like = pytest.importorskip("llama_index.llms.openai_like")

    def answer(prompt: str, constraint: object) -> str:
        return "To the widow of honeyville [1]." if "Source 1:" in prompt and SOLD in prompt else "I cannot tell."

    with LoopbackServer(answer).in_thread() as server:
        llm = like.OpenAILike(model="skimmer", api_base=server.base_url, api_key="-", is_chat_model=True)
        retriever = ReadAgentRetriever(agent, shelf(agent), kind="quotes")
        response = CitationQueryEngine(retriever, llm=llm).query(WHO)
    assert str(response) == "To the widow of honeyville [1]."
    assert {node.metadata["title"] for node in response.source_nodes} == {"Of honey"}


async def test_a_file_of_any_format_is_a_document() -> None:
    (found,) = ReadAgentReader().load_data(FIXTURES / "story.libreoffice.epub", extra_info={"shelf": "blue"})
    assert found.metadata["source"].endswith("story.libreoffice.epub")
    assert found.metadata["title"]
    assert found.metadata["shelf"] == "blue"
    (again,) = await ReadAgentReader().aload_data(FIXTURES / "story.libreoffice.epub")
    assert (again.id_, again.text) == (found.id_, found.text)


def test_a_directory_reader_uses_it_for_its_files(tmp_path: Path) -> None:
    (tmp_path / "story.epub").write_bytes((FIXTURES / "story.libreoffice.epub").read_bytes())
    extractors: dict[str, Any] = {".epub": ReadAgentReader()}
    (found,) = core.SimpleDirectoryReader(tmp_path, file_extractor=extractors).load_data()
    assert found.metadata["file_name"] == "story.epub"
    assert len(found.text.split()) > 50


def test_with_an_agent_every_page_is_a_document_with_its_gist(agent: ReadAgent, tmp_path: Path) -> None:
    file = tmp_path / "honey.txt"
    file.write_text(tale("honey").text, "utf-8")
    memory = honey(agent)
    pages = ReadAgentReader(agent).load_data(file)
    assert [page.text for page in pages] == [memory.page_text(n).strip() for n in range(len(memory.pages))]
    assert [page.metadata["gist"] for page in pages] == [gist.text for gist in memory.gists]
    assert core.node_parser.SentenceSplitter(chunk_size=128, chunk_overlap=0).get_nodes_from_documents(pages)
