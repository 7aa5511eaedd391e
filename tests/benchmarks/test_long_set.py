"""The texts of the long set: joined in the order of their patterns, and refused if they are not those listed."""

from __future__ import annotations

import hashlib
import zipfile
from importlib import import_module
from pathlib import Path

import pytest


def test_a_text_is_joined_in_order_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent.parent / "benchmarks"))
    text_of = import_module("long_questions").text_of
    archive, text = tmp_path / "made-1.0.zip", b"Last.\n\nFirst.\n\nSecond.\n"
    with zipfile.ZipFile(archive, "w") as made:
        for path, part in {
            "b": "---\nname: b\n---\nSecond.\n",
            "a": "First.\r\n",
            "z/last": "Last.",
            "z/n": "",
        }.items():
            made.writestr(f"made-1.0/{path}.md", part)
    source = {"name": "made", "files": ["z/l*.md", "[ab].md"], "text_sha256": hashlib.sha256(text).hexdigest()}
    source["archive_sha256"] = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert text_of(archive, source) == text.decode()
    for name, told in {"archive_sha256": "made-1.0.zip", "text_sha256": "the text made"}.items():
        with pytest.raises(ValueError, match=f"{told} has the SHA-256 "):
            text_of(archive, {**source, name: "0" * 64})
