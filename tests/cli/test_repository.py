"""A source repository (this project's core) is read as one document, and answers name file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import readagent
from cli.console import Console, prompts
from readagent.domains import domain
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

CORE = Path(readagent.__file__).parent / "core"
ASKED = {
    "Where are neighbouring pages merged when the memory is too long for the window?": "gists/merge.py",
    "Which function counts the words of a text without spaces, in Thai or Chinese?": "words.py",
    "Where is a useless reply replaced by a fallback that is recorded?": "session.py",
    "Which class holds the templates and their fingerprint?": "prompts.py",
    "Where are marks and white space evened out before a quote is looked for?": "quotes/joints.py",
}
_HINTED = re.compile(r"the likeliest first: ([Page\d, ]+)\.")


def following(prompt: str, constraint: Mapping[str, Any] | None) -> str:
    """Open the pages that the hints name, and skim otherwise."""
    hinted = _HINTED.search(prompt)
    if hinted is None:
        return skim(prompt, constraint)
    return f"I want to look up Page [{', '.join(re.findall(r'[0-9]+', hinted[1])[:3])}]."


@pytest.fixture
def core(console: Console, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server that has read the core as one document."""
    with LoopbackServer(following, constrain="none").in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        console.done("read", CORE, "--as-one", "--domain", "code", "--title", "The core", "--mode", "paper")
        yield server


def in_order(folder: Path) -> Iterator[str]:
    """Yield the files of a package in reading order: `__init__.py` first, subpackages last."""
    files = sorted(
        [*folder.glob("*.py"), *folder.glob("*.json")], key=lambda file: (file.name != "__init__.py", file.name)
    )
    yield from (file.relative_to(CORE).as_posix() for file in files)
    for inner in sorted(path for path in folder.iterdir() if (path / "__init__.py").exists()):
        yield from in_order(inner)


@pytest.mark.slow
def test_files_are_chapters_in_order(console: Console, core: LoopbackServer) -> None:
    shown = console.done("show", "The core", "--all", "--json").json
    assert shown["domain"] == "code"
    text = "".join(page["text"] for page in shown["page_list"])
    files = list(in_order(CORE))
    assert [name for name in text.splitlines() if name in files] == files
    assert all(page["place"].partition(":")[0] in files for page in shown["page_list"])
    assert any(domain("code") in prompt for prompt in prompts(core.requests))


@pytest.mark.slow
def test_answers_name_the_right_file(console: Console, core: LoopbackServer) -> None:
    pages = console.done("show", "The core", "--all", "--json").json["page_list"]
    for question, file in ASKED.items():
        answer = console.done("ask", "The core", question, "--hints", "--json").json
        opened = [pages[number] for number in answer["pages"]]  # a short file shares its page with the next one
        assert any(page["place"].startswith(file) or f"\n{file}\n" in page["text"] for page in opened), question
        assert all(re.fullmatch(r"[\w/]+\.py(:\d+)?", quote["place"]) for quote in answer["quotes"]), question
