"""Scripted, recorded and skimming models: what a user's own tests are made of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import readagent.testing as public
from readagent.core.form import Choice, Form, Lines, Text
from readagent.core.model import Ask, Reply
from readagent.core.prompts import Prompts
from readagent.core.trace import Usage
from readagent.core.words import count_words
from readagent.errors import ServerFaultError, UsageError
from readagent.models.endpoint import Endpoint
from readagent.testing import Habits, LoopbackServer, Recorder, Replay, ScriptedModel, skim
from readagent.testing.scripted import ScriptedReply
from readagent.testing.skim import gist

PROMPTS = Prompts.load()
TEXT = " ".join(f"Sentence {i} tells of Ann, who sails past island {i} in her boat." for i in range(60))
GISTS = """<Page 0>
Ann sails to the island.

<Page 1>
Bob repairs the lighthouse lamp with copper wire.

<Page 2>
Ann and Bob quarrel about the wedding."""


LETTER = Choice(("A", "B", "C"), texts=("The boat of Ann", "The lighthouse lamp", "A shoe"))
PAGES = Choice(("0", "1", "2"), 0, 2, label="Pages")
GIST = Form((Text("Gist"),))
FORMS = {
    "look_up": PAGES, "direct": Form((Text(), Lines("Page"), PAGES)), "respond": Form((Text(),)), "choose": LETTER,
    "claim": Choice(("true", "false")),
}  # fmt: skip


def asked(step: str, question: str) -> str:
    return PROMPTS.fill(step, form=FORMS[step], memory=GISTS, question=question, most=2, last=2)


def test_it_looks_up_the_page_with_the_rare_words() -> None:
    question = "Which wire mends the lighthouse lamp?"
    assert "Pages: 1" in skim(asked("look_up", question))
    assert "Pages: 1, 0" in skim(asked("look_up", question), habits=Habits(pages_to_open=2))
    assert "Pages: 1" in skim(asked("direct", question))
    assert skim(asked("direct", question), habits=Habits(asks=0)).startswith("Answer: ")
    none = skim(asked("look_up", question), habits=Habits(pages_to_open=0))
    assert PAGES.parse(none) == ()


def test_it_answers_each_kind_of_question() -> None:
    assert (
        skim(asked("respond", "Who repairs the lighthouse lamp?"))
        == "Answer: Bob repairs the lighthouse lamp with copper wire."
    )
    reply = skim(asked("choose", "What does Bob repair?\n(A) The boat of Ann\n(B) The lighthouse lamp\n(C) A shoe"))
    assert LETTER.parse(reply) == ("B",)
    assert skim(asked("claim", "Bob repairs the lighthouse lamp")) == "Answer: true"
    assert skim(asked("claim", "Carla buried seven golden spoons")) == "Answer: false"


@given(st.text(), st.floats(0, 1), st.floats(0, 4), st.floats(0, 1))
def test_any_prompt_gets_a_reply(text: str, share: float, pages: float, pause: float) -> None:
    habits = Habits(share, pages, pause)
    prompts = (
        text,
        f"<passage>{text}</passage>",
        f"<memory>\n<Page 0>\n{text}\n</memory><question>{text}</question> STOP",
    )
    for prompt in prompts:
        assert skim(prompt, None, habits) == skim(prompt, None, habits)
        assert skim(prompt, Choice(("yes", "no")).schema(), habits) in ('{"answer":"yes"}', '{"answer":"no"}')
    assert count_words(gist(text, 1.0)) <= count_words(text)


@pytest.mark.anyio
async def test_a_script_is_followed_until_it_ends() -> None:
    model = ScriptedModel(["one", ServerFaultError("down")])
    assert (await model.complete(Ask("gist", "a"))).text == "one"
    with pytest.raises(ServerFaultError):
        await model.complete(Ask("gist", "b"))
    with pytest.raises(UsageError, match=r"no reply for ask 3 \(step merge\)"):
        await model.complete(Ask("merge", "c"))
    assert [ask.prompt for ask in model.asks] == ["a", "b", "c"]


@pytest.mark.anyio
async def test_recorded_replies_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    script: list[ScriptedReply] = [
        Reply("gïst \ud83d", "length", Usage(3, 4, 1, None)), ServerFaultError("x"), "yes", "no",
    ]  # fmt: skip
    recorder = Recorder(ScriptedModel(script, name="some model"), path)
    merge = Ask("merge", "two\npassages", Choice(("yes", "no")))
    first = await recorder.complete(Ask("gist", "a passage"))
    with pytest.raises(ServerFaultError):
        await recorder.complete(merge)
    for _ in range(2):
        await recorder.complete(merge)
    replay = Replay(path)
    assert replay.name == "some model"
    again = await replay.complete(Ask("gist", "a passage"))
    assert (again.text, again.finish, again.usage, again.paid) == ("gïst ?", first.finish, first.usage, False)
    assert [(await replay.complete(merge)).text for _ in range(3)] == ["yes", "no", "no"]
    with pytest.raises(UsageError, match="no reply to this look_up"):
        await replay.complete(Ask("look_up", "never asked"))


@pytest.mark.anyio
async def test_the_file_contains_no_key(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    async with LoopbackServer(key="sk-secret") as server:
        endpoint = Endpoint(server.base_url, "skimmer", key="sk-secret")
        await Recorder(endpoint, path).complete(Ask("gist", "A passage. Of two sentences."))
        await endpoint.aclose()
    assert b"A passage" in path.read_bytes()
    assert b"secret" not in path.read_bytes()


ROOT = Path(__file__).parent.parent.parent
USERS_TEST = """
import pytest

from readagent import Ask, Document, ReadAgent, Reply, Usage
from readagent.testing import Faults, Habits, LoopbackServer, Recorder, Replay, ScriptedModel, Skimmer

STORY = Document.from_text("Ann hid the key in the kitchen. Bob looked for it in the garden. " * 40)


def reply(ask: Ask) -> Reply:
    return Reply("Answer: Behind the stove.", usage=Usage(10, 4))


def test_a_scripted_answer() -> None:
    with ReadAgent(Skimmer(Habits(gist_share=0.2))) as agent:
        memory = agent.read(STORY)
    model = ScriptedModel(reply)
    with ReadAgent(model) as agent:
        assert agent.ask(memory, "Where is the key?", quotes=False).text == "Behind the stove."
    assert model.asks[-1].step == "direct"


def test_faults(tmp_path) -> None:
    with LoopbackServer(faults=Faults(0.2, seed=3, kinds=["empty", "length"])).in_thread() as server:
        with ReadAgent(server.base_url) as agent:
            assert agent.read(STORY).gists
        assert server.requests
"""


def test_every_name_has_a_docstring_and_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    assert [name for name in public.__all__ if f"`{name}" not in page] == []
    assert [name for name in public.__all__ if not getattr(public, name).__doc__] in ([], ["Fault"])  # a type alias


@pytest.mark.slow
def test_a_test_suite_of_a_user_needs_no_other_imports(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(USERS_TEST, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout


@pytest.mark.release
def test_a_users_tests_pass_the_strict_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    typed = USERS_TEST.replace("import pytest", "from pathlib import Path").replace("(tmp_path)", "(tmp_path: Path)")
    (tmp_path / "test_mine.py").write_text(typed, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "test_mine.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
