"""The scripted model, and the skimmer, which works with the real prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.form import Choice, Form, Lines, Text
from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.words import count_words
from readagent.errors import ServerFaultError, UsageError
from readagent.testing import Habits, ScriptedModel, skim
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
    "look_up": PAGES,
    "direct": Form((Text(), Lines("Page"), PAGES)),
    "respond": Form((Text(),)),
    "choose": LETTER,
    "claim": Choice(("true", "false")),
}


def asked(step: str, question: str) -> str:
    return PROMPTS.fill(
        step,
        form=FORMS[step],
        memory=GISTS,
        question=question,
        most=2,
        last=2,
    )


def test_it_pauses_at_three_quarters() -> None:
    passage = "\n\n".join(f"Part {i}.\n\n<{i}>" for i in range(1, 9)) + "\n\nEnd."
    prompt = PROMPTS.fill("paginate", form=Choice(tuple("12345678"), label="Break point"), passage=passage)
    assert skim(prompt) == "Break point: 6"
    assert skim(prompt, habits=Habits(pause=1.0)) == "Break point: 8"
    assert skim(prompt, habits=Habits(pause=0.0)) == "Break point: 1"


def test_it_shortens_to_the_gist_share() -> None:
    prompt = PROMPTS.fill("gist", form=GIST, passage=TEXT)
    reply = skim(prompt).removeprefix("Gist: ")
    assert count_words(reply) == round(0.15 * count_words(TEXT))
    assert reply.startswith("Sentence 0")
    assert "Sentence 30" in reply
    assert count_words(skim(prompt, habits=Habits(gist_share=0.5))) > 300


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
