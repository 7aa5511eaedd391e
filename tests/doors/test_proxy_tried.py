"""What the proxy passes on: a request that may fit, and never a key of somebody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doors.proxying import CHAT, COUNT, WINDOW, answers, own_calls, proxied, said, until
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse

pytestmark = pytest.mark.slow
LONG = [said("user", "Who painted the door?\n\n" + "The boat left the harbour before the rain. " * 4000)]
SHORT = [said("user", "Hello")]
TAMIL = "தமிழ் மொழி பழமையானது. "


def listed(owner: str = "vllm", **more: Any) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": "skimmer", "owned_by": owner, "max_model_len": WINDOW, **more}]}}


def asked(text: str) -> list[dict[str, Any]]:
    return [said("user", f"What is this about?\n\n{text}")]


def refused(model: LoopbackServer) -> int:
    until(lambda: model.requests[-1].finished)
    return sum(not one.finished for one in model.requests)


def test_what_fits_by_the_servers_count_is_passed_on_unchanged(own_home: Path) -> None:
    text = TAMIL * 700
    assert COUNT(text) > WINDOW > len(text) // 4
    body = b'{"model": "skimmer", "x": 1.10, "messages": [{"role":"user","content":"%s"}]}' % text.encode()
    with proxied(own_home, routes=listed(), count=lambda one: len(one) // 4) as (model, proxy):
        reply = proxy.http.post(CHAT, content=body, headers={"content-type": "application/json"})
        assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "no")
        assert [one.body for one in model.requests] == [body]


def test_what_does_not_fit_is_refused_once_and_then_made_to_fit(own_home: Path) -> None:
    talk = asked(TAMIL * 1150)
    with proxied(own_home, routes=listed(), count=lambda text: len(text) // 3, counts="prompt") as (model, proxy):
        for turn in range(3):
            reply = proxy.chat(talk)
            assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
            assert refused(model) == 1  # the later ones are known to be too long
            talk += [said("assistant", "It is about a language."), said("user", f"{TAMIL * 9} {turn}?")]
        assert len(own_calls(model)) > 3


def test_a_refusal_in_the_first_event_of_a_stream_leads_to_one_that_fits(own_home: Path) -> None:
    with proxied(own_home, routes=listed(), count=lambda text: len(text) // 4) as (model, proxy):
        model.faults.plan("refused stream")
        reply = proxy.chat(asked(TAMIL * 700), stream=True)
    assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
    assert "maximum context" not in reply.text


def test_a_talk_in_such_a_script_is_passed_on_until_it_is_too_long(own_home: Path) -> None:
    talk = asked(TAMIL * 1100)
    with proxied(own_home, routes=listed(), count=lambda text: len(text) // 4) as (model, proxy):
        assert proxy.chat(talk).headers["x-readagent-compressed"] == "no"
        talk += [said("assistant", "It is about a language."), said("user", TAMIL * 150)]
        assert proxy.chat(talk).headers["x-readagent-compressed"] == "no"
        talk += [said("assistant", "It is about a language."), said("user", TAMIL * 500)]
        assert proxy.chat(talk).headers["x-readagent-compressed"] == "yes"
        assert refused(model) == 1


def test_nothing_is_tried_where_the_server_may_cut_prompts(own_home: Path) -> None:
    server = {"window": None, "count": lambda text: len(text) // 4, "routes": listed("somebody")}
    with proxied(own_home, **server) as (model, proxy):
        assert proxy.chat(asked(TAMIL * 700)).headers["x-readagent-compressed"] == "yes"
        assert max(len(one.prompt) for one in model.requests) < len(TAMIL * 700)


def test_an_error_of_another_kind_is_the_clients(own_home: Path) -> None:
    def refuse(prompt: str, constraint: Any) -> str:
        raise ErrorResponse(400, "This text is not allowed.")

    with proxied(own_home, routes=listed(), answer=refuse, count=lambda text: len(text) // 4) as (model, proxy):
        reply = proxy.chat(asked(TAMIL * 700))
        assert (reply.status_code, reply.json()["error"]["message"]) == (400, "This text is not allowed.")
        assert len(answers(model)) == len(model.requests) == 1


def repeating(key: str, status: int) -> dict[str, Any]:
    """A server that refuses everything, and repeats a key."""

    def refuse(prompt: str, constraint: dict[str, Any] | None) -> str:
        raise ErrorResponse(status, f"no such thing {key} here")

    return {"answer": refuse}


@pytest.mark.parametrize(("status", "header", "length"), [(400, "authorization", 9000), (404, "x-auth-token", 20)])
def test_a_key_that_the_server_repeats_is_not_logged(
    own_home: Path, caplog: pytest.LogCaptureFixture, status: int, header: str, length: int
) -> None:
    caplog.set_level("DEBUG")
    key = "sk-" + ("abcdefgh12345678" * 600)[:length]
    with proxied(own_home, **repeating(key, status)) as (_, proxy):
        reply = proxy.chat(LONG, headers={header: f"Bearer {key}" if header == "authorization" else key})
    assert reply.status_code >= 400
    lines = [one.getMessage() for one in caplog.records if one.name.startswith("readagent")]
    shown = [*lines, repr(dict(reply.headers)), *(repr(one) for one in proxy.proxy.last)]
    assert lines
    assert not any("abcdefgh12345678" in line for line in shown)


@pytest.mark.parametrize(("status", "messages", "key"), [(400, SHORT, "e"), (401, LONG, "sk-of-the-proxy-itself")])
def test_our_own_key_does_not_reach_a_caller(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, status: int, messages: list[dict[str, Any]], key: str
) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", key)
    with proxied(own_home, **repeating(key, status)) as (_, proxy):
        reply = proxy.chat(messages)
        theirs = proxy.chat(SHORT, key="sk-of-a-caller-1234")
    assert (reply.status_code, reply.json()["error"]["message"]) == (status, "no such thing [key] here")
    assert "sk-of-the-proxy" not in reply.text + repr(dict(reply.headers))
    assert f"thing {key} here" in theirs.text, "an error for a caller's own key is passed on as it is"
