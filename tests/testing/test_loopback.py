"""The loopback server: repeatable faults, its log, its thread, and the program."""

from __future__ import annotations

import subprocess
import sys

import httpx2
import pytest

from readagent.core.model import Ask
from readagent.errors import ReadAgentError, UsageError
from readagent.models.endpoint import Endpoint
from readagent.testing import Fault, Faults, LoopbackServer

pytestmark = pytest.mark.anyio


async def outcomes(prompts: list[str], faults: Faults | list[Fault]) -> list[str]:
    async with LoopbackServer(lambda *_: "fine", faults=faults) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        found = []
        for prompt in prompts:
            try:
                found.append((await endpoint.complete(Ask("gist", prompt))).text)
            except ReadAgentError as error:
                found.append(type(error).__name__)
        await endpoint.aclose()
    return found


ERRORS: dict[Fault, str] = {
    "429": "RateLimitedError", "500": "ServerFaultError", "cut": "ConnectionFailedError", "malformed": "BadReplyError",
    "overflow": "ContextOverflowError", "wrong key": "UnauthorizedError", "html": "ServerFaultError",
    "blocked": "ContentRefusedError",
}  # fmt: skip


@pytest.mark.parametrize("fault", ERRORS)
async def test_every_fault_raises_its_error(fault: Fault) -> None:
    assert await outcomes(["A page of the story. " * 300], [fault]) == [ERRORS[fault]]


async def test_faults_do_not_depend_on_the_order_of_requests() -> None:
    prompts = [f"prompt {i}" for i in range(30)]
    first = dict(zip(prompts, await outcomes(prompts, Faults(0.3, seed=1)), strict=True))
    second = dict(zip(prompts[::-1], await outcomes(prompts[::-1], Faults(0.3, seed=1)), strict=True))
    assert first == second
    assert 2 < sum(outcome != "fine" for outcome in first.values()) < 18
    assert list(first.values()) != await outcomes(prompts, Faults(0.3, seed=2))


def test_an_unknown_fault_is_rejected() -> None:
    with pytest.raises(UsageError, match="unknown fault 'flood'"):
        Faults(0.5, kinds=["flood"])  # type: ignore[list-item]


async def test_planned_faults_occur_in_order_and_are_logged() -> None:
    async with LoopbackServer(lambda *_: "fine", faults=["500", None, "cut"]) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        for _ in range(4):
            try:
                await endpoint.complete(Ask("gist", "a prompt"))
            except ReadAgentError:
                continue
        await endpoint.aclose()
        log = [(request.prompt, request.fault, request.finished) for request in server.requests]
    assert log == [("a prompt", "500", False), ("a prompt", None, True), ("a prompt", "cut", False),
                   ("a prompt", None, True)]  # fmt: skip


def test_as_a_program_it_prints_its_address_first() -> None:
    command = [sys.executable, "-m", "readagent.testing.loopback", "--port", "0", "--window", "2000", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        try:
            listed = httpx2.get(f"{base_url}/models").json()
        finally:
            process.kill()
    assert listed["data"][0]["max_model_len"] == 2000
