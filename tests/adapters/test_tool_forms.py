"""The forms of OpenAI and Anthropic: their own packages send the tools and understand the calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.tales import SOLD, WHO, honey
from adapters.tool_server import ToolServer, chat_call, chat_message
from readagent import ReadAgent
from readagent.adapters.tools import Tools


def test_schemas_meet_the_rules_of_strict_mode(agent: ReadAgent) -> None:
    for form in (Tools(agent), Tools(agent, honey(agent))):
        for tool in form:
            assert tool.schema["required"] == [*tool.schema["properties"]]
            assert tool.schema["additionalProperties"] is False


def test_chat_completions_of_openai(agent: ReadAgent) -> None:
    openai = pytest.importorskip("openai")
    tools = Tools(agent, honey(agent))
    replies = [chat_call("answer_question", {"question": WHO}), chat_message(content="The widow.")]
    with ToolServer(replies).running() as server, openai.OpenAI(base_url=server.url, api_key="none") as client:
        messages: list[Any] = [{"role": "user", "content": WHO}]
        while (
            message := client.chat.completions.create(model="m", messages=messages, tools=tools.openai())
            .choices[0]
            .message
        ).tool_calls:
            messages.append(message)
            for call in message.tool_calls:
                content = tools.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    assert message.content == "The widow."
    assert server.requests[0]["tools"] == tools.openai()
    assert json.loads(server.requests[1]["messages"][-1]["content"])["answer"] == SOLD


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
    with ToolServer([reply]).running() as server, openai.OpenAI(base_url=server.url, api_key="none") as client:
        (asked,) = client.responses.create(model="m", input=WHO, tools=tools.responses()).output
    assert server.requests[0]["tools"] == tools.responses()
    assert SOLD in tools.call(asked.name, asked.arguments)


def test_messages_of_anthropic(agent: ReadAgent) -> None:
    anthropic = pytest.importorskip("anthropic")
    tools = Tools(agent, honey(agent))
    use = {"type": "tool_use", "id": "t1", "name": "open_pages", "input": {"pages": [1]}}
    reply = {
        "id": "1", "type": "message", "role": "assistant", "model": "m", "content": [use], "stop_reason": "tool_use",
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    with ToolServer([reply]).running() as server, anthropic.Anthropic(base_url=server.url, api_key="none") as client:
        said = [{"role": "user", "content": WHO}]
        (asked,) = client.messages.create(model="m", max_tokens=9, messages=said, tools=tools.anthropic()).content
    assert server.requests[0]["tools"] == tools.anthropic()
    assert SOLD in tools.call(asked.name, asked.input)
