"""StreamedAnswer: whatever the pieces, what is emitted is the answer, once; another answer is told as a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.asking.reply_parts import split_reply
from readagent.core.asking.stream import LABEL, StreamedAnswer
from readagent.core.events import AnswerText, Event
from readagent.core.replies import strip_thinking
from sessions import make_session

ANSWER = "She had the key in her coat all the time, and nobody asked her for it."
QUOTE = 'Page 0: "Irma had the key."'
REPLIES = {
    "plain": ANSWER,
    "as asked for": f'{ANSWER}\n{QUOTE}\nPage 3: "It was in her coat."\n',
    "blank line": f"{ANSWER}\n\n{QUOTE}",
    "heading": f"{ANSWER}\n\nSupporting quotes:\n{QUOTE}",
    "evidence": f"{ANSWER}\n**Evidence**\n{QUOTE}",
    "numbered": f"{ANSWER}\n1. {QUOTE}\n2. {QUOTE}",
    "bullets": f"{ANSWER}\n- {QUOTE}",
    "marks first": f'{ANSWER}\n"Irma had the key." (page 0)',
    "block": f"{ANSWER}\n> Irma had the key.",
    "label": f"**Answer:** {ANSWER}\n{QUOTE}",
    "thinking": f"<think>Who had it?\n{QUOTE}</think>\n\n{ANSWER}\n{QUOTE}",
    "thinking begun in the prompt": f"Who had it?</think>{ANSWER}",
    "two paragraphs": f"{ANSWER}\n\nPerhaps 3 < 4, as page 7 says.\n\n{QUOTE}",
    "list": f"{ANSWER}\n1. The coat.\n2. The key.\n{QUOTE}",
    "space": f"\n\n  {ANSWER}  \n\n \n",
    "separators": f"{ANSWER}\u2028And so on.\x0bAnd on.\n{QUOTE}",
    "short": "1894",
    "not there": "NOT IN THE TEXT",
    "not there, in other words": "Based on the pages, there is no information about who had it.",
    "not there, in German": "Im Text wird nicht erwähnt, wer den Schlüssel hatte.",
    "not there, in Japanese": "本文には誰が鍵を持っていたか書かれていません。そのため答えられません。",
    "in part": "The text does not say when, but she had the key in her coat.\n" + QUOTE,
    "quote in German": f"{ANSWER}\nSeite 0: „Irma had the key.“",
    "quote in Japanese": f"{ANSWER}\n0ページ：「Irma had the key.」",
    "quote on the next line": f'{ANSWER}\nPage 0:\n"Irma had the key."',
    "table": f'{ANSWER}\n\n| Page | Quote |\n|---|---|\n| 0 | "Irma had the key." |',
    "courtesies": f"Sure! Here is the answer based on the provided memory:\n\n{ANSWER} I hope this helps!\n{QUOTE}",
    "courtesies after the quotes": f"{ANSWER}\n{QUOTE}\n\nLet me know if you have any other questions!",
    "like a courtesy": f"{ANSWER} I hope that is all there was to it for her. Please note the coat.\n{QUOTE}",
    "not there, at length": "The answer is not in the text, as far as I can see from these pages.",
}
CUTS: dict[str, Callable[[str], Iterable[str]]] = {
    "characters": lambda text: text,
    "words": lambda text: text.replace(" ", " \0").split("\0"),
    "tokens": lambda text: (text[at : at + 3] for at in range(0, len(text), 3)),
    "one piece": lambda text: [text],
}


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
        return StreamedAnswer(replace(make_session(), emit=self))


def final(reply: str) -> str:
    """Return the answer in a reply, as it is returned in the end."""
    parts = split_reply(LABEL.sub("", strip_thinking(reply)).strip())
    return "The text does not say." if parts.answer == "NOT IN THE TEXT" else parts.answer


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
    if name in ("plain", "as asked for", "label", "thinking", "two paragraphs") and cut == "characters":
        assert before.startswith(ANSWER), "it was emitted while it arrived"
        assert screen.pieces > 20


@pytest.mark.parametrize(
    "answer",
    [
        "The ship left the harbour at dawn, and Marta stood on the quay until it was gone.",
        "The answer is Marta, who kept the lamp for forty years before the machine came.",
        "The ship sailed from Bergen to Hull in May, with nobody but Jonas on board of it.",
        "It is Marta who kept the lamp for forty years before the machine was brought.",
        "In the end, Marta left the island with the lamp, and nobody asked her for it again.",
        "Der Kapitän war ein alter Mann, der die Insel vierzig Jahre lang nicht verließ.",
    ],
)
def test_an_answer_with_an_ordinary_beginning_is_emitted_before_its_sentence_ends(answer: str) -> None:
    screen = Screen()
    stream = screen.stream()
    for piece in answer[:48]:
        stream(piece)
    assert screen.text
    assert answer.startswith(screen.text)


@pytest.mark.parametrize(
    "answer",
    [
        "The name of the ship that sailed to Hull in May is not mentioned in the text.",
        "The reason for the long journey to Hull is never stated in the text.",
        "It is not stated in any of these pages where the ship went after that.",
        "There is no mention of the name of the ship in any of these pages.",
        "The text says nothing about the name of the ship, or who sailed in it.",
        "Der Name des Schiffes ist im Text nicht genannt, und auch nicht der des Kapitäns.",
    ],
)
def test_a_denial_is_held_back_until_it_is_certain(answer: str) -> None:
    screen = Screen()
    stream = screen.stream()
    for piece in answer:
        stream(piece)
    assert screen.text == ""


@given(st.text("ab <>/thinkpage:\"'\n.1Q", max_size=80), st.integers(1, 7))
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
    for piece in first[:at]:
        stream(piece)
    stream.restart()
    for piece in second:
        stream(piece)
    stream.close(final(second))
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


def test_a_shorter_reply_starts_again_at_the_end() -> None:
    screen = broken(ANSWER, ANSWER[:40], 60)
    assert screen.text == ANSWER[:40].strip()
    assert screen.restarts == 1


def test_an_answer_after_a_reminder_starts_again() -> None:
    screen = Screen()
    stream = screen.stream()
    stream("Here are some thoughts that are no answer to anything at all.")
    stream.close(ANSWER)
    assert screen.text == ANSWER
    assert screen.restarts == 1


class Quiet(Screen):
    """A listener that keeps nothing."""

    def __call__(self, event: Event) -> None:
        """Do nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("line", ["word ", "word\n", '"', "<", "Page 1: x ", "The text does not say. "])
def test_the_time_is_linear_in_the_length(line: str) -> None:
    """Ten times the length takes about ten times as long; it would be a hundred times if it were quadratic."""

    def seconds(length: int) -> float:
        stream, reply = Quiet().stream(), line * (length // len(line))
        began = process_time()
        for piece in reply:
            stream(piece)
        return process_time() - began

    assert seconds(200_000) < 35 * max(0.01, seconds(20_000))
