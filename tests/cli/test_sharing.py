"""Several processes with one library: they share the work, and nobody's text is lost."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from cli.console import LIMIT, Console, diary, running
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
