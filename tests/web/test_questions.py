"""Questions are answered as jobs: the text streams, pages light up, and the answer has quotes and a trace."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.running import STORY, Client

pytestmark = pytest.mark.slow


@pytest.fixture
def story(client: Client) -> str:
    return client.story()


def test_the_trace_has_prompts_and_replies(client: Client, story: str, model: LoopbackServer) -> None:
    body = {"question": "Who holds the key?"}
    answer = client.ended(client.post(f"/api/documents/{story}/questions", body, status=202))["result"]
    trace = client.get(f"/api/answers/{answer['id']}/trace")
    sent = {request.prompt for request in model.requests}
    assert trace["calls"]
    assert all(any(one.startswith(call["prompt"]) for one in sent) for call in trace["calls"])  # a form may follow
    assert not any(call["cached"] for call in trace["calls"])
    again = client.ended(client.post(f"/api/documents/{story}/questions", body, status=202))
    assert all(call["cached"] for call in client.get(f"/api/answers/{again['result']['id']}/trace")["calls"])
    assert (again["calls"], again["tokens"]) == (0, 0)


def test_nothing_after_the_position_reaches_the_model(client: Client, story: str, model: LoopbackServer) -> None:
    position = len(STORY) // 2
    before = len(model.requests)
    body = {"question": "How does it end?", "up_to": position}
    answer = client.ended(client.post(f"/api/documents/{story}/questions", body, status=202))["result"]
    assert answer["up_to"] == position
    text = client.get(f"/api/documents/{story}/text")["text"]
    late = [line for line in text[position:].splitlines()[1:] if len(line) > 60]
    prompts = "\n".join(request.prompt for request in model.requests[before:])
    assert late
    assert not any(line in prompts for line in late)
    beyond = {"question": "How?", "up_to": len(text) + 1}
    assert client.post(f"/api/documents/{story}/questions", beyond, status=422)["error"]
