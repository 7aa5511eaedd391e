"""What a benchmark has spent, as its folder records it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from models.gate import Gate, let_others_run
from readagent.core.model import Ask, Reply
from readagent.core.trace import Usage
from readagent.errors import UsageError
from readagent.models.ledger import Budget, Payer, Spent
from readagent.models.limits import Slots
from readagent.models.retry import Retries, Retrying
from readagent_bench.spending import ledger_for, paying, recording

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "one two three")


def recorded(folder: Path, tokens: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spending.json").write_text(f'{{"tokens": {tokens}, "cost": 0.0}}', "utf-8")
    return folder


async def test_folders_share_the_budget_of_the_folder_around_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recorded(tmp_path / "runs" / "recipe", 23)
    variant, other = recipe / "fast", recipe / "paper"
    unrelated = recorded(tmp_path / "runs" / "unrelated", 100)
    for folder in (recipe, variant, recipe / "new"):
        assert ledger_for(Budget(), folder).spent == Spent(23), folder
    monkeypatch.chdir(recipe)
    assert ledger_for(Budget(), Path(), Path("fast"), other).spent == Spent(23), "the record counts once"
    assert ledger_for(Budget(), variant, unrelated).spent == Spent(123)
    assert ledger_for(Budget(), tmp_path / "runs" / "new").spent == Spent(0)
    with paying(Budget(), Path("fast"), other) as ledger:
        assert ledger.spent == Spent(23)
        with pytest.raises(UsageError, match="another process"), paying(Budget(), recipe / "new"):
            pass


async def test_a_call_is_recorded_before_it_is_answered(tmp_path: Path) -> None:
    """A kill at this moment does not make it free."""
    gate, ledger = Gate(), ledger_for(Budget(), tmp_path)
    with recording(tmp_path, ledger):
        call = asyncio.create_task(Retrying(gate, Retries(Slots(1)), Payer(ledger)).complete(ASK))
        await let_others_run()
        assert ledger_for(Budget(), tmp_path).spent.tokens > 100
        gate.let(ASK.prompt, Reply("ok", usage=Usage(10, 5)))
        await call
    assert ledger_for(Budget(), tmp_path).spent == Spent(15)
