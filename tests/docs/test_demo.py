"""The examples, the demo and the notebooks run as they stand, offline."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import NOTEBOOKS, ROOT, code, printed
from needs import docs_python, real_weights
from readagent import Library
from sessions import EXAMPLES

DEMO = ROOT / "examples" / "demo.py"
STORY = ROOT / "examples" / "story.txt"


def demo(home: Path, script: Path = DEMO) -> str:
    """What the demo prints, where no index can be reached."""
    done = subprocess.run(
        [sys.executable, script, home],
        env={**os.environ, "COLUMNS": "60", "PIP_NO_INDEX": "1", "PYTHONUTF8": "1"},
        cwd=home.parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (home / "library.db").exists()
    assert all(len(line) <= 60 for line in done.stdout.splitlines() if line.startswith("$ "))
    return done.stdout


@pytest.mark.slow
def test_without_the_weights_a_scripted_server_stands_in_and_it_says_so(tmp_path: Path) -> None:
    shown = demo(tmp_path / "demo")
    assert "a scripted server on this machine is used instead" in " ".join(shown.split())
    assert "15 pages" in shown
    assert "Mrs. Dragan" in shown


@pytest.mark.release
@pytest.mark.weights
def test_with_the_weights_it_answers_with_quotes_that_stand_in_the_story(tmp_path: Path) -> None:
    examples = tmp_path / "examples"
    examples.mkdir()
    for name in ("demo.py", "story.summary.txt"):
        shutil.copy(EXAMPLES / name, examples)
    opening = "".join(STORY.read_text("utf-8").splitlines(keepends=True)[:101])  # about a third, with both answers
    (examples / "story.txt").write_text(opening, "utf-8")
    (tmp_path / "demo" / "models").mkdir(parents=True)
    (tmp_path / "demo" / "models" / "minilm").symlink_to(real_weights("minilm"))
    shown = demo(tmp_path / "demo", examples / "demo.py")
    assert "everything runs on this machine" in " ".join(shown.split())
    quotes = re.findall(r'^  "(.+)" \(page \d+\)$', shown, re.M)
    assert len(quotes) >= 2
    assert all(quote in " ".join(opening.split()) for quote in quotes)
    assert "Mrs. Dragan" in shown
    assert "Not found." in shown
    assert "RECORDED" in shown
    assert len(shown.splitlines()) <= 40


def chat(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "chat_memory.py", folder],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_chat_remembers(tmp_path: Path) -> None:
    shown = chat(tmp_path / "chat")
    assert "496 words in 6 pages" in shown
    context = shown.partition("150 words:")[2].partition("Question:")[0]
    assert len(context.split()) <= 150
    assert "we borrow the red one from the club" in context
    assert "number T-88" in shown.partition("Answer:")[2]
    assert "992 words" in chat(tmp_path / "chat")
    with Library(tmp_path / "chat") as library:
        assert [row.title for row in library.documents()] == ["the boat"]


@pytest.mark.slow
def test_the_example_reads_the_story(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "mcp_reader.py"), str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "6,980 of 6,980 words read" in done.stdout


@pytest.mark.slow
def test_the_example_sends_the_story() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "proxy_client.py")], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "without the proxy: This model's maximum context length is 4096 tokens." in done.stdout
    assert "with the proxy: " in done.stdout
    assert "pages-opened: " in done.stdout


QUICK = [path for path in NOTEBOOKS if path.stem != "table"]


def run_cells(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the code in the folder of the notebook, as a kernel does."""
    monkeypatch.chdir(notebook.parent)
    monkeypatch.setenv("READAGENT_HOME", os.environ["READAGENT_HOME"])  # a notebook may change it
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(code(notebook), 1):
        exec(compile(cell, f"{notebook.name}, cell {number}", "exec"), namespace)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", QUICK, ids=lambda path: path.stem)
def test_it_prints_what_is_stored(
    notebook: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cells(notebook, monkeypatch)
    assert capsys.readouterr().out == printed(notebook)


@pytest.mark.slow
def test_jupyter_runs_them_with_the_outputs_that_are_stored() -> None:
    done = subprocess.run(
        [docs_python(), ROOT / "scripts" / "run_notebooks.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
