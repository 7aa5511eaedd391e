"""What is said about the offline reader below an answer."""

from __future__ import annotations

import pytest

from readagent.cli.offline import report_local


def test_a_worded_answer_names_its_writer(capsys: pytest.CaptureFixture[str]) -> None:
    report_local("local+qwen")
    said = capsys.readouterr().err
    assert "worded by qwen, which may be wrong" in said
    assert "model pull" not in said  # it is installed


def test_an_extract_names_a_model_that_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    report_local("")
    assert "does not reason; for a model that does: readagent model pull qwen" in capsys.readouterr().err
