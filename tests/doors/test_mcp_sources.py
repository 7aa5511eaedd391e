"""What an MCP client may have read: files in the allowed folders, public addresses, texts; and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readagent.errors import LoadError, ReadAgentError, UsageError
from readagent.mcp_server.sources import Sources


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
    ["../secret.txt", "sub/../../secret.txt", "../papers-private/letter.txt", "/etc/passwd", "~root/.profile", "-",
     "novel.txt\0", "x" * 5000, "file:///etc/passwd"],
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


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
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


def test_a_folder_that_is_a_link_itself_can_be_allowed(allowed: Path) -> None:
    link = allowed.parent / "shortcut"
    link.symlink_to(allowed)
    assert Sources([link]).load(path="novel.txt").text == "It was a dark night."


def test_without_folders_no_file_is_read_and_the_hint_says_how(allowed: Path) -> None:
    with pytest.raises(UsageError, match="reads no files") as caught:
        Sources().load(path=str(allowed / "novel.txt"))
    assert "`allow=FOLDER`" in caught.value.hint


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/x", "http://localhost/", "http://[::1]/", "http://169.254.169.254/"]
)
def test_addresses_in_the_local_network_are_refused(url: str) -> None:
    with pytest.raises(LoadError, match=r"private|reserved"):
        Sources().load(url=url)


@pytest.mark.parametrize("given", [{}, {"path": "a", "text": "b"}, {"text": "  "}, {"url": "file:///etc/passwd"}])
def test_exactly_one_source_is_given(given: dict[str, str]) -> None:
    with pytest.raises(ReadAgentError):
        Sources().load(**given)
