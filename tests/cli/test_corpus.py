"""`readagent corpus`: read, look at, retry, ask and export many documents."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from cli.console import Console
from readagent import Library
from readagent.corpus import Corpus
from readagent.settings import load_settings
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


@pytest.mark.slow
def test_ray_that_is_not_installed_is_told(
    console: Console, server: LoopbackServer, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "readagent.corpus.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    failed = console("corpus", "read", contracts, "--ray", "local")
    assert failed.code == 1
    assert "error: a corpus on several workers needs Ray\nhint: install it: " in failed.err


def test_a_store_needs_a_package(console: Console, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert "needs fsspec" in console.fails("corpus", "read", "s3://bucket/folder")


@pytest.mark.slow
def test_the_corpus_of_a_notebook_is_that_of_the_command(
    server: LoopbackServer, console: Console, contracts: Path, own_home: Path
) -> None:
    with Library(own_home) as library:
        assert Corpus(library, "leases").add(contracts, include=["*.txt"]) == 4
    assert console.done("corpus", "read", "--json").json["states"] == {"done": 4}


def test_an_archive_of_the_corpus_is_not_replaced_by_an_export(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    archive = Path("all.zip")
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(contracts / "ahorn.txt", "ahorn.txt")
    before = archive.read_bytes()
    console("corpus", "read", archive)
    assert "is a source of this corpus" in console.fails("corpus", "export", "-o", archive, "--force")
    assert archive.read_bytes() == before


def test_a_kind_of_error_that_no_document_has_is_told(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    console("corpus", "read", contracts)
    assert "no document failed with loaderror" in console.fails("corpus", "retry", "--kind", "loaderror")


def test_a_corpus_without_failures_has_nothing_to_try_again(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    console.done("corpus", "read", contracts / "ahorn.txt")
    assert console.done("corpus", "retry", "--kind", "LoadError").out == "0 documents will be tried again\n"


def test_a_document_that_was_removed_is_read_again_if_its_source_is_given(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    first = console("corpus", "read", contracts, "--json").json
    title = console("list", "--json").json[0]["id"]
    console.done("remove", title, "--yes")
    assert console("corpus", "read", contracts, "--json").json["documents"] == first["documents"]
    assert len(console("list", "--json").json) == 4


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


def test_a_reason_that_names_the_source_does_not_repeat_it(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    console("corpus", "read", contracts)
    (line,) = console.done("corpus", "status", "--set-aside").out.splitlines()
    assert line.count("map.png") == 1


def test_files_of_an_archive_that_are_skipped_are_reported(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    archive = Path("all.zip")
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(contracts / "ahorn.txt", "ahorn.txt")
        packed.write(contracts / "map.png", "map.png")
        packed.writestr(link, "ahorn.txt")
        for name in ("../up.txt", ".a", ".b", ".c", ".d"):
            packed.writestr(name, "a text")
    read = console("corpus", "read", archive)
    place = f"{archive.resolve()}!/"
    assert read.err.splitlines()[:4] == [
        "2 new or changed documents in the corpus corpus",
        f"skipped (hidden): {place}.a, {place}.b, {place}.c and 1 more",
        f"skipped (a link or a device): {place}link.txt",
        f"skipped (a name with ..): {place}../up.txt",
    ]
    assert "map.png seems to be a PNG image" in console.done("corpus", "status", "--set-aside").out


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


def test_an_export_to_a_dash_is_printed(server: LoopbackServer, console: Console, contracts: Path, desk: Path) -> None:
    console.done("corpus", "read", contracts / "ahorn.txt")
    assert console.done("corpus", "export", "-o", "-").out == console.done("corpus", "export").out
    assert not (desk / "-").exists()


def test_a_file_that_is_in_an_archive_twice_is_not_called_skipped(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    with zipfile.ZipFile(desk / "all.zip", "w") as packed:
        packed.writestr("a.txt", (contracts / "ahorn.txt").read_bytes())
        packed.writestr("./a.txt", (contracts / "birke.txt").read_bytes())
    notes = console.done("corpus", "read", "all.zip").err.splitlines()
    assert f"in the archive twice, the last one is read: {desk / 'all.zip'}!/./a.txt" in notes


@pytest.mark.parametrize("arguments", [("status",), ("retry",), ("ask", "Who?"), ("export",), ("remove", "--yes")])
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
    [
        ("", "--corpus is empty"),
        (" ", "--corpus is empty"),
        ("a\x1bb", "the name of a corpus cannot have control characters"),
        ("x" * 101, "the name of a corpus can have at most 100 characters"),
    ],
)
def test_a_name_that_a_corpus_cannot_have_is_refused(
    server: LoopbackServer, console: Console, contracts: Path, name: str, problem: str
) -> None:
    error, hint = console.fails("corpus", "read", contracts, "--corpus", name).splitlines()
    assert error == f"error: {problem}"
    assert hint.startswith("hint: ")
    assert "there are no corpora yet" in console.fails("corpus", "status")
    assert "there are no shelves yet" in console.done("shelf", "list").err


def test_an_empty_name_removes_nothing(server: LoopbackServer, console: Console, contracts: Path) -> None:
    console.done("corpus", "read", contracts / "ahorn.txt")
    assert "--corpus is empty" in console.fails("corpus", "remove", "--yes", "--corpus", "")
    assert console.done("corpus", "status", "--json").json["documents"] == 1


def test_a_cost_is_told_where_the_price_is_known(
    server: LoopbackServer, console: Console, contracts: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readagent.models.endpoint.is_private", lambda url: False)  # those are free
    console.done("corpus", "read", contracts / "ahorn.txt")
    assert console.done("corpus", "status").out.endswith("tokens, price unknown\n")
    assert console.done("corpus", "status", "--json").json["cost"] is None
    (own_home / "config.toml").write_text("[prices]\nskimmer = [1000.0, 1000.0]\n")
    console.done("corpus", "read", contracts / "birke.txt", "--corpus", "priced")
    priced = console.done("corpus", "status", "--corpus", "priced", "--json").json
    assert priced["cost"] == pytest.approx(priced["tokens"] / 1000)
    assert f", ${priced['cost']:.2f}\n" in console.done("corpus", "status", "--corpus", "priced").out
    console.done("corpus", "read", contracts / "cedar.txt")
    mixed = console.done("corpus", "status", "--corpus", "corpus").out
    assert ", price unknown of " in mixed
    assert console.done("corpus", "status", "--corpus", "corpus", "--json").json["cost"] is None


def test_an_answer_says_how_many_of_many_documents_were_considered(
    server: LoopbackServer, console: Console, contracts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console("corpus", "read", contracts)
    question = ("corpus", "ask", "Who leases the quarry?")
    assert "considered" not in console.done(*question).err
    for name, number in (("_MANY", 3), ("_FOUND", 2), ("MOST_SHOWN", 2)):
        monkeypatch.setattr(f"readagent.shelf.{name}", number)
    note = "2 of 4 documents were found by a search; the others were not considered"
    assert f"note: {note}\n" in console.done(*question).err
    asked = console.done(*question, "--json").json
    assert [one["reason"] for one in asked["fallbacks"]] == [note]


@pytest.mark.slow
def test_a_limit_of_money_is_for_all_commands_together(
    server: LoopbackServer, console: Console, contracts: Path, own_home: Path
) -> None:
    (own_home / "config.toml").write_text("[prices]\nskimmer = [1000.0, 1000.0]\n")
    one = console.done("corpus", "read", contracts / "ahorn.txt", "--json").json["cost"]
    asked = len(server.requests)
    for _ in range(2):
        stopped = console("corpus", "read", contracts / "birke.txt", "--max-cost", f"{one + 0.01:.3f}")
        assert (stopped.code, "error: the budget of $" in stopped.err) == (1, True)
        assert len(server.requests) == asked
    spent = console.done("corpus", "read", "--max-cost", "100", "--json").json["cost"]
    assert spent > 1.5 * one


def test_corrected_metadata_are_used_without_another_call(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    manifest = desk / "list.jsonl"
    manifest.write_text('{"path": "contracts/ahorn.txt", "title": "Laese", "court": "Hul"}\n{"path": "story.txt"}\n')
    console.done("corpus", "read", "list.jsonl")
    asked = len(server.requests)
    manifest.write_text('{"path": "contracts/ahorn.txt", "title": "Lease", "court": "Hull"}\n{"path": "story.txt"}\n')
    assert console.done("corpus", "read", "list.jsonl").err.startswith("1 new or changed document in")
    assert console.done("corpus", "read", "list.jsonl").err.startswith("0 new or changed documents in")
    assert console.done("corpus", "read", contracts / "ahorn.txt").err.startswith("0 new or changed documents in")
    assert len(server.requests) == asked
    record, _ = map(json.loads, console.done("corpus", "export").out.splitlines())
    assert (record["title"], record["metadata"]["court"]) == ("Lease", "Hull")
    assert "Laese" not in console.done("list").out
    answer = console.done("corpus", "ask", "Who leases the mill?", "--json").json
    assert "Lease" in [one["title"] for one in answer["documents"]]


def test_an_export_shows_the_metadata_of_each_row_and_not_those_of_another_with_the_same_text(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    text = (contracts / "ahorn.txt").read_text()
    for name in ("copy", "third"):
        (contracts / f"{name}.txt").write_text(text)
    (desk / "one.jsonl").write_text('{"path": "contracts/ahorn.txt", "title": "Secret", "case": "7"}\n')
    (desk / "two.jsonl").write_text(
        '{"path": "contracts/copy.txt", "title": "Open", "court": "Hull"}\n{"path": "contracts/third.txt"}\n'
    )
    console.done("corpus", "read", "one.jsonl", "--corpus", "one")
    console.done("corpus", "read", "two.jsonl", "--corpus", "two")
    shown = [json.loads(line) for name in ("one", "two")
             for line in console.done("corpus", "export", "--corpus", name).out.splitlines()]  # fmt: skip
    assert [(one["title"], one["metadata"]) for one in shown] == [
        ("Secret", {"case": "7"}), ("Open", {"court": "Hull"}), ("third", {}),
    ]  # fmt: skip


def test_an_answer_cites_the_title_of_its_own_corpus(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    for name in ("copy", "third"):
        (contracts / f"{name}.txt").write_text((contracts / "ahorn.txt").read_text())
    (desk / "one.jsonl").write_text('{"path": "contracts/ahorn.txt", "title": "Secret"}\n')
    (desk / "two.jsonl").write_text('{"path": "contracts/copy.txt", "title": "Open"}\n')
    (desk / "three.jsonl").write_text('{"path": "contracts/third.txt"}\n')
    titles = {"one": "Secret", "two": "Open", "three": "third"}
    for name in titles:
        console.done("corpus", "read", f"{name}.jsonl", "--corpus", name)
    for name, title in titles.items():
        question = ("corpus", "ask", "Who leases the mill?", "--corpus", name)
        assert [one["title"] for one in console.done(*question, "--json").json["documents"]] == [title]
        printed = console.done(*question).out
        assert f"documents opened: {title} (of 1 on the shelf)\npages opened: {title}: " in printed
        assert not any(other in printed for other in titles.values() if other != title)
        assert [card["title"] for card in console.done("shelf", "list", name, "--json").json] == [title]
        assert json.loads(console.done("corpus", "export", "--corpus", name).out)["title"] == title


@pytest.mark.slow
def test_a_shelf_is_exported_and_compared_with_the_titles_of_its_own_corpus(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    names = sorted(path.name for path in contracts.iterdir())[:2]
    for corpus in ("one", "two"):
        rows = [{"path": f"contracts/{name}", "title": f"{Path(name).stem} of {corpus}"} for name in names]
        (desk / f"{corpus}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        console.done("corpus", "read", f"{corpus}.jsonl", "--corpus", corpus)
    for corpus in ("one", "two"):
        titles = [f"{Path(name).stem} of {corpus}" for name in names]
        assert sorted(console.done("compare", "--shelf", corpus, "--json").json["documents"]) == titles
        console.done("export", "--shelf", corpus, "-f", "markdown", "-o", f"out-{corpus}")
        texts = [path.read_text("utf-8") for path in sorted((desk / f"out-{corpus}").iterdir())]
        assert all(f"\n# {title}\n" in text for title, text in zip(titles, texts, strict=True))
        assert not any(f"of {other}" in text for text in texts for other in {"one", "two"} - {corpus})


def test_columns_with_names_of_our_own_are_exported_and_change_nothing(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    columns = {"kind": "sonnet", "code": "python", "appended": "12", "files": "two", "file": "a.pdf",
               "left_out": "none", "id": "7", "source": "archive", "document": "12", "card": "index", "pages": "iv",
               "metadata": "yes", "url": "https://example.org/a", "author": "Ada", "readagent salt": "x"}  # fmt: skip
    (desk / "list.jsonl").write_text(json.dumps({"path": "contracts/ahorn.txt", **columns, "title": "Lease"}))
    for _ in range(2):
        console.done("corpus", "read", "list.jsonl")
    record = json.loads(console.done("corpus", "export").out)
    assert (record["title"], record["metadata"]) == ("Lease", columns)
    assert (record["source"], len(record["pages"])) == (str(contracts.resolve() / "ahorn.txt"), 1)
    (card,) = console.done("shelf", "list", "corpus", "--json").json
    assert card["kind"] == ""
    (listed,) = console.done("list", "--json").json
    ours = {"kind", "code", "appended", "files", "file", "left_out", "readagent salt"}
    assert listed["metadata"] == {name: value for name, value in columns.items() if name not in ours}
    with load_settings().open_library() as library:
        document = library.document(record["document"])
    assert (document.kind, document.code, document.source_end, document.salt) == ("", "", None, "")


def test_what_was_read_of_a_file_that_is_gone_is_kept(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    manifest = desk / "list.jsonl"
    manifest.write_text('{"path": "contracts/ahorn.txt"}\n{"path": "contracts/birke.txt"}\n')
    console.done("corpus", "read", "list.jsonl")
    (contracts / "ahorn.txt").unlink()
    manifest.write_text('{"path": "contracts/ahorn.txt", "court": "Hull"}\n{"path": "contracts/birke.txt"}\n')
    for _ in range(2):
        read = console.done("corpus", "read", "list.jsonl", "--json")
        assert read.err.splitlines() == [
            "0 new or changed documents in the corpus corpus",
            f"skipped (the file is gone; what was read of it is kept): {contracts.resolve() / 'ahorn.txt'}",
        ]
        assert read.json["states"] == {"done": 2}
    assert json.loads(console.done("corpus", "export").out.splitlines()[0])["metadata"]["court"] == "Hull"
    manifest.write_text('{"path": "contracts/never.txt"}\n')
    assert console("corpus", "read", "list.jsonl", "--json").json["states"] == {"done": 2, "set aside": 1}
