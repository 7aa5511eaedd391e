"""`readagent corpus`: read, look at, retry, ask and export many documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def contracts(desk: Path) -> Path:
    """Four short contracts and a picture, in a folder."""
    folder = desk / "contracts"
    folder.mkdir()
    for name, what in {"Ahorn": "the mill", "Birke": "the quarry", "Cedar": "the inn", "Dorn": "the ferry"}.items():
        more = " ".join(f"Clause {number} of {name} is about repairs of kind {number}." for number in range(40))
        (folder / f"{name.lower()}.txt").write_text(f"Lease of {name}\n\n{name} leases {what}.\n\n{more}\n")
    (folder / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n0000")
    return folder


def test_a_corpus_is_read_once_and_says_what_it_could_not_read(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    read = console("corpus", "read", contracts)
    assert read.code == 1
    lines = read.out.splitlines()
    assert lines[0].startswith("corpus: 4 of 5 documents read, ")
    assert lines[1] == "  1 set aside (1 UnsupportedFormatError)"
    assert lines[2].startswith("  spent: ")
    assert read.err == (
        "5 new or changed documents in the corpus corpus\nto see them: readagent corpus status --set-aside\n"
    )
    asked = len(server.requests)
    assert console("corpus", "read", contracts).err.startswith("0 new or changed documents")
    assert console("corpus", "read").out == read.out == console.done("corpus", "status").out
    assert len(server.requests) == asked
    listed = console.done("corpus", "status", "--set-aside").out
    assert listed.startswith(f"{contracts.resolve() / 'map.png'} seems to be a PNG image")
    assert "(UnsupportedFormatError, tried once)" in listed
    status = console.done("corpus", "status", "--json").json
    assert (status["documents"], status["states"]) == (5, {"done": 4, "set aside": 1})
    assert (status["calls"], status["failures"]) == (asked, {"UnsupportedFormatError": 1})


@pytest.mark.slow
def test_what_was_set_aside_can_be_tried_again(server: LoopbackServer, console: Console, contracts: Path) -> None:
    console("corpus", "read", contracts, "--corpus", "leases")
    (contracts / "map.png").write_text("Here is a text, in place of the picture that was here before.")
    assert "no document failed with LoadError" in console.fails("corpus", "retry", "--kind", "LoadError")
    again = console.done("corpus", "retry")
    assert (again.out, again.err) == (
        "1 document will be tried again\n", "now run: readagent corpus read --corpus leases\n"
    )  # fmt: skip
    assert console.done("corpus", "read", "--json").json["states"] == {"done": 5}


def test_a_corpus_is_asked_and_the_answer_names_its_documents(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    (contracts / "map.png").unlink()
    console.done("corpus", "read", contracts, "--exclude", "dorn.txt")
    answer = console.done("corpus", "ask", "Who leases the quarry?", "--json").json
    assert answer["among"] == 3
    assert "Lease of Birke" in [one["title"] for one in answer["documents"]]
    assert {quote["document"] for quote in answer["quotes"]} <= {one["id"] for one in answer["documents"]}
    assert all(quote["start"] < quote["end"] for quote in answer["quotes"])
    assert "documents opened: " in console.done("corpus", "ask", "Who leases the quarry?").out


def test_a_corpus_is_exported_as_lines(server: LoopbackServer, console: Console, contracts: Path, desk: Path) -> None:
    (desk / "list.jsonl").write_text('{"path": "contracts/ahorn.txt", "court": "Hull"}\n')
    console.done("corpus", "read", "list.jsonl")
    console.done("corpus", "export", "-o", "out.jsonl")
    (record,) = map(json.loads, Path("out.jsonl").read_text().splitlines())
    assert (record["source"], record["metadata"]["court"]) == (str((contracts / "ahorn.txt").resolve()), "Hull")
    assert record["title"] == "Lease of Ahorn"
    assert record["card"]
    assert all(page["gist"] for page in record["pages"])
    assert console.done("corpus", "export").json == record
    assert "exists" in console.fails("corpus", "export", "-o", "out.jsonl")


@pytest.mark.slow
def test_a_budget_ends_the_reading_and_a_larger_one_goes_on(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    (contracts / "map.png").unlink()
    console.done("corpus", "read", contracts / "ahorn.txt")
    stopped = console("corpus", "read", contracts, "--max-tokens", "3000", "--at-once", "1")
    assert stopped.code == 1
    assert "the budget of 3,000 tokens is too small" in stopped.err
    assert console.done("corpus", "read", "--max-tokens", "100000", "--json").json["states"] == {"done": 4}


def test_wrong_use_is_told_in_one_line(console: Console, server: LoopbackServer, desk: Path) -> None:
    assert console.fails("corpus", "status") == (
        "error: there are no corpora yet\nhint: start with: readagent corpus read FOLDER\n"
    )
    assert console.fails("corpus", "read", "--workers", "2") == (
        "error: --workers is for Ray\nhint: add --ray local, or --ray ADDRESS\n"
    )
    assert "there is no file or folder none" in console.fails("corpus", "read", "none")
    for name in ("one", "two"):
        (desk / f"{name}.txt").write_text(f"This is the text {name}.")
        console.done("corpus", "read", f"{name}.txt", "--corpus", name)
    assert "there are 2 corpora" in console.fails("corpus", "ask", "Who?")
    assert "did you mean 'one'?" in console.fails("corpus", "ask", "Who?", "--corpus", "on")
    assert console.done("corpus", "status").out.count("1 of 1 document read") == 2


def test_the_shelf_of_a_corpus_is_not_removed_before_the_corpus(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    console("corpus", "read", contracts)
    refused = console.fails("shelf", "remove", "corpus", "--yes")
    assert "the corpus corpus has its documents on this shelf" in refused
    assert "readagent corpus remove" in refused
    assert "cannot ask for confirmation to remove the corpus corpus" in console.fails("corpus", "remove")
    assert console("corpus", "status", "--json").json["documents"] == 5
    assert console.done("corpus", "remove", "--yes").out == "removed the corpus corpus\n"
    assert "there are no corpora yet" in console.fails("corpus", "status")
    assert len(console.done("list", "--json").json) == 4
    assert console.done("shelf", "remove", "corpus", "--yes").out == "removed the shelf corpus\n"


def test_a_manifest_and_a_source_are_not_replaced_by_an_export(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    manifest = desk / "list.jsonl"
    manifest.write_text('{"path": "contracts/ahorn.txt"}\n{"path": "contracts/map.png"}\n')
    console("corpus", "read", "list.jsonl")
    for name in ("list.jsonl", "contracts/../list.jsonl", "contracts/map.png", "contracts/ahorn.txt"):
        before = Path(name).read_bytes()
        assert "source of" in console.fails("corpus", "export", "-o", name, "--force")
        assert Path(name).read_bytes() == before
    for _ in range(2):
        console.done("corpus", "export", "-o", "out.jsonl", "--force")


@pytest.mark.parametrize("arguments", [("status",)])
def test_a_library_that_is_not_there_is_not_created(
    console: Console, desk: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path, arguments: tuple[str, ...]
) -> None:
    monkeypatch.delenv("READAGENT_LIBRARY", raising=False)
    assert "there are no corpora yet" in console.fails("corpus", *arguments)
    monkeypatch.setenv("READAGENT_LIBRARY", str(desk / "lost"))
    assert console.fails("corpus", *arguments) == (
        f"error: there is no library at {desk / 'lost' / 'library.db'}\n"
        "hint: check the place, or create one with: readagent read FILE\n"
    )
    assert not (desk / "lost").exists()
    assert not list(own_home.glob("*.db"))


@pytest.mark.parametrize(
    ("name", "problem"),
    [("", "--corpus is empty"), ("x" * 101, "the name of a corpus can have at most 100 characters")],
)
def test_a_name_that_a_corpus_cannot_have_is_refused(
    server: LoopbackServer, console: Console, contracts: Path, name: str, problem: str
) -> None:
    error, hint = console.fails("corpus", "read", contracts, "--corpus", name).splitlines()
    assert error == f"error: {problem}"
    assert hint.startswith("hint: ")
    assert "there are no corpora yet" in console.fails("corpus", "status")
    assert "there are no shelves yet" in console.done("shelf", "list").err
