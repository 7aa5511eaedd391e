"""StreamedAnswer: whatever the pieces, what is emitted is the answer, once; another answer is told as a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.asking.answer import TEXT_IS_SILENT, answer_form, given_in
from readagent.core.asking.stream import StreamedAnswer
from readagent.core.plan import Plan
from readagent.core.trace import AnswerText, Event
from sessions import make_session

ANSWER = "She had the key in her coat all the time, and nobody asked her for it."
QUOTE = 'Page 0: "Irma had the key."'
FORM = answer_form(Plan())
REPLIES = {
    "plain": f"Answer: {ANSWER}", "as asked for": f'Answer: {ANSWER}\n{QUOTE}\nPage 3: "It was in her coat."\n',
    "bold": f"**Answer:** {ANSWER}\n{QUOTE}", "all bold": f"**Answer: {ANSWER}**",
    "thinking": f"<think>Who had it?\n{QUOTE}</think>\n\nAnswer: {ANSWER}\n{QUOTE}",
    "thinking begun in the prompt": f"Who had it?\nAnswer: no</think>Answer: {ANSWER}",
    "two paragraphs": f"Answer: {ANSWER}\n\nPerhaps 3 < 4, as page 7 says.\n\n{QUOTE}", "not there": "NOT IN THE TEXT",
    "not there, in a field": "Answer: NOT IN THE TEXT",
    "not there, in a sentence": "Answer: The harbour book is silent on that.\nNOT IN THE TEXT",
    "quote on the next line": f'Answer: {ANSWER}\nPage 0:\n"Irma had the key."',
    "chatter first": f"Sure! Here is what I found:\n\nAnswer: {ANSWER}\n{QUOTE}",
}  # fmt: skip
CUTS: dict[str, Callable[[str], Iterable[str]]] = {"characters": lambda text: text, "one piece": lambda text: [text]}


class Screen:
    """What a listener makes of the events: the text since the last restart."""

    def __init__(self) -> None:
        self.text = ""
        self.pieces = self.restarts = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, AnswerText):
            self.restarts += event.restart
            self.text = event.text if event.restart else self.text + event.text
            self.pieces += 1

    def stream(self) -> StreamedAnswer:
        return StreamedAnswer(replace(make_session(), emit=self), FORM)


def final(reply: str) -> str:
    """Return the answer in a reply, as it is returned in the end."""
    filled = FORM.parse(reply)
    return (given_in(filled).text if filled else "") or TEXT_IS_SILENT


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", REPLIES)
def test_the_answer_is_emitted_once(name: str, cut: str) -> None:
    screen, reply = Screen(), REPLIES[name]
    stream = screen.stream()
    for piece in CUTS[cut](reply):
        stream(piece)
    before = screen.text
    stream.close(final(reply))
    assert screen.text == final(reply)
    if name != "thinking begun in the prompt":
        assert screen.restarts == 0
    if "not there" not in name and cut == "characters":
        assert before.startswith(ANSWER), "it was emitted while it arrived"
        assert screen.pieces > 20


@given(st.text("ab <>/thinkpage:\"'\n.1Q", max_size=80).map("Answer: ".__add__), st.integers(1, 7))
def test_the_screen_ends_with_the_answer_whatever_arrives(reply: str, size: int) -> None:
    screen = Screen()
    stream = screen.stream()
    for at in range(0, len(reply), size):
        stream(reply[at : at + size])
    stream.close(final(reply))
    assert screen.text == final(reply)


def broken(first: str, second: str, at: int) -> Screen:
    """Return the screen after a reply that broke off and one that followed, both character by character."""
    screen = Screen()
    stream = screen.stream()
    for piece in f"Answer: {first}"[:at]:
        stream(piece)
    stream.restart()
    for piece in f"Answer: {second}":
        stream(piece)
    stream.close(final(f"Answer: {second}"))
    return screen


@pytest.mark.parametrize("at", [5, 40, 60])
def test_the_same_reply_again_continues_where_it_broke_off(at: int) -> None:
    screen = broken(f"{ANSWER}\n{QUOTE}", f"{ANSWER}\n{QUOTE}", at)
    assert screen.text == ANSWER
    assert screen.restarts == 0


@pytest.mark.parametrize("other", ["Nobody knows who had the key, says Irma.", f"{ANSWER[:45]} I think, in her bag."])
def test_another_reply_starts_again(other: str) -> None:
    screen = broken(ANSWER, other, 60)
    assert screen.text == other
    assert screen.restarts == 1


def test_nothing_is_emitted_without_a_label() -> None:
    screen = Screen()
    stream = screen.stream()
    stream("Here are some thoughts that are no answer to anything at all.\nSorry, something went wrong on our end.")
    assert not screen.pieces
    stream.close(ANSWER)
    assert screen.text == ANSWER
    assert screen.restarts == 0
