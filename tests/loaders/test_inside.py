"""Inside: only what is below a folder is opened, whatever links are put there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readagent.errors import LoadError
from readagent.loaders import load
from readagent.loaders.sources.inside import Inside

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.txt").write_text("inside")
    (root / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "linked").symlink_to(tmp_path / "outside")
    return root


def opened(root: Path, path: Path) -> bytes:
    descriptor = Inside(root).open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 100)
    finally:
        os.close(descriptor)


def test_a_file_below_is_opened_and_no_descriptor_is_left(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    assert opened(root, root / "sub" / "a.txt") == b"inside"
    for path in ("link.txt", "linked/secret.txt", "sub/absent.txt"):
        with pytest.raises(OSError):
            opened(root, root / path)
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("path", ["../outside/secret.txt", "sub/../../outside/secret.txt"])
def test_a_path_outside_is_refused(root: Path, path: str) -> None:
    with pytest.raises(PermissionError):
        opened(root, root / path)
    with pytest.raises(LoadError, match="no permission"):
        load(root.parent / "outside" / "secret.txt", inside=root)
