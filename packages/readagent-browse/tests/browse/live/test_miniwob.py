"""MiniWoB in a real browser: an oracle that sees the prompts alone gets every reward, so what it is shown is right.

benchmarks/miniwob.py plays the oracle's tasks with several seeds, and in small parts.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from benchmarks.miniwob_oracle import TASKS as ORACLES_TASKS
from benchmarks.miniwob_oracle import Oracle
from benchmarks.miniwob_oracle.play import play_all

from readagent.agent import AsyncReadAgent

pytestmark = pytest.mark.anyio
needs_tasks = pytest.mark.skipif(
    find_spec("miniwob") is None, reason="the package miniwob, with the tasks, is not installed"
)
SOME = ("drag-items", "choose-list", "email-inbox-reply", "search-engine", "login-user-popup")


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
async def test_the_oracle_gets_full_rewards_in_all_its_tasks_and_a_seed_is_a_problem() -> None:
    async with AsyncReadAgent(Oracle(), window=8000) as agent:
        episodes = await play_all(ORACLES_TASKS, 1, agent)
        again = await play_all(ORACLES_TASKS[:2], 2, agent)
    assert [episode for episode in episodes if not episode.success] == []
    assert again[::2] == episodes[:2]
    assert again[0].instruction != again[1].instruction
