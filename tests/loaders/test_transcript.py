"""Transcripts: each turn is a paragraph, in every usual layout, and prose is not a transcript."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.loaders.formats import Options
from readagent.loaders.speech.transcript import looks_like_transcript, parse

SPEAKERS = ["Anna Berg", "Bo", "Anna Berg", "Dr. O'Neill", "Bo", "Dr. O'Neill", "Anna Berg"]
SAID = "We talked about it, and so it goes on."
EXAMPLES = Path(__file__).parents[2] / "examples"


def shown(text: str) -> list[tuple[str, str]]:
    document = parse(text.encode(), "meeting.txt", Options())
    return [(p.place, document.text[p.start : p.end].strip()) for p in document.paragraphs]


@pytest.mark.parametrize(
    ("layout", "gap", "place"),
    [
        ("{who}: {said}", "\n", ""),
        ("00:1{i}:31.250 {who}: {said}", "\n", "0:1{i}:31"),
        ("{who} ({i}:31): {said}", "\n\n", "0:0{i}:31"),
        ("12/03/2024, 10:0{i} - {who}: {said}", "\n", "12/03/2024, 10:0{i}"),
        ("{who}:\n\n    {said}", "\n\n", ""),
    ],
)
def test_turns_in_every_layout(layout: str, gap: str, place: str) -> None:
    text = gap.join(layout.format(who=who, said=SAID.replace(", ", ",\n"), i=i) for i, who in enumerate(SPEAKERS))
    assert looks_like_transcript(text)
    assert shown(text) == [(place.format(i=i), f"{who}: {SAID}") for i, who in enumerate(SPEAKERS)]


EXPORTS = {
    "12/03/2021, 10:0{} - ": "12/03/2021, 10:0{}",
    "12/3/21, 10:0{} a.\u00a0m. - ": "12/3/21, 10:0{} a. m.",
    "[2021-03-12, 10:0{}:00] ": "2021-03-12, 10:0{}:00",
}


@pytest.mark.parametrize(("stamp", "place"), EXPORTS.items())
def test_messages_of_a_messenger(stamp: str, place: str) -> None:
    messages = [
        ("", "Messages and calls are end-to-end encrypted."),
        ("Anna Müller", "Hello there"),
        ("\u202a+49 171 2345678\u202c", "The key is under the mat\nand the cat is out"),
        ("~\u202fCarl", "ok \N{THUMBS UP SIGN}"),
        ("+1 (555) 123\u20114567", "\u200e<attached: 00000012-PHOTO.jpg>"),
        ("", "Bob left"),
    ]
    lines = [stamp.format(at) + (f"{who}: {said}" if who else said) for at, (who, said) in enumerate(messages)]
    text = "\n".join(lines)
    assert looks_like_transcript(text)
    assert shown(text) == [
        (place.format(0), "Messages and calls are end-to-end encrypted."),
        (place.format(1), "Anna Müller: Hello there"),
        (place.format(2), "+49 171 2345678: The key is under the mat and the cat is out"),
        (place.format(3), "Carl: ok \N{THUMBS UP SIGN}"),
        (place.format(4), "+1 (555) 123\u20114567: <attached: 00000012-PHOTO.jpg>"),
        (place.format(5), "Bob left"),
    ]


def test_our_example_meeting() -> None:
    text = (EXAMPLES / "meeting.txt").read_text("utf-8")
    plain = Document.from_text(text)
    assert looks_like_transcript(text)
    assert [said for _, said in shown(text)] == [" ".join(text[p.start : p.end].split()) for p in plain.paragraphs]


FORM = "\n\n".join(f"Path: lib/{i}\nHolder: Somebody and others.\nTerms: You may copy it." for i in range(9))


@pytest.mark.parametrize(
    "text",
    [
        (EXAMPLES / "story.txt").read_text("utf-8"),
        FORM,
        "def f():\n    Args:\n        x: an int.\n    Returns:\n        y: an int.\n" * 5,
        "",
    ],
)
def test_other_texts_are_not_transcripts(text: str) -> None:
    assert not looks_like_transcript(text)
