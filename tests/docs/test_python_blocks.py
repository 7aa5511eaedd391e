"""Every block of Python in the documentation runs against loopback.

The blocks of docs/python.md run alone, those of another page one after the other in one namespace.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from docs.pages import PAGES, ROOT, Block, blocks, name
from readagent.models.providers import Target, resolve
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.slow

MODELS = ("qwen3:8b", "gpt-4.1-mini", "my-model")
FILES = {
    "novel.txt": "examples/story.txt",
    "meeting.txt": "examples/meeting.txt",
    "thesis.pdf": "tests/fixtures/garden.libreoffice.pdf",
    "papers/garden.docx": "tests/fixtures/garden.pandoc.docx",
    "leases/mill.txt": "tests/fixtures/story.txt",
    "leases/garden.md": "tests/fixtures/garden.md",
}
NEEDS = {"docs/adapters.md": ("langchain_core", "llama_index.core", "openai")}  # `make test-adapters` has them
ALONE = ROOT / "docs" / "python.md"
PYTHON = [page for page in PAGES if page != ALONE and blocks(page, "python")]


@pytest.fixture
def reader_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the files that the pages speak of, and a loopback server in the place of every other."""
    for called, example in FILES.items():
        (tmp_path / called).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / example, tmp_path / called)
    monkeypatch.chdir(tmp_path)
    with LoopbackServer(models=MODELS).in_thread() as server:

        def here(model: str | None, base_url: str | None, environ: Mapping[str, str], key_server: str = "") -> Target:
            target = resolve(model, base_url, environ, key_server)
            started_by_page = target.base_url.startswith("http://127.0.0.1:")
            return target if started_by_page else replace(target, base_url=server.base_url)

        monkeypatch.setattr("readagent.connection.resolve", here)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)  # for the package of OpenAI
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield tmp_path


@pytest.mark.parametrize("page", PYTHON, ids=map(name, PYTHON))
def test_the_blocks_of_a_page_run(page: Path, reader_at_home: Path) -> None:
    for package in NEEDS.get(name(page), ()):
        pytest.importorskip(package)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        run(page, block, namespace)


@pytest.mark.parametrize("block", blocks(ALONE, "python"), ids=lambda block: f"line {block.line}")
def test_a_block_runs_alone(block: Block, reader_at_home: Path) -> None:
    run(ALONE, block, {"__name__": "__main__"})


def run(page: Path, block: Block, namespace: dict[str, object]) -> None:
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    exec(code, namespace)


def test_the_readme_shows_python() -> None:
    assert ROOT / "README.md" in PYTHON
