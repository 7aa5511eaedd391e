"""A request whose estimate is over the window is tried as it is, if it may fit and the server refuses what does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from doors.proxying import CHAT, COUNT, WINDOW, RunningProxy, answers, own_calls, said, until
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse

pytestmark = pytest.mark.slow

TAMIL = "தமிழ் மொழி பழமையானது. "


def listed(owner: str = "vllm", **more: Any) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": "skimmer", "owned_by": owner, "max_model_len": WINDOW, **more}]}}


@contextmanager
def proxied(home: Path, settings: Any = None, **options: Any) -> Iterator[tuple[LoopbackServer, RunningProxy]]:
    given = {"window": WINDOW, "routes": listed(), **options}
    with LoopbackServer(**given).in_thread() as model:
        proxy = RunningProxy(home, model.base_url, settings=settings)
        try:
            yield model, proxy
        finally:
            proxy.stop()


def asked(text: str) -> list[dict[str, Any]]:
    return [said("user", f"What is this about?\n\n{text}")]


def refused(model: LoopbackServer) -> int:
    until(lambda: model.requests[-1].finished)
    return sum(not one.finished for one in model.requests)


def test_what_fits_by_the_servers_count_is_passed_on_unchanged(own_home: Path) -> None:
    text = TAMIL * 700
    assert COUNT(text) > WINDOW > len(text) // 4
    body = b'{"model": "skimmer", "x": 1.10, "messages": [{"role":"user","content":"%s"}]}' % text.encode()
    with proxied(own_home, count=lambda one: len(one) // 4) as (model, proxy):
        reply = proxy.http.post(CHAT, content=body, headers={"content-type": "application/json"})
        assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "no")
        assert [one.body for one in model.requests] == [body]


def test_what_does_not_fit_is_refused_once_and_then_made_to_fit(own_home: Path) -> None:
    talk = asked(TAMIL * 1150)
    with proxied(own_home, count=lambda text: len(text) // 3, counts="prompt") as (model, proxy):
        for turn in range(3):
            reply = proxy.chat(talk)
            assert (reply.status_code, reply.headers["x-readagent-compressed"]) == (200, "yes")
            assert refused(model) == 1  # the later ones are known to be too long
            talk += [said("assistant", "It is about a language."), said("user", f"{TAMIL * 9} {turn}?")]
        assert len(own_calls(model)) > 3


def test_a_talk_in_such_a_script_is_passed_on_until_it_is_too_long(own_home: Path) -> None:
    talk = asked(TAMIL * 1100)
    with proxied(own_home, count=lambda text: len(text) // 4) as (model, proxy):
        assert proxy.chat(talk).headers["x-readagent-compressed"] == "no"
        talk += [said("assistant", "It is about a language."), said("user", TAMIL * 150)]
        assert proxy.chat(talk).headers["x-readagent-compressed"] == "no"
        talk += [said("assistant", "It is about a language."), said("user", TAMIL * 500)]
        assert proxy.chat(talk).headers["x-readagent-compressed"] == "yes"
        assert refused(model) == 1


def test_nothing_is_tried_where_the_server_may_cut_prompts(own_home: Path) -> None:
    with proxied(own_home, None, window=None, count=lambda text: len(text) // 4, routes=listed("somebody")) as (
        model,
        proxy,
    ):
        assert proxy.chat(asked(TAMIL * 700)).headers["x-readagent-compressed"] == "yes"
        assert max(len(one.prompt) for one in model.requests) < len(TAMIL * 700)


def test_an_error_of_another_kind_is_the_clients(own_home: Path) -> None:
    def refuse(prompt: str, constraint: Any) -> str:
        raise ErrorResponse(400, "This text is not allowed.")

    with proxied(own_home, answer=refuse, count=lambda text: len(text) // 4) as (model, proxy):
        reply = proxy.chat(asked(TAMIL * 700))
        assert (reply.status_code, reply.json()["error"]["message"]) == (400, "This text is not allowed.")
        assert len(answers(model)) == len(model.requests) == 1
