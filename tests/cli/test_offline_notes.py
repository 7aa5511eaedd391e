"""What is said about the offline reader below an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.cli.offline import report_local
from readagent.settings import Settings


def test_a_worded_answer_names_its_writer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report_local(Settings(home=tmp_path, model="local+qwen"))
    said = capsys.readouterr().err
    assert "worded by qwen, which may be wrong" in said
    assert "model pull" not in said  # it is installed


def test_an_extract_names_a_model_that_reasons(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report_local(Settings(home=tmp_path))
    assert "does not reason; for a model that does: readagent model pull qwen" in capsys.readouterr().err
