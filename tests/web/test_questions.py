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
    assert all(call["prompt"] in sent for call in trace["calls"])
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


def test_choices_claims_and_earlier_answers(client: Client, story: str, model: LoopbackServer) -> None:
    body = {"question": "Who holds the key?", "choices": ["Jakob", "Irma"]}
    chosen = client.ended(client.post(f"/api/documents/{story}/questions", body, status=202))["result"]
    assert chosen["choice"] in ("A", "B")
    body = {"question": "Irma holds the key.", "claim": True}
    judged = client.ended(client.post(f"/api/documents/{story}/questions", body, status=202))["result"]
    assert judged["choice"] in ("true", "false")
    follow = {"question": "And why is that so?", "history": [chosen["id"]]}
    client.ended(client.post(f"/api/documents/{story}/questions", follow, status=202))
    assert any("Who holds the key?" in one.prompt and "And why is that so?" in one.prompt for one in model.requests)
    unknown = {"question": "And?", "history": [999]}
    assert client.post(f"/api/documents/{story}/questions", unknown, status=404)["error"]


def test_a_question_that_is_none_is_refused_at_once(client: Client, story: str) -> None:
    path = f"/api/documents/{story}/questions"
    assert client.post(path, {"question": " "}, status=400)["hint"]
    assert client.post(path, {"question": "Who?", "choices": ["one"]}, status=400)["hint"]
    assert client.post(path, {"question": "\0"}, status=422)["hint"]
    assert client.post(path, {"question": "Who?", "choices": ["one", "t\0wo"]}, status=422)["hint"]
    both = {"question": "Who?", "choices": ["one", "two"], "claim": True}
    assert "claim" in client.post(path, both, status=422)["error"]
    assert "quesion" in client.post(path, {"quesion": "Who?"}, status=422)["error"]
    assert client("POST", path, content=b"{nonsense", status=422)["error"]
    assert client.post("/api/documents/0123456789abcdef/questions", {"question": "Who?"}, status=404)["error"]
