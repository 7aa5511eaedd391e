"""The parsers of decisions accept any text, and understand the forms that models use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.form import Choice, is_refusal, strip_thinking

LABELS = Choice(tuple(str(n) for n in range(1, 60)), cues=("break point", "label"))
PAGES = Choice(tuple(str(n) for n in range(20)), least=0, most=3, cues=("page",))
NEXT = Choice((*(str(n) for n in range(8)), "STOP"), cues=("page",))
OPTIONS = Choice(("A", "B", "C", "D"), texts=("a red car", "the blue boat", "He went home", "none of these"))
VERDICT = Choice(("yes", "no", "not sure"))
CLAIM = Choice(("true", "false"))
RATING = Choice(("yes", "yes, partially", "no"))
ALL = [LABELS, PAGES, NEXT, OPTIONS, VERDICT, CLAIM, RATING]


@given(st.sampled_from(ALL), st.text())
def test_any_text_is_parsed_to_legal_values_or_none(choice: Choice, text: str) -> None:
    chosen = choice.parse(text)
    assert chosen is None or (set(chosen) <= set(choice.values) and choice.least <= len(chosen) <= choice.most)


@given(st.sampled_from(ALL), st.data())
def test_a_constrained_reply_is_always_understood(choice: Choice, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(choice.values))
    form = '{"answer": "%s"}' if choice.single else '{"answer": ["%s"]}'
    assert choice.parse(form % value) == (value,)
    assert choice.parse(value if choice.single else f"[{value}]") == (value,)


@given(st.sampled_from(LABELS.values), st.sampled_from(["Break point: <{}>", "**Break Point:** <{}>", "<{}>", "{}", "break point is {}.",
       "[{}]", "Label {}", "<think>Perhaps <3>, or <4>.</think>\nBreak point: <{}>", "I think <{}> is best.\n\nBreak point: <{}>",
       "Break point: <{}>\nBecause the 12 men leave.", "BREAK POINT : < {} >", "`<{}>`", "```\nBreak point: <{}>\n```"]))  # fmt: skip
def test_labels_in_the_forms_that_models_use(value: str, form: str) -> None:
    assert LABELS.parse(form.replace("{}", value)) == (value,)


CASES = [
    (LABELS, "I would pause at fifty-seven.", ("57",)),
    (LABELS, "label twenty", ("20",)),
    (LABELS, "Break point: <57>\nBecause <58> begins a new scene.", ("57",)),
    (LABELS, "Break point: <0>", None),
    (LABELS, "Break point: <300>", None),
    (LABELS, "", None),
    (LABELS, "I'm sorry, but I can't help with that.", None),
    (PAGES, "Pages: 2, 7", ("2", "7")),
    (PAGES, "I want to look up Pages 2, 7 and 9 to be sure", ("2", "7", "9")),
    (PAGES, "Page 2 and Page 7.", ("2", "7")),
    (PAGES, "Pages 2-4", ("2", "3", "4")),
    (PAGES, "Page [2], Page [7]", ("2", "7")),
    (PAGES, "page two and page seven", ("2", "7")),
    (PAGES, "[2, 2, 99, 7, 8, 9]", ("2", "7", "8")),
    (PAGES, "Page [99]", None),
    (PAGES, "I don't need any pages.", ()),
    (PAGES, "None", ()),
    (PAGES, "The memory already says it all.\nNone.", ()),
    (PAGES, "Page [ ]", ()),
    (PAGES, "<think>pages 1, 2, 3?</think>Pages: 5", ("5",)),
    (PAGES, "I cannot help with that, as an AI language model.", None),
    (NEXT, "Page 7", ("7",)),
    (NEXT, "**STOP**", ("STOP",)),
    (NEXT, "stop", ("STOP",)),
    (NEXT, "I have seen enough after Page 7. STOP", ("STOP",)),
    (NEXT, "Page 12", None),
    (OPTIONS, "Answer: (C) He went home", ("C",)),
    (OPTIONS, "The answer is B.", ("B",)),
    (OPTIONS, "c", ("C",)),
    (OPTIONS, "Option D is right", ("D",)),
    (OPTIONS, "The blue boat", ("B",)),
    (OPTIONS, "Let me think. (A) is wrong, (B) is wrong.\nAnswer: (D)", ("D",)),
    (OPTIONS, "the third option", ("C",)),
    (OPTIONS, "3", ("C",)),
    (OPTIONS, "I think the answer is a man who left", None),
    (OPTIONS, "E", None),
    (VERDICT, "Yes.", ("yes",)),
    (VERDICT, "**No**, it goes on.", ("no",)),
    (VERDICT, "I'm not sure.", ("not sure",)),
    (VERDICT, "maybe", None),
    (CLAIM, "The claim is not true.", ("false",)),
    (CLAIM, "TRUE", ("true",)),
    (RATING, "Yes, partially.", ("yes, partially",)),
    (RATING, "Yes", ("yes",)),
]


def test_real_replies_are_parsed() -> None:
    assert [reply for choice, reply, chosen in CASES if choice.parse(reply) != chosen] == []


@pytest.mark.parametrize(
    ("text", "left"),
    [("<think>a</think>b", "b"), ("a</think>b", "b"), ("<think>a", ""), ("b < 3 and c > 2", "b < 3 and c > 2")],
)
def test_thinking_is_removed(text: str, left: str) -> None:
    assert strip_thinking(text) == left


@pytest.mark.parametrize(
    "text", ["I'm sorry he left, she said.", "I cannot say who did it, since the text names nobody."]
)
def test_not_every_apology_is_a_refusal(text: str) -> None:
    assert not is_refusal(text)
