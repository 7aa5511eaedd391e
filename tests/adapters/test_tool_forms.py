"""The forms of OpenAI and Anthropic: their own packages send the tools and understand the calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adapters.tales import SOLD, WHO, honey
from doors.proxying import proxied
from readagent import ReadAgent
from readagent.adapters.tools import Tools
from readagent.testing.loopback import Call, LoopbackServer


def test_schemas_meet_the_rules_of_strict_mode(agent: ReadAgent) -> None:
    for form in (Tools(agent), Tools(agent, honey(agent))):
        for tool in form:
            assert tool.schema["required"] == [*tool.schema["properties"]]
            assert tool.schema["additionalProperties"] is False


def test_chat_completions_of_openai(agent: ReadAgent) -> None:
    openai = pytest.importorskip("openai")
    tools = Tools(agent, honey(agent))

    def answer(prompt: str, constraint: object) -> str:
        return "The widow." if SOLD in prompt else Call.of("answer_question", question=WHO)

    with LoopbackServer(answer).in_thread() as server, openai.OpenAI(base_url=server.base_url, api_key="-") as client:
        messages: list[Any] = [{"role": "user", "content": WHO}]
        while (
            message := client.chat.completions.create(model="skimmer", messages=messages, tools=tools.openai())
            .choices[0]
            .message
        ).tool_calls:
            messages.append(message)
            for call in message.tool_calls:
                content = tools.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    assert message.content == "The widow."
    assert server.requests[0].parameters["tools"] == tools.openai()


def test_langchain_binds_the_form_of_openai(agent: ReadAgent) -> None:
    calling = pytest.importorskip("langchain_core.utils.function_calling")
    for tool in Tools(agent).openai():
        assert calling.convert_to_openai_tool(tool) == tool


def test_responses_of_openai(agent: ReadAgent) -> None:
    openai = pytest.importorskip("openai")
    tools = Tools(agent, honey(agent))
    call = {
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "open_pages", "arguments": '{"pages": [1]}',
        "status": "completed",
    }  # fmt: skip
    reply = {
        "id": "1", "object": "response", "created_at": 0, "model": "m", "status": "completed", "output": [call],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    server = LoopbackServer(routes={"/v1/responses": reply})
    with server.in_thread(), openai.OpenAI(base_url=server.base_url, api_key="-") as client:
        (asked,) = client.responses.create(model="m", input=WHO, tools=tools.responses()).output
    assert SOLD in tools.call(asked.name, asked.arguments)


def test_messages_of_anthropic(agent: ReadAgent, tmp_path: Path) -> None:
    anthropic = pytest.importorskip("anthropic")
    tools = Tools(agent, honey(agent))
    with (
        proxied(tmp_path, answer=lambda prompt, constraint: Call.of("open_pages", pages=[1])) as (server, proxy),
        anthropic.Anthropic(base_url=proxy.address, api_key="-") as client,
    ):
        said = [{"role": "user", "content": WHO}]
        (asked,) = client.messages.create(model="skimmer", max_tokens=9, messages=said, tools=tools.anthropic()).content
    sent = [one["function"] for one in server.requests[0].parameters["tools"]]
    assert sent == [
        {key: one["function"][key] for key in ("name", "description", "parameters")} for one in tools.openai()
    ]
    assert SOLD in tools.call(asked.name, asked.input)
