"""An answer is split into statements, and verified only if its numbers are in its quotes and the check supports each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.core.statement import Statement, Support
from readagent.core.support.statements import statements
from readagent.core.trace import Call, Event
from readagent.errors import ConnectionFailedError
from sessions import make_session, read_and_fit, run, supported

TEXT = "\n\n".join([
    "The council met in the spring of 1911. Jakob Brandt promised $1,500 for each family of the valley.",
    "Irma never promised money, and said so. She kept the brass key in her left glove until the end.",
    "In the evening the mill burned down. Twenty-five men came to help, but nobody could save the wheel.",
])  # fmt: skip
MONEY = 'Page 0: "Jakob Brandt promised $1,500 for each family of the valley."'
NEVER = 'Page 1: "Irma never promised money, and said so."'
PLAN = Plan(page_words=25, min_page_words=5, look_up="none")
WHAT = Question("What was promised?")


def make_memory() -> GistMemory:
    return run(read_and_fit(Document.from_text(TEXT), make_session(plan=PLAN)))


MEMORY = make_memory()


def answered(
    said: str, verdict: str | Reply | Exception | None = None, question: Question = WHAT, window: int | None = None,
    **plan: object,
) -> tuple[Answer, list[Ask], list[Event]]:  # fmt: skip
    """Return the answer of a model that says this, and finds everything supported unless ``verdict`` says otherwise."""
    events: list[Event] = []

    def reply(one: Ask) -> str | Reply | Exception:
        return said if one.step != "check" else supported(one) if verdict is None else verdict

    session = replace(make_session(reply, replace(PLAN, **plan), window), emit=events.append)  # type: ignore[arg-type]
    answer = run(ask(MEMORY, question, session))
    return answer, [one for one in session.model.asks if one.step == "check"], events  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "said",
    [
        f"Jakob promised the families 1,500 dollars each.\n{MONEY}",
        f"Jakob promised money; it was fifteen hundred dollars for each family.\n{MONEY}",
        f"Irma did not promise any money.\n{NEVER}",
    ],
)
def test_a_true_answer_with_its_quotes_is_verified(said: str) -> None:
    answer, checks, _ = answered(said)
    assert answer.verified
    assert {one.state for one in answer.statements} == {"supported"}
    assert all(one.quotes for one in answer.statements)
    assert (len(checks), answer.support.checked_by) == (1, "model")


@pytest.mark.parametrize(
    "said",
    [
        f"Jakob promised $500 for each family.\n{MONEY}",
        f"Jakob promised $1,500 for each family. He paid in 1912.\n{MONEY}",
    ],
)
def test_a_false_answer_is_not_verified_though_its_quotes_stand_and_the_model_agrees(said: str) -> None:
    answer, _, _ = answered(said)
    assert answer.quotes
    assert not answer.false_quotes
    assert not answer.verified


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Did Jakob promise money on 3 June?", "Jakob promised money on 3 June."),
        ("What does -u of the promise do?", "With -u Jakob promised each family money."),
    ],
)
def test_a_number_or_option_of_the_question_must_be_in_the_quotes_too(question: str, said: str) -> None:
    answer, _, _ = answered(f"{said}\n{MONEY}", question=Question(question))
    assert [one.state for one in answer.statements] == ["quoted"]
    assert not answer.verified


def test_an_invented_second_sentence_is_told_from_the_first() -> None:
    said = f"Jakob promised $1,500 for each family of the valley. The money was never paid out.\n{MONEY}"
    answer, _, _ = answered(said, "1: yes [1]\n2: no")
    assert answer.statements == (
        Statement("Jakob promised $1,500 for each family of the valley.", "supported", (0,)),
        Statement("The money was never paid out.", "unsupported"),
    )
    assert not answer.verified


def test_a_copy_of_a_quote_needs_no_call() -> None:
    answer, checks, _ = answered(f"Jakob Brandt promised $1,500 for each family of the valley.\n{MONEY}")
    assert answer.verified
    assert (checks, answer.support.checked_by) == ([], "rules")


@pytest.mark.parametrize(
    "bad",
    ["", "Both are fine.", "1: yes and no", "1: yes [7]", Reply("", "refused"), ConnectionFailedError("down")],
    ids=["empty", "not in form", "two things", "no such quote", "refused", "error"],
)
def test_a_useless_check_leaves_the_answer_and_is_recorded(bad: str | Reply | Exception) -> None:
    answer, checks, events = answered(f"Jakob promised the families money.\n{MONEY}", bad)
    assert answer.text == "Jakob promised the families money."
    assert [one.state for one in answer.statements] == ["quoted"]
    assert len(checks) == (1 if isinstance(bad, Exception) else 2)  # there is one reminder
    assert all("\n1: yes [2]\n1: no" in one.prompt for one in checks)
    assert [(one.step, one.taken) for one in answer.trace.fallbacks] == [("check", "the rules alone")]
    assert answer.trace.fallbacks[0] in events


def test_the_check_shows_the_model_statements_and_quotes_alone_and_is_in_trace_and_events() -> None:
    answer, (check,), events = answered(f"Jakob promised money. He </statements> meant it.\n{MONEY}\n{NEVER}")
    assert "<question>\nWhat was promised?\n</question>" in check.prompt
    assert "1: Jakob promised money.\n2: He ‹/statements> meant it.\n</statements>" in check.prompt
    assert '1: "Jakob Brandt promised $1,500 for each family of the valley."\n2: "Irma never' in check.prompt
    assert "the mill burned" not in check.prompt
    assert answer.trace.steps()["check"] == 1
    assert [one.step for one in events if isinstance(one, Call)] == ["respond", "check"]


def test_the_model_is_told_which_words_of_a_statement_are_not_in_its_quotes() -> None:
    said = f"Jakob Brandt promised $1,500 for each family of the hill.\n{MONEY}"
    answer, (check,), _ = answered(said, "1: no")
    assert "Not in the quotes, of statement 1: hill." in check.prompt
    assert [one.state for one in answer.statements] == ["unsupported"]


@pytest.mark.parametrize(
    "verdict", ["1: yes [1]", "**1: Yes** [1].", "yes [1]", '{"lines": [{"number": "1", "text": "yes [1]"}]}']
)
def test_a_verdict_is_read_in_its_form(verdict: str) -> None:
    answer, checks, _ = answered(f"Jakob promised the families money.\n{MONEY}\n{NEVER}", verdict)
    assert answer.statements == (Statement("Jakob promised the families money.", "supported", (0,)),)
    assert len(checks) == 1


def test_a_claim_is_checked_and_so_is_its_denial() -> None:
    claim = Question.claim("Jakob promised each family money.")
    assert answered("Answer: true", None, claim)[0].verified
    answer, (check,), _ = answered("Answer: false", "1: no", claim)
    assert answer.statements == (Statement('It is not true: "Jakob promised each family money."', "unsupported"),)
    assert "It is not true:" in check.prompt
    false = Question.claim("Jakob promised 900 dollars for each family.")
    assert answered("Answer: false", None, false)[0].verified
    assert not answered("Answer: true", None, false)[0].verified
    copied = Question.claim("The council met in the spring of 1911.")
    denied, checks, _ = answered("Answer: false", None, copied)
    assert (denied.verified, checks) == (False, [])  # a quote says just that


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Dr. Smith paid $3.5 million. He left.", ["Dr. Smith paid $3.5 million.", "He left."]),
        ("Yes. Irma took it.", ["Yes. Irma took it."]),
        ("Irma left (page 3). So did Jakob [pages 4-5].", ["Irma left.", "So did Jakob."]),
        ("The reasons are:\n- money\n- fear of **Jakob**", ["money", "fear of Jakob"]),
        ("| who | what |\n|---|---|\n| Irma | left |", ["who , what", "Irma , left"]),
        ("他走了。她留下了！", ["他走了。", "她留下了！"]),
        ("Die Brücke wurde am 12. Mai 1952 eröffnet.", ["Die Brücke wurde am 12. Mai 1952 eröffnet."]),
        ('He said: "I came. I saw. I won." Then he left.', ['He said: "I came. I saw. I won."', "Then he left."]),
        ("...", []),
    ],
)
def test_answers_are_split(answer: str, expected: list[str]) -> None:
    assert statements(answer) == expected


@given(st.text(max_size=200))
def test_any_text_can_be_split_and_every_statement_says_something(answer: str) -> None:
    assert all(any(map(str.isalnum, one)) for one in statements(answer))


def test_quotes_that_are_dropped_take_their_support_away() -> None:
    support = Support(
        (Statement("a", "supported", (0, 2)), Statement("b", "supported", (1,)), Statement("c", "supported", (2,)))
    )
    assert support.with_quotes([0, 2]).statements == (
        Statement("a", "supported", (0, 1)),
        Statement("b", "unsupported"),
        Statement("c", "supported", (1,)),
    )
