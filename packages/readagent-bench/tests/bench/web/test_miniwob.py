"""MiniWoB in a real browser: an oracle that sees the prompts alone gets every reward, so what it is shown is right.

benchmarks/miniwob.py plays the oracle's tasks with several seeds, and in small parts.
"""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from benchmarks.miniwob_oracle import TASKS as ORACLES_TASKS
from benchmarks.miniwob_oracle import Oracle
from benchmarks.miniwob_oracle.model import answer

from cli.console import Console
from readagent.agent import AsyncReadAgent
from readagent.testing.loopback import LoopbackServer
from readagent_bench.web.miniwob import play_all

pytestmark = pytest.mark.anyio
needs_tasks = pytest.mark.skipif(
    find_spec("miniwob") is None, reason="the package miniwob, with the tasks, is not installed"
)
SOME = ("drag-items", "choose-list", "email-inbox-reply", "search-engine", "login-user-popup")


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    return Console(capsys, monkeypatch)


@pytest.mark.browser
@needs_tasks
async def test_the_oracle_gets_full_rewards() -> None:
    async with AsyncReadAgent(Oracle(), window=8000) as agent:
        episodes = await play_all(SOME, 1, agent)
    assert [episode for episode in episodes if not episode.success] == []
    assert not any(episode.fallbacks for episode in episodes)


@pytest.mark.release
@pytest.mark.browser
@needs_tasks
async def test_the_oracle_gets_full_rewards_in_all_its_tasks() -> None:
    async with AsyncReadAgent(Oracle(), window=8000) as agent:
        episodes = await play_all(ORACLES_TASKS, 1, agent)
    assert [episode for episode in episodes if not episode.success] == []


@pytest.mark.release
@pytest.mark.browser
@needs_tasks
async def test_the_same_seed_is_the_same_problem() -> None:
    async with AsyncReadAgent(Oracle(), window=8000) as agent:
        first = await play_all(["click-option"], 2, agent)
        again = await play_all(["click-option"], 2, agent)
    assert first == again
    assert first[0].instruction != first[1].instruction


@pytest.mark.release
@pytest.mark.browser
@needs_tasks
def test_the_command(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(lambda prompt, constraint: answer(prompt)).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        heard = console.done("bench", "web", "miniwob", "--tasks", "click-test,enter-text", "--seeds", 1)
        printed = console.done("bench", "web", "miniwob", "--tasks", "click-test", "--seeds", 1, "--json").out
    assert heard.out.replace(" ", "").startswith("|task|episodes|success%|")
    assert "all 2 tasks" in heard.out
    assert json.loads(printed)["episodes"][0]["reward"] == 1
    assert "MiniWoB has no task" in console.fails("bench", "web", "miniwob", "--tasks", "click-nothing")
