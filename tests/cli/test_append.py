"""`append`, and files that have grown: only the new text is read, and one line says what was added."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cli.console import LIMIT, Console, diary, running
from cli.interrupter import Interrupter
from readagent import Library
from readagent.cli.commands import append
from readagent.testing.loopback import LoopbackServer

PAGES = ("--page-words", "80", "--min-page-words", "40", "--mode", "paper")


@pytest.fixture
def log(desk: Path, console: Console, server: LoopbackServer) -> Path:
    """A log of 40 paragraphs that has been read."""
    file = desk / "log.txt"
    file.write_text(diary(40))
    console.done("read", "log.txt", *PAGES)
    server.requests.clear()
    return file


def text_in(home: Path) -> str:
    with Library(home) as library:
        (row,) = library.documents()
        memory = library.memory(row.id)
        assert memory is not None
        assert "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text
        return memory.document.text


def test_a_file_is_appended_once_and_standard_input_every_time(
    console: Console, server: LoopbackServer, log: Path, desk: Path
) -> None:
    (desk / "more.txt").write_text(diary(46)[len(diary(40)) :])
    record = console.done("append", "log", "more.txt", "--json").json
    assert (record["kept_pages"], record["new_pages"], record["pages"]) == (39, 7, 46)
    assert record["new_words"] > 200
    assert record["calls"]["gist"] == 7
    assert console.done("append", "log", "more.txt").out == "log: nothing new\n"
    assert console.done("append", "log", "-", stdin="Again.").out.startswith("log: 1 new page")
    assert console.done("append", "log", "-", stdin="Again.").out.startswith("log: 1 new page")
    assert console.done("append", "log", "-", stdin="Once more.").err == ""


def test_only_the_new_part_of_a_grown_file_is_read(console: Console, server: LoopbackServer, log: Path) -> None:
    console.done("ask", "log.txt", "Who saw an omen?")
    server.requests.clear()
    log.write_text(diary(46))
    result = console.done("read", "log.txt", *PAGES)
    assert result.out.endswith("; the file has grown: 7 new pages, 39 pages unchanged\n")
    assert "version" not in result.out
    assert not any("day 20 of the voyage" in request.prompt for request in server.requests)
    assert [row["questions"] for row in console.done("list", "--all", "--json").json] == [1]
    server.requests.clear()
    log.write_text(diary(48))
    console.done("ask", "log.txt", "Who saw an omen?")  # it continues with pages of 80 words
    assert not any("day 20 of the voyage" in request.prompt.partition("<memory>")[0] for request in server.requests)
    assert console.done("list", "--json").json[0]["pages"] == 48
    console.done("append", "log.txt", "log.txt")
    log.write_text(diary(50))
    assert console.done("append", "log.txt", "log.txt").out == "log: 3 new pages, 47 pages unchanged\n"


def test_follow_reads_lines_as_they_arrive(console: Console, server: LoopbackServer, log: Path, own_home: Path) -> None:
    lines = [f"Speaker {n % 3}: line number {n} of the talk, and a few more words in it." for n in range(12)]
    result = console.done("append", "log", "-", "--follow", stdin="\n".join(lines) + "\n\n")
    assert result.out.startswith("log: 4 new pages, 39 pages unchanged")
    assert text_in(own_home).endswith("\n\n".join(lines))
    server.requests.clear()
    assert (
        console.done("append", "log", "-", "--follow", stdin="Short.\n").out == "log: 1 new page, 42 pages unchanged\n"
    )
    assert server.requests == []  # it is kept unread
    assert text_in(own_home).endswith("Short.")


@pytest.mark.slow
@pytest.mark.parametrize("at", [1])
def test_ctrl_c_keeps_all_lines(
    desk: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, console: Console, at: int
) -> None:
    lines = [f"Speaker {n % 3}: line number {n} of the talk, and a few more words in it." for n in range(12)]
    interrupter = Interrupter(at)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        interrupter.requests = 10**6  # the first reading is not interrupted
        console.done("read", "-", "--title", "talk", *PAGES, stdin="A short beginning.")
        interrupter.requests = 0
        with running("append", "talk", "-", "--follow", stdin=subprocess.PIPE) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write("\n".join(lines) + "\n")
            child.stdin.flush()
            interrupter.watch(child)
            assert child.wait(LIMIT) == 0
            assert "unchanged" in child.stdout.read()
        assert text_in(own_home).split("\n\n") == ["A short beginning.", *lines]


def test_ctrl_c_just_after_a_line_was_saved_does_not_add_it_twice(
    console: Console, server: LoopbackServer, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(append.Progress):
        """A progress line at whose end Ctrl-C arrives, once the text has grown."""

        def __exit__(self, *error: object) -> None:
            super().__exit__(*error)
            with Library(own_home) as library:
                if library.documents()[0].words > 3:
                    raise KeyboardInterrupt

    console.done("read", "-", "--title", "talk", *PAGES, stdin="A short beginning.")
    with monkeypatch.context() as patched:
        patched.setattr(append, "Progress", Interrupted)
        assert "1 new page" in console.done("append", "talk", "-", "--follow", stdin="One line.\n").out
    assert text_in(own_home) == "A short beginning.\n\nOne line."
