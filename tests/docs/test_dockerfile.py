"""The Dockerfile: what can be checked by reading it, and its build steps in a temporary folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from check_dockerfile import build, problems
from docs.pages import ROOT


def test_it_is_sound() -> None:
    assert [*problems()] == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("COPY src ./src", "COPY sources ./src", "git does not track it"),
        ("VOLUME /data", "VOLUME /library", "READAGENT_HOME is /data"),
        ("COPY --from=build /opt/readagent", "COPY src", "copies from the build context"),
    ],
)
def test_a_mistake_is_found(old: str, new: str, problem: str, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE", ".dockerignore", "Dockerfile"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").mkdir()
    text = (tmp_path / "Dockerfile").read_text("utf-8")
    assert old in text
    (tmp_path / "Dockerfile").write_text(text.replace(old, new), "utf-8")
    assert problem in " ".join(problems(tmp_path))


@pytest.mark.release
@pytest.mark.slow
def test_its_steps_install_a_program_that_starts() -> None:
    assert [*build()] == []
