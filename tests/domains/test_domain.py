"""Domains: by name, of the user's own, from a file; and one clear line for what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.core.words import count_words, sentences
from readagent.domains import MOST_WORDS, domain, domain_of, domains
from readagent.errors import UsageError

NAMES = ["code", "law", "meetings", "papers"]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The folder of a user's own domains; its parent is the home folder."""
    folder = tmp_path / "domains"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_those_that_come_with_the_program_are_a_few_sentences(name: str) -> None:
    said = domain(name)
    assert 1 <= len(list(sentences(said))) <= 6
    assert 40 <= count_words(said) <= 100
    assert domain_of(said) == name


def test_a_user_adds_to_them_and_wins(mine: Path) -> None:
    (mine / "logs.txt").write_bytes(b"\xef\xbb\xbfKeep every hour.\r\nAnd minute.\r\n\r\n")
    (mine / "law.txt").write_text("Keep the judge.")
    (mine / ".hidden.txt").write_text("Not this.")
    (mine / "notes.md").write_text("Nor this.")
    home = mine.parent
    assert list(domains(home)) == sorted([*NAMES, "logs"])
    assert domain("logs", home) == "Keep every hour.\nAnd minute."
    assert domain("law", home) == "Keep the judge."
    assert domain("law") != "Keep the judge."
    assert (domain_of("Keep the judge.", home), domain_of(domain("law"), home)) == ("law", "")


def test_a_path_names_a_file(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mine / "wills.txt").write_text("Keep the heirs.")
    (mine / "plain").write_text("Keep it plain.")
    assert domain(str(mine / "wills.txt")) == "Keep the heirs."
    monkeypatch.chdir(mine)
    assert domain("wills.txt") == "Keep the heirs."
    assert domain("./wills.txt") == "Keep the heirs."
    assert domain("plain") == "Keep it plain."
    assert domain("") == domain_of("") == ""


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("lwa", "did you mean 'law'? domains: code, law, meetings, papers; or give the path of a text file"),
        ("a\0b", "domains: code, law, meetings, papers; or give the path of a text file"),
    ],
)
def test_a_name_that_there_is_not(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="there is no domain") as caught:
        domain(name)
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"Keep caf\xe9s.", r"is not UTF-8 \(byte 9\)"),
        (b"word " * (MOST_WORDS + 1), f"has more than {MOST_WORDS} words"),
        (None, "cannot be read: no such file or directory"),
    ],
)
def test_a_file_that_is_no_domain(mine: Path, data: bytes | None, problem: str) -> None:
    path = mine / "bad.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError, match=problem) as caught:
        domain(str(path))
    assert str(path) in str(caught.value)
    assert domain_of("Keep it.", mine.parent) == ""
