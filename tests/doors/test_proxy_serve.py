"""`readagent proxy` as a process, and under /v1 of `readagent serve`: its start, its token, and a line for each request."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from cli.console import LIMIT, Console, running
from doors.proxying import CHAT, WINDOW, answers, prose, said
from readagent.models import server_info
from readagent.proxy import window
from readagent.testing.loopback import LoopbackServer
from web.fixtures import Serve
from web.running import TOKEN

LONG = [said("user", f"Who painted the door?\n\n{prose(12_000)}")]


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW).in_thread() as server:
        yield server


def asked(address: str, messages: object, **headers: str) -> httpx2.Response:
    body = {"model": "skimmer", "messages": messages}
    return httpx2.post(f"{address.rstrip('/')}{CHAT}", json=body, headers=headers, timeout=60)


def test_it_needs_the_token_and_no_other_page_and_sends_the_servers_key(
    model: LoopbackServer, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "sk-of-the-server")
    address = serve().client.address
    refused = asked(address, LONG)
    assert refused.status_code == 401
    assert refused.json()["error"]["message"] == "the token is missing or wrong (send it as the API key)"
    assert asked(address, LONG, authorization="Bearer sk-of-a-caller").status_code == 401
    foreign = asked(address, LONG, authorization=f"Bearer {TOKEN}", origin="https://evil.example")
    assert (foreign.status_code, model.requests) == (403, [])
    reply = asked(address, LONG, authorization=f"Bearer {TOKEN}", origin=address.rstrip("/"))
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    assert {one.headers["authorization"] for one in model.requests} == {"Bearer sk-of-the-server"}
    assert len(answers(model)) == 1


def test_a_read_only_server_sends_nothing(model: LoopbackServer, serve: Serve) -> None:
    address = serve(read_only=True).client.address
    assert asked(address, LONG, authorization=f"Bearer {TOKEN}").status_code == 403
    assert model.requests == []


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_request(model: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_BASE_URL", model.base_url)
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    with running("serve", "--port", "0", "--token", TOKEN) as child:
        assert child.stdout is not None
        found = re.search(r"(http://\S+/)\?token=", child.stdout.readline())
        assert found is not None
        assert asked(found[1], [said("user", "Hello")], authorization=f"Bearer {TOKEN}").status_code == 200
        child.send_signal(signal.SIGTERM)
        _, told = child.communicate(timeout=LIMIT)
    assert re.search(r"^200 /chat/completions skimmer: \d+ tokens, passed on", told, re.M)


@pytest.fixture
def console(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: LoopbackServer
) -> Console:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("READAGENT_BASE_URL", model.base_url)
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    return Console(capsys, monkeypatch)


@pytest.mark.slow
def test_it_serves_until_it_is_stopped(console: Console, own_home: Path) -> None:
    with running("proxy", "--port", "0") as child:
        assert child.stdout is not None
        found = re.search(r"The proxy is at (http://\S+)/v1", child.stdout.readline())
        assert found is not None
        body = {"model": "skimmer", "messages": [said("user", f"Who mended the net?\n\n{prose(9000)}")]}
        reply = httpx2.post(f"{found[1]}{CHAT}", json=body, headers={"authorization": "Bearer sk-secret"}, timeout=60)
        assert reply.headers["x-readagent-compressed"] == "yes"
        child.send_signal(signal.SIGTERM)
        _, told = child.communicate(timeout=LIMIT)
    assert child.returncode == 0, told
    assert re.search(
        r"200 /chat/completions skimmer: [\d,]+ tokens, sent [\d,]+, \d+ pages, \d+ without a gist, opened \d+, calls 0",
        told,
    )
    assert "sk-secret" not in told
    assert (own_home / "library.db").exists()


def test_other_machines_need_a_token_of_the_proxy(console: Console) -> None:
    assert "READAGENT_PROXY_TOKEN" in console.fails("proxy", "--host", "0.0.0.0", "--port", "0")
    short = console.fails("proxy", "--host", "0.0.0.0", "--port", "0", "--token", "short")
    assert "at least 16 characters" in short


def test_it_needs_a_model_server(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("READAGENT_BASE_URL")
    assert "the proxy needs a model server" in console.fails("proxy", "--port", "0", "--model", "local")


ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "proxy.md").read_text("utf-8").split())


def test_the_servers_that_refuse_are_those_of_the_page() -> None:
    assert f"llama.cpp since build {server_info._LLAMA_CPP_REFUSES}" in PAGE
    known = {
        "OpenAI": "api.openai.com",
        "Anthropic": "api.anthropic.com",
        "Gemini": "generativelanguage.googleapis.com",
    }
    assert set(known.values()) == set(server_info._REFUSING_HOSTS)
    assert [one.lower() for one in ("vLLM", "SGLang")] == list(server_info._REFUSING_OWNERS)
    assert "those of OpenAI, Anthropic and Gemini, vLLM, SGLang," in PAGE
    assert ", ".join(f"`{name}`" for name in window._CUTTING[:-1]) + f" or `{window._CUTTING[-1]}`" in PAGE
