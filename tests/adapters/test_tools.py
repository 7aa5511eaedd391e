"""Tools for models that call functions: what each returns, and what happens to mistakes of the model."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import traceback
from typing import Any

import pytest

from adapters.tales import PLAN, SOLD, WHO, honey, shelf, tale
from readagent import AsyncReadAgent, Document, ReadAgent, Shelf
from readagent.adapters.passages import Passages, page_passages
from readagent.adapters.tools import Tools
from readagent.errors import MissingExtraError, ModelError, NotInLibraryError, UsageError
from readagent.testing import ScriptedModel, Skimmer
from sessions import Counting


def result(tools: Tools, name: str, **arguments: Any) -> Any:
    return json.loads(tools.call(name, arguments))


def test_a_memory_has_tools_without_a_document_to_name(agent: ReadAgent) -> None:
    tools = Tools(agent, honey(agent))
    assert [tool.name for tool in tools] == ["search_pages", "read_gists", "open_pages", "answer_question"]
    assert not any("document" in tool.parameters for tool in tools)


def test_only_answering_asks_the_model(agent: ReadAgent, model: Counting) -> None:
    tools = Tools(agent, honey(agent))
    before = len(model.asks)
    result(tools, "search_pages", words="honey")
    result(tools, "read_gists", first_page=1)
    result(tools, "open_pages", pages=[1])
    assert len(model.asks) == before
    answer = result(tools, "answer_question", question=WHO)
    assert len(model.asks) > before
    assert answer["answer"] == SOLD
    assert answer["found_in_text"] is True
    assert SOLD in [quote["text"] for quote in answer["quotes"]]


def test_pages_are_counted_from_one_in_all_results(agent: ReadAgent) -> None:
    memory = honey(agent)
    tools = Tools(agent, memory)
    (hit,) = result(tools, "search_pages", words='"widow of honeyville"')
    assert hit["page"] == 1
    gists = result(tools, "read_gists", first_page=2)["pages"]
    assert [(one["page"], one["text"]) for one in gists] == [
        (number, gist.text) for number, gist in enumerate(memory.gists[1:], 2)
    ]
    (page,) = result(tools, "open_pages", pages=[hit["page"]])["pages"]
    assert page["text"] == memory.page_text(0).strip()


def test_a_result_is_limited_and_says_where_to_continue(agent: ReadAgent) -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "word " * 300 for n in range(40))
    memory = agent.read(Document.from_text(text, title="Long"))
    tools = Tools(agent, memory)
    seen, first = list[int](), 1
    while first:
        found = result(tools, "open_pages", pages=list(range(first, len(memory.pages) + 1)))
        assert sum(len(one["text"].split()) for one in found["pages"]) <= 4000
        seen += [one["page"] for one in found["pages"]]
        first = found.get("next_page", 0)
    assert seen == list(range(1, len(memory.pages) + 1))


def test_a_library_lists_its_documents_and_takes_their_titles(agent: ReadAgent) -> None:
    honey(agent)
    agent.read(tale("salt"))
    agent.library.add(tale("rope"))  # not read yet
    tools = Tools(agent)
    assert [one["title"] for one in result(tools, "list_documents")] == ["Of honey", "Of salt"]
    assert "salt" in result(tools, "open_pages", document="Of salt", pages=[1])["pages"][0]["text"]
    assert result(tools, "answer_question", document=tale("honey").id, question=WHO)["answer"] == SOLD
    assert result(tools, "read_gists", document="Of rope", first_page=1) == {"error": "'Of rope' has not been read yet"}


def test_a_shelf_is_asked_as_a_whole_and_shows_no_other_document(agent: ReadAgent) -> None:
    tools = Tools(agent, shelf(agent))
    agent.read(tale("wool"))
    assert {one["title"] for one in result(tools, "list_documents")} == {"Of honey", "Of salt"}
    assert all(one["about"] for one in result(tools, "list_documents"))
    assert {hit["title"] for hit in result(tools, "search_pages", words="seller walked")} == {"Of honey", "Of salt"}
    assert result(tools, "open_pages", document="Of wool", pages=[1]) == {
        "error": "'Of wool' is not one of the documents"
    }
    answer = result(tools, "answer_question", question=WHO)
    assert answer["answer"] == SOLD
    assert {quote["title"] for quote in answer["quotes"]} == {"Of honey"}


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("fly", "{}", "there is no tool 'fly'"),
        ("open_pages", '{"pages": "1"}', 'pages must be a list of whole numbers such as [1, 2], not "1"'),
        ("open_pages", '{"pages": [0]}', "pages are numbered from 1 to"),
        ("answer_question", "", "exactly these arguments: question"),
    ],
)
def test_a_mistake_of_the_model_is_a_result(agent: ReadAgent, name: str, arguments: str, said: str) -> None:
    outcome = json.loads(Tools(agent, honey(agent)).call(name, arguments))
    assert [*outcome] == ["error"]
    assert said in outcome["error"]


def test_a_failing_model_is_an_error_and_no_result() -> None:
    def reply(ask: Any) -> str | Exception:
        return ModelError("the model is out of order") if ask.step in ("direct", "look_up", "respond") else "gist"

    with ReadAgent(ScriptedModel(reply), plan=PLAN) as agent:
        tools = Tools(agent, honey(agent))
        with pytest.raises(ModelError, match="out of order"):
            tools.call("answer_question", {"question": WHO})


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
    ("module", "package", "extra"), [("readagent.adapters.langchain", "langchain_core", "langchain")]
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
