"""Passages for other programs, and what an adapter says without its package."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import traceback

import pytest

from adapters.tales import SOLD, WHO, honey, shelf, tale
from readagent import AsyncReadAgent, ReadAgent, Shelf
from readagent.adapters.passages import Passages, page_passages
from readagent.errors import MissingExtraError, NotInLibraryError, UsageError
from readagent.testing import Skimmer
from sessions import Counting


def test_pages_of_a_memory_are_found_without_an_answer(agent: ReadAgent, model: Counting) -> None:
    memory = honey(agent)
    before = len(model.asks)
    found = Passages(agent, memory).find(WHO)
    assert [ask.step for ask in model.asks[before:]] == ["look_up"]
    assert SOLD in found[0].text
    text = tale("honey").text
    for one in found:
        assert one.text == text[one.metadata["start"] : one.metadata["end"]]  # type: ignore[misc]
        assert memory.page_text(one.metadata["page"]).strip() == one.text  # type: ignore[arg-type]
    assert found[0].metadata["source"] == "/tales/honey.txt"
    assert found[0].metadata["title"] == "Of honey"
    assert found[0].metadata["place"]
    assert json.loads(json.dumps(found[0].metadata)) == found[0].metadata


def test_quotes_of_an_answer_are_passages(agent: ReadAgent) -> None:
    found = Passages(agent, honey(agent), "quotes").find(WHO)
    assert SOLD in [one.text for one in found]
    assert len(agent.library.answers()) == 1  # the answer is kept


def test_passages_of_a_shelf_name_their_document(agent: ReadAgent) -> None:
    found = Passages(agent, shelf(agent), "pages").find(WHO)
    assert any(SOLD in one.text for one in found)
    assert found[0].metadata["document"] == tale("honey").id
    for one in found:
        document = agent.library.document(str(one.metadata["document"]))
        assert one.text == document.text[one.metadata["start"] : one.metadata["end"]]  # type: ignore[misc]


def test_a_passage_always_has_the_same_id(agent: ReadAgent) -> None:
    memory = honey(agent)
    known = {one.id for one in page_passages(memory)}
    assert len(known) == len(memory.pages)
    assert {one.id for one in Passages(agent, memory).find(WHO)} <= known


def test_wrong_arguments_are_errors_of_readagent(agent: ReadAgent) -> None:
    memory = honey(agent)
    with pytest.raises(UsageError, match="must be a ReadAgent, not AsyncReadAgent"):
        Passages(AsyncReadAgent(Skimmer()), memory)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a GistMemory or a Shelf, not str"):
        Passages(agent, "novel.txt")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="pages or quotes"):
        Passages(agent, memory, "words")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="question is empty"):
        Passages(agent, memory).find(" ")
    with pytest.raises(NotInLibraryError):
        Passages(agent, Shelf(agent, "none")).find(WHO)


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("readagent.adapters.langchain", "langchain_core", "langchain"),
    ],
)
def test_the_error_names_the_command_that_installs_it(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"{module} needs") as error:
        importlib.import_module(module)
    assert isinstance(error.value, UsageError)
    assert isinstance(error.value, ImportError)  # so that code which tries imports treats it as one
    assert f"[{extra}]" in error.value.hint
    assert f"[{extra}]" in "".join(traceback.format_exception_only(error.value))  # a script shows no hint


@pytest.mark.slow
def test_tools_and_passages_import_no_such_package() -> None:
    code = "import sys, readagent.adapters.tools, readagent.adapters.passages;"
    code += "sys.exit(bool({'langchain_core', 'llama_index', 'llm', 'openai', 'pydantic'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
