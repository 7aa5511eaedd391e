"""What a benchmark has spent, as its folder records it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from models.gate import Gate, let_others_run
from readagent.bench.spending import purse_for, recording
from readagent.core.model import Ask, Reply
from readagent.core.trace import Usage
from readagent.models.budget import Budgeted
from readagent.models.purse import Budget, Spent

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "one two three")


async def test_a_call_is_recorded_before_it_is_answered(tmp_path: Path) -> None:
    """A kill at this moment does not make it free."""
    gate, purse = Gate(), purse_for(Budget(), tmp_path)
    with recording(tmp_path, purse):
        call = asyncio.create_task(Budgeted(gate, purse).complete(ASK))
        await let_others_run()
        assert purse_for(Budget(), tmp_path).spent.tokens > 100
        gate.let(ASK.prompt, Reply("ok", usage=Usage(10, 5)))
        await call
    assert purse_for(Budget(), tmp_path).spent == Spent(15)
