"""Methods, data sets and measures of the user: from a file as the documentation prints it, and from a package."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.console import Console
from docs.pages import ROOT, blocks
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "own-benchmark.md"
TEXT = "Anna kept the key. " * 400


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file of the documentation and a story."""
    (tmp_path / "stories").mkdir()
    (tmp_path / "stories" / "story.txt").write_text(TEXT, "utf-8")
    (tmp_path / "mine.py").write_text(blocks(PAGE, "python")[0].text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[list[str]]:
    lines = blocks(PAGE, "console")[0].text.replace("~/stories", "stories").splitlines()
    return [line.removeprefix("$ readagent ").split() for line in lines]


RUN = ("bench", "run", "mine.py:STORIES", "--data", "stories", "--out", "runs/mine")


def test_the_page_runs_as_printed(console: Console, server: LoopbackServer, mine: Path) -> None:
    run, report = commands()
    shown = console.done(*run).out
    assert "| Full text" in shown
    assert "| Middle 200 words" in shown
    middle = next(request.prompt for request in server.requests if len(request.prompt.split()) < 500)
    assert 200 <= middle.count("Anna") * 4 <= 210
    table = console.done(*report).out
    assert re.search(r"\| brevity +\|", table.splitlines()[0])
    text = (mine / "runs/mine/report.md").read_text("utf-8")
    assert text.startswith("# stories (all), ")
    differences = text[text.index("## Differences from Full text") :]
    assert "brevity" in differences.splitlines()[2]


def test_changed_code_does_not_resume_a_run(console: Console, server: LoopbackServer, mine: Path) -> None:
    console.done(*RUN, "--method", "mine.py:Middle")
    manifest = json.loads((mine / "runs/mine/manifest.json").read_text("utf-8"))
    assert manifest["own_methods"]["middle:300"].startswith("mine.py sha256:")
    assert manifest["dataset"] == "stories"
    file = mine / "mine.py"
    file.write_text(file.read_text("utf-8") + "\n# changed\n", "utf-8")
    assert "has a run with different own " in console.fails(*RUN, "--method", "mine.py:Middle")


METHOD = "class M:\n    name = 'm'\n    title = 'M'\n    async def answer(self, asked, context):\n        "


@pytest.mark.parametrize(
    ("code", "arguments", "printed"),
    [("", ["--method", "nowhere.py:M"], "cannot load the method nowhere.py:M: there is no file nowhere.py there"), ("class M:\n    name = title = 'm'", ["--method", "bad.py:M"], "the method bad.py:M cannot answer"), ("", ["--methods", "no-such:3"], "unknown method 'no-such'")],
)  # fmt: skip
def test_a_bad_method_is_one_line_before_anything_is_sent(
    console: Console, server: LoopbackServer, mine: Path, code: str, arguments: list[str], printed: str
) -> None:
    (mine / "bad.py").write_text(code, "utf-8")
    said = console.fails(*RUN, *arguments)
    assert printed in said
    assert said.count("\n") <= 2
    assert server.requests == []


def test_a_method_that_fails_fails_a_prediction(console: Console, server: LoopbackServer, mine: Path) -> None:
    reason = "the method m returned str, not an Outcome"
    (mine / "bad.py").write_text(METHOD + "return 'x'", "utf-8")
    shown = console.done(*RUN, "--methods", "full", "--method", "bad.py:M")
    assert "1 predictions failed and count as wrong (UsageError: the method m " in shown.err
    assert f"{reason})" in shown.err
    assert "| Full text | 1 " in shown.out
