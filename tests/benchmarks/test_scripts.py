"""One small run of each benchmark, without data sets: it prints its figures last, one `name value` a line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"
EXPECTED = {
    "find": {},
    "long_questions": {"all_calls_median": "2"},
    "miniwob": {"miniwob_success_percent": "100"},
    "offline": {},
    "one_pass": {"gists_alone_of_100_pages": "0"},
    "corpus": {"unfinished": "0"},
    "postgres": {},
    "proxy": {"turns_ideal_reader": "15_15_15", "book_ideal_reader": "15_15_15",
              "most_calls_before_a_first_response": "0"},
    "real_web": {"pages": "1"},
    "real_files": {"crashed": "0"},
    "serve": {"jobs_not_done": "0", "answers_lost": "0", "readings_lost": "0", "lost_after_restart": "0",
              "texts_that_arrived_otherwise": "0"},
    "small_window": {"window_4000_levels": "2", "window_full_levels": "2"},
    "very_long": {"new_calls_for_the_tree_at_most": "3"},
}  # fmt: skip


def figures(script: str, *options: str, cwd: Path, **environment: str) -> dict[str, str]:
    """Return what a quick run prints last."""
    command = [sys.executable, str(BENCHMARKS / f"{script}.py"), "--quick", *options]
    ran = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.strip().split("\n\n")[-1].splitlines()
    assert all(re.fullmatch(r"[a-z][\w.]* \S+", line) for line in lines)
    return dict(line.split(" ", 1) for line in lines)


def test_every_script_is_tried() -> None:
    scripts = {path.stem for path in BENCHMARKS.glob("*.py") if '__name__ == "__main__"' in path.read_text("utf-8")}
    assert scripts == {*EXPECTED}


def marks(name: str) -> list[pytest.MarkDecorator]:
    browser = [pytest.mark.browser] if name == "miniwob" else []
    return browser if name == "small_window" else [*browser, pytest.mark.release]


@pytest.mark.slow
@pytest.mark.parametrize("script", [pytest.param(name, marks=marks(name)) for name in sorted(EXPECTED)])
def test_a_quick_run_prints_its_figures(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("READAGENT_DATASETS", raising=False)
    found = figures(script, cwd=tmp_path)
    assert found
    assert EXPECTED[script].items() <= found.items()


@pytest.mark.release
def test_no_page_quotes_a_figure_of_code_that_has_changed() -> None:
    stale = [sys.executable, str(BENCHMARKS.parent / "scripts" / "stale")]
    for result in (BENCHMARKS / "results").glob("*.md"):
        named = subprocess.run([*stale, result.stem], capture_output=True, text=True, check=True).stdout.split(", ")
        assert all("e3b0c44298" not in one for one in named), f"{result.stem}: nothing is measured there"
    quoted = subprocess.run([*stale, "--check"], capture_output=True, text=True, check=False)
    assert quoted.returncode == 0, quoted.stderr


@pytest.mark.slow
def test_without_weights_the_offline_reader_is_not_measured(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="needs the extra `local`")
    assert figures("offline", cwd=tmp_path, READAGENT_TEST_WEIGHTS=str(tmp_path)) == {"measured": "0"}
