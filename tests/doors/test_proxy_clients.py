"""Clients that know nothing of the proxy but its address: each sends more than the window takes, and gets an answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from doors.proxying import WINDOW, RunningProxy, answers, own_calls, prose, until
from readagent.testing.loopback import Call, LoopbackServer
from readagent.testing.loopback.requests import tokens

Start = Callable[..., RunningProxy]
FACT = "The password of the lighthouse keeper is heliotrope seventeen."
QUESTION = "What is the password of the lighthouse keeper?"
LONG = f"{QUESTION}\n\n{prose(5000)}\n\n{FACT}\n\n{prose(5000, 1)}"
ANSWER = "It is heliotrope seventeen."


def from_what_is_shown(prompt: str, constraint: object) -> str:
    """Answer from the fact if it is shown; read as usual for the proxy's own prompts."""
    if prompt.startswith(("Shorten", "Below")):
        return "Pages: 2, 3" if prompt.startswith("Below") else " ".join(prompt.split()[60:90])
    return ANSWER if FACT in prompt else "I cannot see that."


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(from_what_is_shown, window=WINDOW, constrain="ignore", key="sk-test").in_thread() as server:
        yield server


def checked(model: LoopbackServer, asked: int = 1) -> None:
    """The model has got the caller's key, in every call."""
    until(lambda: own_calls(model))
    assert {one.headers["authorization"] for one in model.requests} == {"Bearer sk-test"}
    assert len(answers(model)) == asked


def test_openai(model: LoopbackServer, start: Start) -> None:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(base_url=start().base_url, api_key="sk-test") as client:
        done = client.chat.completions.create(model="skimmer", messages=[{"role": "user", "content": LONG}])
        assert done.choices[0].message.content == ANSWER
        assert done.model_extra["readagent"]["compressed"] is True
        assert [one.id for one in client.models.list()] == ["skimmer"]
    checked(model)


def test_openai_streaming(model: LoopbackServer, start: Start) -> None:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(base_url=start().base_url, api_key="sk-test") as client:
        given: Any = {"model": "skimmer", "stream": True, "stream_options": {"include_usage": True}}
        chunks = list(client.chat.completions.create(messages=[{"role": "user", "content": LONG}], **given))
        said = [{"role": "user", "content": [{"type": "input_text", "text": LONG}]}]
        events = list(client.responses.create(model="skimmer", input=said, stream=True))
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == ANSWER
    assert chunks[-1].model_extra["readagent"]["pages"] > 5
    assert "".join(one.delta for one in events if one.type == "response.output_text.delta") == ANSWER
    assert events[-1].response.output_text == ANSWER
    assert events[-1].response.model_extra["readagent"]["pages"] > 5
    checked(model, 2)


def test_openai_gets_the_servers_error(start: Start) -> None:
    openai = pytest.importorskip("openai")
    with (
        openai.OpenAI(base_url=start().base_url, api_key="sk-wrong", max_retries=0) as client,
        pytest.raises(openai.AuthenticationError, match="Incorrect API key"),
    ):
        client.chat.completions.create(model="skimmer", messages=[{"role": "user", "content": "Hello"}])


def test_anthropic(model: LoopbackServer, start: Start) -> None:
    anthropic = pytest.importorskip("anthropic")
    given: Any = {"model": "skimmer", "messages": [{"role": "user", "content": LONG}]}
    tool = {"name": "search", "input_schema": {"type": "object", "properties": {"words": {"type": "string"}}}}
    model.window, address = 2 * WINDOW, start().address
    with anthropic.Anthropic(base_url=address, api_key="sk-test", max_retries=0) as client:
        assert client.messages.count_tokens(**given).input_tokens > WINDOW
        given["max_tokens"] = 8000
        with client.messages.stream(**given) as stream:
            assert "".join(stream.text_stream) == ANSWER
            counted = [stream.get_final_message().usage.input_tokens]
        done = client.messages.create(**given)
        assert (done.content[0].text, done.stop_reason) == (ANSWER, "end_turn")
        assert [*counted, done.usage.input_tokens] == [tokens(one.prompt) for one in answers(model)]
        assert done.model_extra["readagent"]["pages"] > 5
        model.answer = lambda prompt, constraint: Call.of("search", words="a lighthouse")
        with client.messages.stream(**given, tools=[tool]) as stream:
            (use,) = stream.get_final_message().content
        assert (use.type, use.name, use.input) == ("tool_use", "search", {"words": "a lighthouse"})
    with (
        anthropic.Anthropic(base_url=address, auth_token="sk-wrong", max_retries=0) as client,
        pytest.raises(anthropic.AuthenticationError, match="Incorrect API key"),
    ):
        client.messages.create(**given)


def test_claude_code(model: LoopbackServer, start: Start, tmp_path: Path) -> None:
    """It reads a file that the window has no room for. Whatever else it connects to leads to a port without a server."""
    installed = Path(sys.executable).parents[1] / "claude" / "node_modules" / ".bin"
    claude = shutil.which("claude", path=f"{installed}{os.pathsep}{os.environ['PATH']}")
    if claude is None:
        pytest.skip("Claude Code is not installed; see `make test-adapters`")
    (tmp_path / "notes.txt").write_text(LONG, "utf-8")
    model.window, nowhere, read = 32_768, "http://127.0.0.1:9", model.answer

    def reads_the_file(prompt: str, constraint: Any) -> str:
        wants_it = "notes.txt" in prompt and FACT not in prompt and "Although" not in prompt
        return Call.of("Read", file_path=str(tmp_path / "notes.txt")) if wants_it else read(prompt, constraint)

    model.answer = reads_the_file
    own = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "ANTHROPIC_BASE_URL": start().address,
        "ANTHROPIC_AUTH_TOKEN": "sk-test", "ANTHROPIC_MODEL": "skimmer", "ANTHROPIC_DEFAULT_HAIKU_MODEL": "skimmer",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere,
        "NO_PROXY": "127.0.0.1",
    }  # fmt: skip
    command = [claude, "-p", "What is the password? It is in notes.txt.", "--allowedTools", "Read"]
    ran = subprocess.run(
        command,
        env=own,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.stdout.strip() == ANSWER, ran.stderr
    until(lambda: own_calls(model))
    assert {one.headers["authorization"] for one in model.requests} == {"Bearer sk-test"}


def needs(package: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed; see `make test-adapters`")


def program(script: str, base_url: str, home: Path) -> str:
    """Run a program that sends what is on its standard input, and return what it prints.

    These clients leave connections open until their process ends.
    """
    own = {"BASE_URL": base_url, "LLM_USER_PATH": str(home), "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*"}
    ran = subprocess.run(
        [sys.executable, "-c", script], input=LONG, capture_output=True, text=True, timeout=120, env={**os.environ, **own},
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


LANGCHAIN = """
import os, sys
from langchain_openai import ChatOpenAI
chat = ChatOpenAI(base_url=os.environ["BASE_URL"], api_key="sk-test", model="skimmer")
text = sys.stdin.read()
print(chat.invoke(text).content)
print("".join(piece.content for piece in chat.stream(text)))
"""
LITELLM = """
import os, sys, litellm
messages = [{"role": "user", "content": sys.stdin.read()}]
given = {"model": "openai/skimmer", "api_base": os.environ["BASE_URL"], "api_key": "sk-test"}
print(litellm.completion(messages=messages, **given).choices[0].message.content)
"""
LLM = """
import sys, llm
text = sys.stdin.read()
for name in ("small", "small-responses"):
    for stream in (False, True):
        print(llm.get_model(name).prompt(text, key="sk-test", stream=stream).text())
"""


AGENTS = """
import os, sys
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
text = sys.stdin.read()

@function_tool
def look(what: str) -> str:
    "Look something up."
    return what

for kind in (OpenAIResponsesModel, OpenAIChatCompletionsModel):
    client = AsyncOpenAI(base_url=os.environ["BASE_URL"], api_key="sk-test")
    agent = Agent(name="reader", instructions="Be terse.", model=kind("skimmer", client), tools=[look])
    first = Runner.run_sync(agent, text)
    print(first.final_output)
    print(Runner.run_sync(agent, [*first.to_input_list(), {"role": "user", "content": text[:100]}]).final_output)
"""


def test_openai_agents(model: LoopbackServer, start: Start, tmp_path: Path) -> None:
    needs("agents")
    assert program(AGENTS, start().base_url, tmp_path) == "\n".join([ANSWER] * 4)
    assert len(answers(model)) == 4


def test_langchain(model: LoopbackServer, start: Start, tmp_path: Path) -> None:
    needs("langchain_openai")
    assert program(LANGCHAIN, start().base_url, tmp_path) == f"{ANSWER}\n{ANSWER}"
    assert len(answers(model)) == 2


def test_litellm(model: LoopbackServer, start: Start, tmp_path: Path) -> None:
    needs("litellm")
    assert program(LITELLM, start().base_url, tmp_path) == ANSWER
    checked(model)


def test_llm(model: LoopbackServer, start: Start, tmp_path: Path) -> None:
    needs("llm")
    base_url = start().base_url
    own = {"model_id": "small", "model_name": "skimmer", "api_base": base_url, "api_key_name": "small"}
    models = [own, {**own, "model_id": "small-responses", "responses": True}]
    (tmp_path / "extra-openai-models.yaml").write_text(json.dumps(models))  # JSON is YAML
    assert program(LLM, base_url, tmp_path) == "\n".join([ANSWER] * 4)
    assert len(answers(model)) == 4


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_curl(model: LoopbackServer, start: Start, tmp_path: Path) -> None:
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"model": "skimmer", "messages": [{"role": "user", "content": LONG}]}))
    command = ["curl", "-sS", "--noproxy", "*", "-H", "Authorization: Bearer sk-test", "--data-binary", f"@{body}"]
    ran = subprocess.run(
        [*command, f"{start().base_url}/chat/completions"], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(ran.stdout)["choices"][0]["message"]["content"] == ANSWER
    checked(model)
