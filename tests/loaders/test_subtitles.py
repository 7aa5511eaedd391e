"""Subtitles: cues are joined into sensible paragraphs, each with its time."""

from __future__ import annotations

import pytest

from readagent.loaders.formats import Options
from readagent.loaders.speech.subtitles import parse


def shown(text: str) -> list[tuple[str, str]]:
    document = parse(text.encode(), "talk.srt", Options())
    return [(p.place, document.text[p.start : p.end].strip()) for p in document.paragraphs]


SRT = """1
00:00:01,000 --> 00:00:03,000
We never told
the harbour master.

2
00:00:03,200 --> 00:00:05,000
<i>He knew anyway,</i>

3
00:00:05,100 --> 00:00:07,000
because the boat was wet.

4
00:41:07,000 --> 00:41:09,000 X1:40 X2:600
{\\an8}- Where is it?
- In the <b>shed</b>.

5
01:02:03,500 --> 01:02:05,000
The end, I think &amp; hope.
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_cues_make_paragraphs(end: str) -> None:
    assert shown(SRT.replace("\n", end)) == [
        ("0:00:01", "We never told the harbour master. He knew anyway, because the boat was wet."),
        ("0:41:07", "Where is it?"),
        ("0:41:07", "In the shed."),
        ("1:02:03", "The end, I think & hope."),
    ]


def test_voices_notes_and_styles() -> None:
    text = """WEBVTT - A talk about boats

NOTE nobody
reads this

STYLE
::cue { color: red }

REGION
id:left

intro
00:01.000 --> 00:04.000 line:0
<v Anna Berg>Hello.</v>

00:04.500 --> 00:05.500
<v Anna Berg>We begin.

00:05.600 --> 00:07.000
<v.loud Bo>Wait!

05:05.600 --> 05:07.000
>> Yes?

05:07.100 --> 05:09.000
>> No.
"""
    assert shown(text) == [
        ("0:00:01", "Anna Berg: Hello. We begin."),
        ("0:00:05", "Bo: Wait!"),
        ("0:05:05", "Yes?"),
        ("0:05:07", "No."),
    ]
    assert parse(text.encode(), "talk.vtt", Options()).title == "A talk about boats"


def test_long_speech_is_cut_at_the_ends_of_sentences() -> None:
    text = "".join(
        f"{i}\n00:{i:02}:00,000 --> 00:{i + 1:02}:00,000\n{i} Words of a talk that goes on and on.\n\n"
        for i in range(30)
    )
    found = shown(text)
    assert 2 < len(found) < 10
    assert sum(len(said.split()) for _, said in found) == 30 * 10
    assert all(said.endswith("on.") for _, said in found)


def test_broken_cues_are_tolerated() -> None:
    text = """1
00:00:01 --> 00:00:02
No fractions.
2
00:00:02,5 --> 00:00:03,0

A blank line within.

3
00:00:xx --> nowhere
Never shown.

4
00:00:59,000 --> 00:00:01,000
Backwards."""
    assert [said for _, said in shown(text)] == ["No fractions. A blank line within.", "Backwards."]
