"""Several processes with one library: they share the work, and nobody's text is lost."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from cli.console import LIMIT, Console, diary, running
from readagent import Library
from readagent.testing.loopback import LoopbackServer
from readagent_bench.folder import RunFolder
from sessions import EXAMPLES


def run_all(*commands: tuple[object, ...]) -> list[str]:
    """Run commands at the same time that must all succeed, and return their outputs."""
    results = []
    with ExitStack() as stack:
        children = [stack.enter_context(running(*command)) for command in commands]
        for child in children:
            out, err = child.communicate(timeout=LIMIT)
            assert child.returncode == 0, err
            results.append(out)
    return results


def repeated(server: LoopbackServer) -> list[str]:
    """Return the prompts that were sent more than once."""
    counts = Counter(request.prompt for request in server.requests if request.prompt)
    return [prompt for prompt, count in counts.items() if count > 1]


@pytest.mark.slow
def test_two_readers_of_one_document_share_the_calls(server: LoopbackServer, desk: Path) -> None:
    (desk / "diary.txt").write_text(diary(40))
    first, second = run_all(
        *[("read", "diary.txt", "--page-words", "200", "--min-page-words", "40", "--mode", "paper")] * 2
    )
    assert first == second
    assert len(server.requests) > 20
    assert repeated(server) == []


def test_a_second_benchmark_in_one_folder_says_so(console: Console, server: LoopbackServer) -> None:
    arguments = ("bench", "run", "own", "--data", EXAMPLES, "--methods", "full", "--out", "runs")
    with RunFolder(Path("runs")).lock():
        assert "another process is running in runs" in console.fails(*arguments)
    assert server.requests == []


TALK = """
import sys
from readagent import Conversation, Library, ReadAgent
with Library(sys.argv[1]) as library, ReadAgent("skimmer", library=library) as agent:
    talk = Conversation(agent, "support")
    for number in range(5):
        talk.add(sys.argv[2], f"This is my turn number {number}.")
"""


@pytest.mark.slow
def test_turns_of_several_processes_are_all_kept(server: LoopbackServer, own_home: Path) -> None:
    speakers = ["Anna", "Bela", "Cleo", "Dora"]
    children = [subprocess.Popen([sys.executable, "-c", TALK, str(own_home), name]) for name in speakers]
    assert [child.wait(LIMIT) for child in children] == [0] * 4
    with Library(own_home) as library:
        (row,) = library.documents()
        turns = library.document(row.id).text.split("\n\n")
    assert sorted(turns) == [f"{name}: This is my turn number {n}." for name in speakers for n in range(5)]
    for name in speakers:  # each speaker's turns are in order
        own = [turn for turn in turns if turn.startswith(name)]
        assert own == sorted(own)
