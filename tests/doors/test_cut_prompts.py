"""A server that cuts a long prompt without a word: the page and an agent are told so, and the question is asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from doors.mcp_clients import result
from doors.test_mcp_tools import client_of
from readagent import AsyncReadAgent
from readagent.testing.loopback import LoopbackServer
from web.fixtures import Serve

QUESTION = "What does the story tell about the lighthouse?"
CUT = 900  # tokens
SAID = f"tokens to {CUT}, without saying so; used instead: a window of {CUT} tokens, and asked again"


def whole(model: LoopbackServer) -> bool:
    """Whether the last prompt arrived as it was sent."""
    return len(model.requests[-1].prompt) <= 4 * CUT


def test_the_page_says_so_while_it_answers_and_with_the_answer(serve: Serve, model: LoopbackServer) -> None:
    client = serve().client
    story = client.story()
    model._cuts = CUT  # it was started again with a smaller window
    job = client.post(f"/api/documents/{story}/questions", {"question": QUESTION}, status=202)
    events = [(kind, data) for kind, data, _ in client.events(f"/api/jobs/{job['id']}/events")]
    told = [at for at, (kind, data) in enumerate(events) if kind == "note" and SAID in data["text"]]
    restarts = [at for at, (kind, _) in enumerate(events) if kind == "restart"]
    answer = client.get(f"/api/jobs/{job['id']}")["result"]
    later = "".join(data["delta"] for kind, data in events[restarts[-1] :] if kind == "text")
    assert len(told) == 1
    assert later == answer["answer"], "what was streamed from the cut prompt is taken back"
    assert [one["step"] for one in answer["fallbacks"]] == ["window"]
    assert whole(model)


@pytest.mark.anyio
async def test_an_agent_gets_a_warning_with_what_it_has_read_and_with_the_answer(own_home: Path) -> None:
    async with (
        LoopbackServer() as model,
        AsyncReadAgent("skimmer", base_url=model.base_url, library=own_home / "library.db") as agent,
        client_of(agent) as client,
    ):
        story = await result(client, "read_document", path="story.txt")
        assert story["warnings"] == []
        model._cuts = CUT
        answer = await result(client, "ask", document=story["document"], question=QUESTION)
        assert whole(model)
        again = await result(client, "ask", document=story["document"], question=QUESTION)
    async with (
        LoopbackServer(cuts=CUT) as model,
        AsyncReadAgent("skimmer", base_url=model.base_url, library=own_home / "library.db") as agent,
        client_of(agent) as client,
    ):
        meeting = await result(client, "read_document", path="meeting.txt")
    for told in (answer["warnings"], meeting["warnings"]):
        assert len(told) == 1
        assert SAID in told[0]
    assert again["warnings"] == []
