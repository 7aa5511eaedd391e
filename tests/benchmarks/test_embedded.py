"""The benchmark of the offline reader: it runs in its quick form, and its measures are what they are called."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


def figures(*options: str, cwd: Path, **environment: str) -> dict[str, str]:
    command = [sys.executable, str(BENCHMARKS / "embedded.py"), "--quick", *options]
    ran = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.strip().split("\n\n")[-1].splitlines()
    assert all(re.fullmatch(r"[a-z][\w.]* \S+", line) for line in lines)
    return dict(line.split(" ", 1) for line in lines)


@pytest.mark.release
@pytest.mark.weights
def test_a_quick_run_prints_its_figures(tmp_path: Path) -> None:
    found = figures("--data", str(tmp_path), cwd=tmp_path)
    assert float(found["speed_words_a_cpu_second"]) > 0
    assert not [name for name in found if name.startswith("qmsum")]


@pytest.mark.slow
def test_without_weights_it_says_so_and_measures_nothing(tmp_path: Path) -> None:
    assert figures(cwd=tmp_path, READAGENT_TEST_WEIGHTS=str(tmp_path)) == {"measured": "0"}
