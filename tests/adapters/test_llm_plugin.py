"""The plugin for `llm`, in the program itself: fragments and tools from the user's library."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.tales import PLAN, SOLD, WHO, shelf, tale
from docs.pages import ROOT, blocks
from readagent import GistMemory, Library, ReadAgent, Shelf
from readagent.testing import LoopbackServer, Skimmer
from readagent.testing.loopback import Call

pytest.importorskip("llm")


@pytest.fixture
def memory(own_home: Path) -> GistMemory:
    """The tales of honey and salt in the user's library, on a shelf, and that of rope, which is not read."""
    with Library(own_home) as library, ReadAgent(Skimmer(), library=library, plan=PLAN) as agent:
        shelf(agent)
        library.add(tale("rope"))
        return agent.read(tale("honey"))


@pytest.fixture(scope="module")
def reader() -> Iterator[LoopbackServer]:
    """The model of ReadAgent's own settings."""
    with LoopbackServer().in_thread() as server:
        yield server


def run_llm(home: Path, *arguments: str, server: str = "", reader: str = "") -> subprocess.CompletedProcess[str]:
    """Run `llm` with a model at this server, and ReadAgent with its model at another."""
    (home / "extra-openai-models.yaml").write_text(
        f"- {{model_id: mine, model_name: skimmer, api_base: '{server}', supports_tools: true, can_stream: false}}\n",
        "utf-8",
    )
    own = {"LLM_USER_PATH": str(home), "READAGENT_MODEL": "skimmer", "READAGENT_BASE_URL": reader}
    return subprocess.run(
        [sys.executable, "-m", "llm", *arguments], env={**os.environ, **{name: one for name, one in own.items() if one}},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip


def replying(*replies: str) -> AbstractContextManager[LoopbackServer]:
    """Return a server that gives these replies, one after another."""
    following = iter(replies)
    return LoopbackServer(lambda prompt, constraint: next(following)).in_thread()


def test_the_gists_of_a_document_are_a_fragment(memory: GistMemory, own_home: Path) -> None:
    with replying("The widow.") as server:
        done = run_llm(own_home, "-m", "mine", "-f", "readagent:honey.txt", WHO, server=server.base_url)
    assert done.stdout == "The widow.\n", done.stderr
    sent = server.requests[0].messages[-1]["content"]
    assert memory.render() in str(sent).replace("\\n", "\n")
    assert "Of honey" in str(sent)


@pytest.mark.parametrize(
    ("name", "said"), [("novel.epub", "readagent read novel.epub"), ("Of rope", "readagent read 'Of rope'")]
)
def test_what_was_not_read_is_an_error_with_the_command_to_run(
    memory: GistMemory, own_home: Path, name: str, said: str
) -> None:
    done = run_llm(own_home, "-m", "mine", "-f", f"readagent:{name}", WHO)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("toolbox", ["ReadAgent", 'ReadAgent("goods")'])
def test_a_model_reads_the_library_or_a_shelf_with_tools(
    memory: GistMemory, own_home: Path, reader: LoopbackServer, toolbox: str
) -> None:
    asked = {"question": WHO} | ({"document": "Of honey"} if toolbox == "ReadAgent" else {})
    calls = [
        Call.of("ReadAgent_list_documents"),
        Call.of("ReadAgent_open_pages", document="Of salt", pages=[99]),
        Call.of("ReadAgent_answer_question", **asked),
    ]
    with replying(*calls, "The widow.") as server:
        done = run_llm(own_home, "-m", "mine", "-T", toolbox, WHO, server=server.base_url, reader=reader.base_url)
    assert done.stdout == "The widow.\n", done.stderr
    results = [json.loads(request.messages[-1]["content"]) for request in server.requests[1:]]
    assert [one["title"] for one in results[0]] == ["Of honey", "Of salt"]
    assert "pages are numbered from 1" in results[1]["error"]
    assert results[2]["answer"] == SOLD


def test_the_lines_in_the_documentation_run(own_home: Path, reader: LoopbackServer) -> None:
    novel = replace(tale("salt"), source=str(own_home / "novel.epub"))
    with Library(own_home) as library, ReadAgent(Skimmer(), library=library, plan=PLAN) as agent:
        Shelf(agent, "contracts").add(novel)
    (own_home / "default_model.txt").write_text("mine", "utf-8")
    block = next(block for block in blocks(ROOT / "docs" / "adapters.md", "sh") if "llm -f" in block.text)
    lines = [shlex.split(line)[1:] for line in block.text.splitlines() if line.startswith("llm ")]
    assert len(lines) == 3
    for line in lines:
        with replying("The widow.") as server:
            done = run_llm(own_home, *line, server=server.base_url, reader=reader.base_url)
        assert done.stdout == "The widow.\n", done.stderr
