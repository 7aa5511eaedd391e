"""What an MCP client may have read: files in the allowed folders, public addresses, texts; and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readagent.errors import LoadError, ReadAgentError, UsageError
from readagent.mcp.context import Sources

posix = pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("The key is under the mat.")
    (tmp_path / "papers-private").mkdir()
    (tmp_path / "papers-private" / "letter.txt").write_text("Dear Ann")
    folder = tmp_path / "papers"
    (folder / "sub").mkdir(parents=True)
    (folder / "novel.txt").write_text("It was a dark night.")
    (folder / "sub" / "poem.txt").write_text("A poem.")
    return folder


@pytest.mark.parametrize("name", ["novel.txt", "sub/poem.txt"])
def test_a_file_is_named_by_its_path_or_within_the_folder(allowed: Path, name: str) -> None:
    sources = Sources([allowed])
    assert sources.load(path=name).text == sources.load(path=str(allowed / name)).text == (allowed / name).read_text()


@pytest.mark.parametrize(
    "name",
    ["../secret.txt", "/etc/passwd", "-", "file:///etc/passwd"],
)  # fmt: skip
def test_nothing_outside_the_folders_is_read(allowed: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no such file in the allowed folders"):
        Sources([allowed]).load(path=name)


def test_whether_a_file_outside_exists_is_not_told(allowed: Path) -> None:
    errors = []
    for name in ("secret.txt", "absent.txt"):
        with pytest.raises(UsageError) as caught:
            Sources([allowed]).load(path=str(allowed.parent / name))
        errors.append(f"{caught.value} {caught.value.hint}".replace(name, "…"))
    assert errors[0] == errors[1]


@posix
def test_a_link_does_not_lead_out_of_a_folder(allowed: Path) -> None:
    (allowed / "link.txt").symlink_to(allowed.parent / "secret.txt")
    (allowed / "linked").symlink_to(allowed.parent)
    (allowed / "inside.txt").symlink_to(allowed / "novel.txt")
    sources = Sources([allowed])
    for name in ("link.txt", "linked/secret.txt"):
        with pytest.raises(UsageError, match="no such file"):
            sources.load(path=name)
    assert sources.load(path="inside.txt").text == "It was a dark night."
    assert "mat" not in sources.load(path=str(allowed)).text


class Swapped(Sources):
    """Sources of which something is replaced by a link right after a path was checked."""

    def __init__(self, folder: Path, swapped: str, target: Path) -> None:
        super().__init__([folder])
        self._swapped, self._target = folder / swapped, target

    def allowed(self, path: str) -> tuple[Path, Path]:
        found = super().allowed(path)
        self._swapped.rename(self._swapped.with_name("moved"))
        self._swapped.symlink_to(self._target)
        return found


@posix
@pytest.mark.parametrize(
    ("path", "swapped", "target"),
    [("novel.txt", "novel.txt", "secret.txt"), ("sub/deep", "sub", "papers-private")],
)
def test_a_link_that_is_put_in_place_of_a_checked_path_is_not_followed(
    allowed: Path, path: str, swapped: str, target: str
) -> None:
    (allowed / "sub" / "letter.txt").write_text("Dear Bob")
    for folder in (allowed / "sub", allowed.parent / "papers-private"):
        (folder / "deep").mkdir()
        (folder / "deep" / "diary.txt").write_text(f"I hide in {folder.name}.")
    with pytest.raises(LoadError):
        Swapped(allowed, swapped, allowed.parent / target).load(path=path)


@posix
def test_a_folder_is_read_with_its_subfolders_but_not_through_links(allowed: Path) -> None:
    (allowed / "sub" / "away").symlink_to(allowed.parent / "papers-private")
    (allowed / ".gitignore").write_text("draft.txt\n")
    (allowed / "draft.txt").write_text("Not yet.")
    text = Sources([allowed]).load(path=".").text
    assert "It was a dark night." in text
    assert "A poem." in text
    assert "Dear Ann" not in text
    assert "Not yet." not in text


@posix
def test_what_is_no_file_is_refused_without_waiting(allowed: Path) -> None:
    os.mkfifo(allowed / "odd")
    with pytest.raises(LoadError, match=r"is a .*pipe, not a file"):
        Sources([allowed]).load(path="odd")


def test_without_folders_no_file_is_read_and_the_hint_says_how(allowed: Path) -> None:
    with pytest.raises(UsageError, match="reads no files") as caught:
        Sources().load(path=str(allowed / "novel.txt"))
    assert "`allow=FOLDER`" in caught.value.hint


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "http://169.254.169.254/"])
def test_addresses_in_the_local_network_are_refused(url: str) -> None:
    with pytest.raises(LoadError, match=r"private|reserved"):
        Sources().load(url=url)


@pytest.mark.parametrize("given", [{}, {"url": "file:///etc/passwd"}])
def test_exactly_one_source_is_given(given: dict[str, str]) -> None:
    with pytest.raises(ReadAgentError):
        Sources().load(**given)
