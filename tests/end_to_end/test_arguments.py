"""What agents and estimates take: names and paths in place of objects; anything else is an error at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from readagent import Conversation, Document, GistMemory, Library, Plan, Question, ReadAgent, Shelf, load
from readagent.errors import LoadError, ReadAgentError, UsageError
from readagent.settings import load_settings
from readagent.testing import ScriptedModel, Skimmer
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

TEXT = Document.from_text("The ferry leaves at noon. Irma holds the key.", title="T")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": " "}, "the name of the model is empty"),
        ({"model": 5}, "model must be a name, a URL, a path, or an object with name and complete, not int"),
        ({"model": Skimmer(), "budget": 5}, "budget must be a Budget, not int"),
        ({"model": Skimmer(), "library": 5}, "library must be a Library or the path of one, not int"),
        ({"model": Skimmer(), "plan": "novels"}, "unknown preset 'novels'"),
    ],
)
def test_a_mistake_in_the_constructor(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ReadAgent(**arguments)
    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("mistake", "message", "hint"),
    [
        (lambda: Plan(look_up="all"), "look_up must be one of parallel", "the usual value is 'parallel'"),
        (lambda: Plan(max_pages=-1), "max_pages must be at least 0, not -1", "the usual value is 6"),
        (lambda: load_settings({"parallel": 0}), "parallel in the call must be a whole", "the usual value is 8"),
        (lambda: Question.choice("Who?", ["Ann"]), "needs at least two options", 'for example ["Ann", "Ben"'),
    ],
)
def test_a_wrong_value_has_a_hint(mistake: Any, message: str, hint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        mistake()
    assert hint in caught.value.hint


def test_without_a_model_the_only_one_of_openai_base_url_is_used_and_its_server_is_named(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LoopbackServer(models=("text-embedding-3-small", "gemma3:4b"), key="sk-secret").in_thread() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        named = re.escape(f"no model was named: texts go to {server.base_url} (OPENAI_BASE_URL)")
        with pytest.warns(UserWarning, match=named) as warned:
            made = ReadAgent()
        assert warned[0].filename == __file__
        assert repr(made) == f"<ReadAgent: {server.base_url}>"
        with made as agent:
            assert not agent.is_local
            assert agent.read(TEXT).model.startswith(f"{server.base_url} gemma3:4b")
        asked = len(server.requests)
        monkeypatch.setattr("readagent.connection.steps_to_reader", lambda home: "")
        with ReadAgent() as agent:  # the offline reader, if it is installed
            assert agent.is_local
        assert len(server.requests) == asked


def test_a_library_may_be_given_by_its_path(tmp_path: Path) -> None:
    for path in (str(tmp_path / "mine.db"), tmp_path / "mine.db"):
        with ReadAgent(Skimmer(), library=path) as agent:
            agent.read(TEXT)
    with Library(tmp_path / "mine.db") as library:
        assert [row.name for row in library.documents()] == ["T"]
    again = ScriptedModel([], name=Skimmer().name)
    with ReadAgent(again, library=tmp_path / "mine.db") as agent:
        assert agent.read(TEXT).document.id == TEXT.id


@pytest.mark.parametrize("plan", [5, "novels"])
def test_a_mistake_in_the_plan_of_one_document(plan: Any) -> None:
    with ReadAgent(Skimmer()) as agent:
        for call in (agent.read, agent.estimate, lambda source, plan: agent.read_all([source], plan=plan)):
            with pytest.raises(UsageError, match=r"plan must be|unknown preset"):
                call("missing.txt", plan=plan)


MEETING = EXAMPLES / "meeting.txt"
DOCX = Path(__file__).parent.parent / "fixtures" / "garden.pandoc.docx"


@pytest.mark.parametrize(
    ("wrong", "message", "hint"),
    [
        ("It was noon.\nThe ferry left.", "not a text of several lines", "Document.from_text"),
        ("meetng.txt", "there is no file meetng.txt", "did you mean meeting.txt?; a text is read with Document.from_"),
        ("", "the file name is empty", "give a file"),
        (b"bytes", "not bytes", "Document.from_text"),
        (["a.txt", "b.txt"], "not list", "read_all"),
    ],
)
def test_what_is_no_source(
    wrong: str, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(MEETING, tmp_path)
    monkeypatch.chdir(tmp_path)
    with ReadAgent(Skimmer()) as agent:
        for work in (agent.read, agent.estimate, Shelf(agent, "x").add):
            with pytest.raises((UsageError, LoadError)) as caught:
                work(wrong)
            assert message in str(caught.value)
            assert hint in caught.value.hint
            assert len(str(caught.value)) < 150


def test_a_file_that_cannot_be_loaded_is_one_result_of_many(tmp_path: Path) -> None:
    missing = str(tmp_path / "nothing.pdf")
    heard: list[str] = []
    with ReadAgent(Skimmer()) as agent:
        results: dict[str | Path, GistMemory | ReadAgentError] = dict(
            agent.read_all([missing, MEETING, str(DOCX)], listen=lambda document, event: heard.append(document.title))
        )
        assert isinstance(results[missing], LoadError)
        assert isinstance(results[MEETING], GistMemory)
        assert isinstance(results[str(DOCX)], GistMemory)
        assert set(heard) == {load(MEETING).title, load(DOCX).title}
        added = dict(Shelf(agent, "all").add_all([missing, MEETING]))
        assert isinstance(added[missing], LoadError)
        assert [card.title for card in Shelf(agent, "all").cards()] == [load(MEETING).title]


def test_an_estimate_knows_the_agents_plan_and_window_and_sends_no_text() -> None:
    with (
        LoopbackServer(window=2000).in_thread() as server,
        ReadAgent("skimmer", base_url=server.base_url, plan=Plan(page_words=200)) as agent,
    ):
        figures = agent.estimate(MEETING)
        assert figures.window == 2000
        assert figures.page_words == 200
        assert agent.estimate(MEETING, plan=Plan(page_words=400)).pages < figures.pages
        assert server.requests == []


STORY = load(EXAMPLES / "story.txt")
LOADED_MEETING = load(EXAMPLES / "meeting.txt")


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer().in_thread() as server:
        yield server


@pytest.mark.anyio
async def test_the_sync_agent_works_inside_a_running_loop(server: LoopbackServer) -> None:
    with ReadAgent("skimmer", base_url=server.base_url) as agent:
        memory = agent.read(LOADED_MEETING)
        assert agent.ask(memory, "Where was the wallpaper steamer?").text


@pytest.mark.slow
def test_several_threads_share_an_agent_and_a_library(server: LoopbackServer, library: Library) -> None:
    questions = [f"What is said about {word}?" for word in "salt barge key flag pump lintel cork regatta".split()]
    with ReadAgent("skimmer", base_url=server.base_url, library=library) as agent, ThreadPoolExecutor(4) as pool:
        memories = list(pool.map(agent.read, [STORY, LOADED_MEETING, STORY, LOADED_MEETING]))
        assert memories[0].gists == memories[2].gists
        assert memories[1].gists == memories[3].gists
        answers = list(pool.map(lambda question: agent.ask(memories[0], question), questions))
    assert [answer.question.text for answer in answers] == questions
    assert len(library.answers(STORY.id)) == len(questions)
    asked = [request.prompt for request in server.requests]
    assert len(asked) == len(set(asked)), "the same was asked twice"


def test_an_unknown_keyword() -> None:
    with pytest.raises(TypeError, match="windw"):
        ReadAgent("http://127.0.0.1:9/v1", windw=3)  # type: ignore[call-arg]
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(Document.from_text("One line, and no more."))
        with pytest.raises(TypeError, match="'lookup'; did you mean 'look_up'"):
            agent.ask(memory, "Why?", lookup="none")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="'comapre'; did you mean 'compare'"):
            Shelf(agent, "goods").ask("Why?", comapre=True)  # type: ignore[call-arg]


def test_ordinary_mistakes_get_a_clear_error() -> None:
    with ReadAgent(Skimmer()) as agent:
        memory = agent.read(LOADED_MEETING)
        with pytest.raises(TypeError, match="list of Turn"):
            agent.ask(memory, "Why?", history=[("Who?", "Irma.")])  # type: ignore[list-item]
        with pytest.raises(UsageError, match="look_up must be one of parallel, sequential, direct, none, not 'all'"):
            agent.ask(memory, "Why?", look_up="all")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="a question is a text or a Question, not 5") as asked:
            agent.ask(memory, 5)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="a text or a Document is needed, not NoneType") as appended:
            agent.append(memory, None)  # type: ignore[arg-type]
        assert asked.value.hint
        assert appended.value.hint
        with pytest.raises(UsageError, match="needs a name"):
            Conversation(agent, 4)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="takes the number of a turn"):
            Conversation(agent).forget(True)
        with pytest.raises(UsageError, match="must be a text, not 1"):
            ReadAgent("openai/m", model_options={1: 2})  # type: ignore[dict-item]
        with pytest.raises(UsageError, match="needs a name"):
            Shelf(agent, " ")
    with pytest.raises(UsageError, match="the agent is closed"):
        agent.ask(memory, "Why?")
    with pytest.raises(UsageError, match="not one text"):
        Question.choice("Who?", "ab")
