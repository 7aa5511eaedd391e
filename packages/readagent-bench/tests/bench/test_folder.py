"""The folder of a run: an incomplete line does no harm, and another run is not overwritten."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.studies import prediction
from models.gate import Gate, let_others_run
from readagent.core.model import Ask, Reply
from readagent.core.trace import Call, Trace, Usage
from readagent.errors import UsageError
from readagent.models.ledger import Budget, Payer, Spent
from readagent.models.limits import Slots
from readagent.models.retry import Retries, Retrying
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Rating
from readagent_bench.records import Prediction, Reading
from readagent_bench.spending import ledger_for, paying, recording

pytestmark = pytest.mark.anyio


def traced(prompt: str) -> Trace:
    return Trace(calls=[Call("respond", 2, 1, Usage(), 0.1, True, "stop", prompt, "reply")])


def filled(path: Path) -> RunFolder:
    folder = RunFolder(path)
    folder.open({"dataset": "own", "runs": 1})
    for name in "abc":
        one = prediction(example=name, text=f"answer {name} é\n")
        folder.add_trace(one.key, traced(f"prompt {name}"))
        folder.add(one)
    folder.add(Reading(0, "full", "d", "", 100, {"calls": 1}))
    folder.add(Rating("rater", 0, "full", "d", "a", "answer", "exact", ("yes",), ("yes",)))
    return folder


@pytest.mark.parametrize("cut", [1, 70])
@pytest.mark.parametrize("name", ["predictions.jsonl", "traces/d.jsonl.gz"])
def test_after_a_kill_in_the_middle_of_a_line_the_next_one_starts_on_its_own(tmp_path: Path, name: str, cut: int) -> None:  # fmt: skip
    filled(tmp_path)
    file = tmp_path / name
    file.write_bytes(file.read_bytes()[:-cut])
    folder = RunFolder(tmp_path)
    left = [one.example for one in folder.records(Prediction)]
    assert left == (["a", "b"] if name.startswith("pred") else ["a", "b", "c"])
    for example in ("c", "d"):
        one = prediction(example=example, text="new")
        folder.add_trace(one.key, traced(f"prompt {example}"))
        folder.add(one)
    again = RunFolder(tmp_path)
    assert [one.example for one in again.records(Prediction)] == ["a", "b", "c", "d"]
    kept = {line["key"][3]: line["calls"][0]["prompt"] for line in again.traces("d")}
    assert kept == {name: f"prompt {name}" for name in "abcd"}
    if name.endswith(".gz"):
        with gzip.open(file) as lines:  # and any program can read it
            assert {json.loads(line)["key"][3] for line in lines} == {*"abcd"}


def test_damage_in_the_middle_is_an_error(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    file = tmp_path / "predictions.jsonl"
    first, second, third = file.read_bytes().splitlines()
    file.write_bytes(b"\n".join([first, second[:20], third, b""]))
    with pytest.raises(UsageError, match="line 2 of"):
        folder.records(Prediction)


def test_another_run_is_not_written_over(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.open({"dataset": "own", "runs": 1, "commit": "a", "window": None})
    folder.finish(state="finished", raters=["x"])
    folder.add(prediction())
    folder.open({"dataset": "own", "runs": 1, "commit": "b", "window": 4096})
    assert folder.manifest()["raters"] == ["x"]
    with pytest.raises(UsageError, match="has a run with different data sha256"):
        folder.open({"dataset": "own", "runs": 1, "data_sha256": "f"})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty and has no run in it"):
        RunFolder(tmp_path / "other").open({"dataset": "own"})


HOLD = """
import sys
from pathlib import Path
from readagent_bench.folder import RunFolder
with RunFolder(Path(sys.argv[1])).lock():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_two_processes_do_not_run_in_one_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    command = [sys.executable, "-c", HOLD, str(folder.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"locked\n"
        with pytest.raises(UsageError, match="another process is running in") as told, folder.lock():
            pass
        assert "--out" in told.value.hint
        child.kill()
    with folder.lock():
        folder.open({"dataset": "own", "runs": 1})
    assert folder.exists


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
