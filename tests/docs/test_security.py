"""SECURITY.md says what is true: the tests it names exist, and a gap that was closed does not stay listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import ROOT
from readagent.cli import run

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(test_\w+)`", PAGE)))


def test_every_test_that_is_named_exists() -> None:
    folders = [ROOT / "tests", *(ROOT / "packages").glob("*/tests")]
    tests = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("test_*.py"))
    assert NAMED
    assert [name for name in NAMED if f"def {name}(" not in tests] == []


def test_every_claim_names_a_test() -> None:
    claims = PAGE.partition("## What the program does")[2].partition("## Known gaps")[0]
    assert [claim for claim in claims.split("\n- ")[1:] if not re.search(r"Tests?:\s+`test_", claim)] == []


@pytest.mark.parametrize("name", ["key", "api_key"])
def test_a_key_is_no_setting(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "readagent.toml").write_text(f'{name} = "sk-secret"', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["list"]) == 1
    said = capsys.readouterr().err
    assert f"unknown setting '{name}'" in said
    assert "sk-secret" not in said
