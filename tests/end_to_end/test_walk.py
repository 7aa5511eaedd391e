"""A type checker reports misspelled keywords of the public names, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api", reason="needs mypy")

GOOD = """
from pathlib import Path
from readagent import Budget, Conversation, Library, Plan, Question, ReadAgent, Shelf, Turn, estimate, load
from readagent.errors import ReadAgentError
from readagent.events import Event
from readagent.testing import ScriptedModel, Skimmer

def listen(event: Event) -> None: ...

agent = ReadAgent("ollama/qwen3:8b", window=8192, library=Library("here"), budget=Budget(tokens=1000))
memory = agent.read(load("novel.txt"), listen=listen)
answer = agent.ask(memory, Question("Why?"), look_up="sequential", up_to="40%", history=[Turn("Who?", "Irma.")])
print(answer.text, answer.verified, [(quote.text, quote.by_us) for quote in answer.quotes], answer.did_not_fit)
with agent.stream(agent.read("novel.txt"), "Why?", max_pages=3) as stream:
    print([piece.upper() for piece in stream], stream.answer.quotes, agent.estimate(Path("novel.txt")).reading.cost)
print([(path.name, type(result)) for path, result in agent.read_all([Path("a.txt")])])
print(Conversation(agent).context("Why?", words=100), Conversation(agent).messages("Why?")[0]["role"])
print(Shelf(agent, "goods").ask("Why?", compare=True, documents=3).text)
print(Conversation(agent).ask("Why?", check=True).text, estimate(load("novel.txt"), plan=Plan(page_words=400)).reading)
"""
BAD = {
    "ReadAgent('m', windw=3)": "windw", "Shelf(agent, 'goods').ask('Why?', comapre=True)": "comapre",
    "agent.ask(memory, 'Why?', look_up='at once')": "look_up", "agent.ask(memory, 'Why?', histroy=[])": "histroy",
    "agent.ask(memory, 'Why?', history=[('Who?', 'Irma.')])": "Turn", "Plan(max_words=600)": "max_words",
    "agent.read(b'text')": "bytes", "agent.stream(memory, 'Why?', lookup='none')": "lookup",
    "Shelf(agent, 'goods').stream('Why?', comapre=True)": "comapre",
}  # fmt: skip


def checked(tmp_path: Path, source: str) -> str:
    """Return what ``mypy --strict`` prints about a script; empty if it finds nothing."""
    script = tmp_path / "script.py"
    script.write_text(source, "utf-8")
    out, err, _ = api.run(["--strict", "--no-error-summary", "--python-executable", sys.executable,
                           "--cache-dir", str(tmp_path / "cache"), str(script)])  # fmt: skip
    assert not err
    return str(out)


@pytest.mark.release
def test_a_type_checker_finds_misspelled_keywords_and_nothing_else(tmp_path: Path) -> None:
    lines = GOOD.strip().splitlines()
    out = checked(tmp_path, "\n".join([*lines, *BAD]))
    found = {int(line.split(":")[1]): line for line in out.splitlines() if ": error:" in line}
    assert sorted(found) == [len(lines) + number for number in range(1, len(BAD) + 1)], out
    for number, word in enumerate(BAD.values(), start=len(lines) + 1):
        assert word in found[number]
