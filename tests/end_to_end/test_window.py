"""A window that the server does not report is learned from its error, and remembered."""

from __future__ import annotations

import pytest

from readagent import Document, Library, ReadAgent, load
from readagent.errors import ContextOverflowError, UsageError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from sessions import EXAMPLES

SILENT = {"/v1/models": {"object": "list", "data": [{"id": "skimmer", "object": "model"}]}}
STORY = load(EXAMPLES / "story.txt")


def test_an_unreported_window_is_learned_from_an_error(library: Library) -> None:
    window, story = 1200, Document.from_text(STORY.text[:9000])
    with LoopbackServer(window=window, routes=SILENT).in_thread() as server:
        with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
            assert agent.window() is None
            memory = agent.read(story)
            answer = agent.ask(memory, "Who is Irma Valk?")
            assert answer.text
            assert agent.window() == window
        asked = len(server.requests)
        with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent:
            assert agent.window() == window
            again = agent.read(story)
            assert agent.ask(again, "What happened to the barge?").text
        assert all(request.finished for request in server.requests[asked:]), "what was learnt was not made use of"


def test_a_model_with_a_tiny_window_is_refused_at_once() -> None:
    with LoopbackServer(window=400).in_thread() as server:
        with (
            ReadAgent("skimmer", base_url=server.base_url) as agent,
            pytest.raises(UsageError, match="a window of 400 tokens is too small to read with") as caught,
        ):
            agent.read(STORY)
        assert server.requests == []
    assert "the minimum is 512 tokens: use a model with a larger window" in caught.value.hint
    with (
        LoopbackServer(window=400, routes=SILENT).in_thread() as server,
        ReadAgent("skimmer", base_url=server.base_url) as agent,
        pytest.raises(ContextOverflowError, match="the model's window of 400 tokens is too small") as refused,
    ):
        agent.read(STORY)
    assert "512" in refused.value.hint


def test_a_memory_from_another_agent_is_merged_and_the_answer_names_its_pages(library: Library) -> None:
    document = STORY
    with ReadAgent(Skimmer()) as large:
        whole = large.read(document)
    with ReadAgent(Skimmer(), library=library, window=2000) as small:
        answer = small.ask(whole, "Who opened gate 14?")
        merged = small.recall(document.id)
    assert merged is not None
    assert len(merged.pages) < len(whole.pages)
    (kept,) = library.answers(document.id)
    assert kept.reading == merged.key
    assert set(answer.pages) <= set(range(len(whole.pages)))
