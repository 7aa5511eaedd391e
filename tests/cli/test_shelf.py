"""`readagent shelf`, and `--shelf` on `read` and `ask`: made, filled, listed, asked, taken apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console, process
from cli.test_progress import Terminal
from readagent.testing.loopback import LoopbackServer

LEASES = {"Ahorn": "the north mill", "Birke": "the quarry", "Cedar": "the old inn", "Dorn": "the ferry"}


@pytest.fixture
def leases(desk: Path) -> list[Path]:
    """Four short contracts, in a folder."""
    made = []
    for year, (name, what) in enumerate(LEASES.items()):
        file = desk / "leases" / f"{name.lower()}.txt"
        file.parent.mkdir(exist_ok=True)
        more = " ".join(f"Clause {number} of {name} is about repairs of kind {number}." for number in range(40))
        file.write_text(f"Lease of {name}\n\n{name} leases {what} until 19{year + 10}.\n\n{more}\n")
        made.append(file)
    return made


@pytest.fixture
def shelf(server: LoopbackServer, console: Console, leases: list[Path]) -> str:
    console.done("shelf", "new", "leases")
    console.done("shelf", "add", "leases", "leases", "--kind", "contract")
    return "leases"


def test_a_shelf_is_made_filled_and_listed(server: LoopbackServer, console: Console, leases: list[Path]) -> None:
    assert console.done("shelf", "list").err == "there are no shelves yet; make one with: readagent shelf new NAME\n"
    assert console.done("shelf", "new", "leases").out == "made the shelf leases\n"
    assert "nothing stands on this shelf yet" in console.done("shelf", "list", "leases").err
    added = console.done("shelf", "add", "leases", *leases[:2], "--kind", "contract")
    assert added.out.startswith("Lease of Ahorn: ")
    assert added.err == "2 documents on the shelf leases\n"
    assert console.done("read", *leases[2:], "--shelf", "leases").code == 0
    assert console.done("shelf", "list").out == "leases: 4 documents, 0 questions asked\n"
    listed = console.done("shelf", "list", "leas")
    assert listed.out.startswith("Lease of Ahorn (contract)  ")
    assert listed.out.count("Lease of ") >= 4
    cards = console.done("shelf", "list", "leases", "--json").json
    assert [(card["title"], card["kind"]) for card in cards] == [
        ("Lease of Ahorn", "contract"), ("Lease of Birke", "contract"), ("Lease of Cedar", ""), ("Lease of Dorn", ""),
    ]  # fmt: skip
    assert all(0 < card["words"] <= 90 for card in cards)


def test_what_was_read_before_is_not_read_again(server: LoopbackServer, console: Console, leases: list[Path]) -> None:
    console.done("shelf", "new", "leases")
    console.done("read", leases[0], "--page-words", "50")
    calls = len(server.requests)
    console.done("shelf", "add", "leases", "ahorn")  # by its name in the library
    assert len(server.requests) <= calls + 1  # its card, and no page
    console.done("shelf", "add", "leases", leases[0])
    assert len(server.requests) <= calls + 1


def test_files_that_cannot_be_read_are_skipped_and_told(console: Console, shelf: str, desk: Path) -> None:
    (desk / "picture.txt").write_bytes(bytes(range(256)) * 40)
    heard = console("shelf", "add", shelf, desk / "picture.txt", desk / "story.txt", "missing.txt")
    assert heard.code == 1
    assert "skipped missing.txt: there is no file missing.txt" in heard.err
    assert "1 of 3 sources were read" in heard.err
    assert "5 documents on the shelf leases" in heard.err
    assert "there is no document 'nowhere'" in console.fails("shelf", "add", shelf, "nowhere")


def test_a_question_is_answered_from_the_right_document(console: Console, shelf: str) -> None:
    for asking in (("shelf", "ask", shelf), ("ask", "--shelf", shelf)):
        heard = console.done(*asking, "Until when does Cedar lease the old inn?")
        lines = heard.out.splitlines()
        assert lines[0] == "Cedar leases the old inn until 1912."
        assert '  "Cedar leases the old inn until 1912." (Lease of Cedar, page 0' in heard.out
        assert "(of 4 on the shelf)" in heard.out
        assert lines[-1].startswith("pages reopened: ")
        assert "of Lease of Cedar" in lines[-1]


def test_the_json_form_names_document_page_and_offsets(console: Console, shelf: str, leases: list[Path]) -> None:
    record = console.done("shelf", "ask", shelf, "What does Birke lease?", "--documents", "2", "--json").json
    assert record["shelf"] == "leases"
    assert len(record["documents"]) <= 2
    assert record["among"] == 4
    quote = record["quotes"][0]
    assert quote["title"] == "Lease of Birke"
    assert leases[1].read_text()[quote["start"] : quote["end"]] == quote["text"]
    assert {page["document"] for page in record["pages"]} <= {one["id"] for one in record["documents"]}


def test_a_comparison_prints_a_line_from_each_document(console: Console, shelf: str) -> None:
    heard = console.done("shelf", "ask", shelf, "Which lease runs until 1911?", "--compare")
    for name, what in LEASES.items():
        assert f"  Lease of {name}: {name} leases {what} until" in heard.out
    assert heard.out.count("(page 0") == 4
    assert heard.out.splitlines()[-1] == "documents compared: 4 of 4 on the shelf"
    assert console.done("ask", "--shelf", shelf, "Which lease runs until 1911?", "--compare").out == heard.out
    record = console.done("shelf", "ask", shelf, "Which lease runs until 1911?", "--compare", "--json").json
    assert [line["silent"] for line in record["lines"]] == [False] * 4


def test_options_and_claims_are_asked_of_a_shelf_too(console: Console, shelf: str) -> None:
    chosen = console.done("shelf", "ask", shelf, "What does Dorn lease?", "-o", "the ferry", "-o", "a bakery")
    assert chosen.out.startswith("(A) the ferry\n")
    claim = console.done("ask", "--shelf", shelf, "Dorn leases the ferry until 1913.", "--claim")
    assert claim.out.startswith("true\n")


def test_a_changed_file_takes_the_place_of_the_old_one(console: Console, shelf: str, leases: list[Path]) -> None:
    leases[0].write_text("Lease of Ahorn\n\nAhorn has given up the mill.\n")
    console.done("read", leases[0], "--shelf", shelf)
    cards = console.done("shelf", "list", shelf, "--json").json
    assert len(cards) == 4
    assert any("given up" in card["card"] for card in cards)
    console.done("remove", "birke", "--yes")
    assert len(console.done("shelf", "list", shelf, "--json").json) == 3


def test_documents_and_shelves_are_taken_away(console: Console, shelf: str) -> None:
    assert console.done("shelf", "remove", shelf, "ahorn").out == "took Lease of Ahorn off the shelf leases\n"
    assert "does not stand on the shelf" in console.fails("shelf", "remove", shelf, "ahorn")
    assert "there is nobody to ask" in console.fails("shelf", "remove", shelf)
    assert console.done("shelf", "remove", shelf, "--yes").out == "removed the shelf leases\n"
    assert console.done("list").out.count("Lease of") == 4


def test_mistakes_are_answered_with_what_to_do(server: LoopbackServer, console: Console) -> None:
    assert "there are no shelves yet" in console.fails("shelf", "ask", "leases", "Who?")
    console.done("shelf", "new", "leases")
    assert "did you mean 'leases'?" in console.fails("shelf", "ask", "laeses", "Who?")
    assert "did you mean 'leases'?" in console.fails("read", "story.txt", "--shelf", "laeses")
    assert "there are no documents on the shelf 'leases'" in console.fails("shelf", "ask", "leases", "Who?")
    assert "there is a shelf 'leases' already" in console.fails("shelf", "new", "leases")
    assert server.requests == []
    for wrong in (("ask", "--shelf", "leases"), ("ask", "--shelf", "leases", "story.txt", "Who?"), ("ask",),
                  ("ask", "--shelf", "leases", "--questions", "f"), ("ask", "--shelf", "leases", "Who?", "--up-to", "2"),
                  ("ask", "--shelf", "leases", "Who?", "--preset", "books"),
                  ("ask", "--shelf", "leases", "Who?", "--task", "dates"), ("ask", "story.txt", "Who?", "--compare"),
                  ("shelf", "ask", "leases", "Who?", "--claim", "-o", "a")):  # fmt: skip
        assert console(*wrong).code == 2, wrong


@pytest.mark.slow
def test_sixty_columns_and_a_pipe_are_readable(console: Console, shelf: str) -> None:
    terminal = Terminal(60, "shelf", "list", shelf)
    code, seen = terminal.end()
    assert code == 0
    assert all(len(line) <= 60 for line in seen.splitlines() if line.startswith("  "))
    piped = process("shelf", "ask", shelf, "Until when does Birke lease the quarry?")
    assert piped.returncode == 0
    assert "\x1b" not in piped.stdout
    assert piped.stdout.splitlines()[0] == "Birke leases the quarry until 1911."
