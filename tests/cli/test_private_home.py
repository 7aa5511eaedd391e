"""Nobody but the user can read what is kept in the home folder, also what an older version made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.console import Console

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


def test_what_older_versions_made_becomes_private(console: Console, own_home: Path, tmp_path: Path) -> None:
    visit = own_home / "visits" / "one"
    visit.mkdir(parents=True)
    picture, outside = visit / "step-01.png", tmp_path / "outside.txt"
    for file, mode in ((picture, 0o644), (visit / "run.sh", 0o755), (outside, 0o644)):
        file.write_text("x")
        file.chmod(mode)
    (visit / "link").symlink_to(outside)
    (visit / "hard").hardlink_to(outside)
    for folder in (own_home, own_home / "visits", visit):
        folder.chmod(0o755)
    console.done("trust", "--list")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (own_home, visit, picture, visit / "run.sh", outside)}
    assert modes == {own_home.name: 0o700, "one": 0o700, "step-01.png": 0o600, "run.sh": 0o700, "outside.txt": 0o644}


def test_what_is_made_is_private(console: Console, own_home: Path, tmp_path: Path) -> None:
    own_home.rmdir()
    text = tmp_path / "text.txt"
    text.write_text("The brass lamp costs two coins. " * 40)
    console("read", text)
    console("trust", tmp_path)
    kept = [own_home, *own_home.rglob("*")]
    assert [path.name for path in kept if path.suffix == ".db"] == ["library.db"]
    assert [str(path) for path in kept if path.stat().st_mode & 0o077] == []
