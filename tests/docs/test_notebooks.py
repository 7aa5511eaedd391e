"""The notebooks run offline as they are, and print what is stored in them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from docs.notebooks import NOTEBOOKS, code, printed
from docs.pages import ROOT
from needs import docs_python

QUICK = [path for path in NOTEBOOKS if path.stem != "table"]


def run(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    run(notebook, monkeypatch)
    assert capsys.readouterr().out == printed(notebook)


@pytest.mark.slow
def test_jupyter_runs_them_with_the_outputs_that_are_stored() -> None:
    done = subprocess.run(
        [docs_python(), ROOT / "scripts" / "run_notebooks.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
