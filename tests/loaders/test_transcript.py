"""Transcripts, subtitles and chats: each turn is a paragraph with its time, in every usual layout."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.loaders.formats import Options
from readagent.loaders.sniff import detect_format
from readagent.loaders.speech.subtitles import parse as parse_subtitles
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
    "\u200e[2021-03-12, 10:0{}:00] ": "2021-03-12 10:0{}:00",
    "[13.3.21, 1:0{}:59\u202fPM] ": "2021-03-13 1:0{}:59 PM",
    "3/13/2021 01.0{} p. m. - ": "2021-03-13 01.0{} p. m.",
    "13.3.2021 klo 13.0{}: ": "2021-03-13 klo 13.0{}",
    "2021. 3. 13. \uc624\ud6c4 1:0{}, ": "2021-03-13 \uc624\ud6c4 1:0{}",
}


@pytest.mark.parametrize(("stamp", "place"), EXPORTS.items())
def test_messages_of_a_messenger(stamp: str, place: str) -> None:
    messages = [
        "Messages and calls are end-to-end encrypted.",
        "Anna Müller: Hello there",
        "\u202a+49 171 2345678\u202c: The key is under the mat\nNote: the cat is out",
        "~\u202fCarl: ok \N{THUMBS UP SIGN}",
        "+1 (555) 123\u20114567: \u200e<attached: 00000012-PHOTO.jpg>",
        "Bob left",
    ]
    text = "\n".join(stamp.format(at) + one for at, one in enumerate(messages))
    clean = [re.sub("[\u202a\u202c\u200e]|~\u202f", "", one).replace("\n", " ") for one in messages]
    assert looks_like_transcript(text)
    assert shown(text) == [(place.format(at), one) for at, one in enumerate(clean)]


@pytest.mark.parametrize("who", ["Bo", "+47 912 34 567", "🌊", "지민", "anna_99", "Plumber 24/7", "Note"])
def test_whatever_is_before_the_first_colon_of_a_message_is_the_sender(who: str) -> None:
    text = f"12/3/21, 9:00 - Anna: Where: here?\n12/3/21, 9:01 - {who}: In the shed.\n\nDoor: open.\n12/3/21, 9:02 - Bob left"
    document = parse((text + "\n12/3/21, 9:03 - Anna: Thanks").encode(), "chat.txt", Options())
    said = {document.text[one.start : one.end].strip(): document.speaker_at(one.end - 3) for one in document.paragraphs}
    assert said == {
        "Anna: Where: here?": "Anna", f"{who}: In the shed.": who, "Door: open.": who, "Bob left": "",
        "Anna: Thanks": "Anna",
    }  # fmt: skip
    assert document.speaker_at(document.paragraphs[1].start) == ""  # the text names them there


@pytest.mark.parametrize(
    ("days", "places"),
    [
        (["3/4/21", "5/4/21", "1/5/21"], ["2021-04-03", "2021-04-05", "2021-05-01"]),
        (["3/4/21", "3/5/21", "4/1/21"], ["2021-03-04", "2021-03-05", "2021-04-01"]),
        (["3/4/21", "4/5/21", "5/6/21"], ["3/4/21,", "4/5/21,", "5/6/21,"]),  # both orders are possible
    ],
)
def test_the_whole_chat_tells_whether_the_day_or_the_month_is_first(days: list[str], places: list[str]) -> None:
    text = "\n".join(f"{day}, 10:00 - {who}: Hello" for day, who in zip(days, ("Anna", "Bo", "Anna"), strict=True))
    assert [place for place, _ in shown(text)] == [f"{place} 10:00" for place in places]


@pytest.mark.parametrize("text", [
    "10:00:00\t From  Anna (she/her) : Which boats: all?\n10:01:00\t From  Bo : Yes\n",
    "10:00:00 From Anna (she/her) to Everyone : Which boats: all?\n10:01:00 From Bo to Everyone : Yes\n",
    "10:00:00 From  Anna (she/her)  to  Everyone:\n\tWhich boats:\n\tall?\n10:01:00 From Bo to Everyone:\n\tYes\n",
    "10:00:00\t De  Anna (she/her) : Which boats: all?\n10:01:00\t De  Bo : Yes\n",
    "10:00:00 From Anna (she/her) To Everyone : Which boats: all?\n10:01:00 From Bo To Everyone : Yes\n",
    "10:00:00\tAnna (she/her):\tWhich boats: all?\n10:01:00\tBo:\tYes\n",
])  # fmt: skip
def test_the_chat_of_a_meeting_in_zoom(text: str) -> None:
    secret = "10:02:00 From  Bo to Anna(Direct Message):\n\tPsst\n"
    assert looks_like_transcript(text)
    assert shown(text + secret) == [
        ("10:00:00", "Anna (she/her): Which boats: all?"), ("10:01:00", "Bo: Yes"), ("10:02:00", "Bo (to Anna): Psst")
    ]  # fmt: skip


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


def cues(text: str) -> list[tuple[str, str]]:
    document = parse_subtitles(text.encode(), "talk.srt", Options())
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
    assert cues(SRT.replace("\n", end)) == [
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
    assert cues(text) == [
        ("0:00:01", "Anna Berg: Hello. We begin."), ("0:00:05", "Bo: Wait!"), ("0:05:05", "Yes?"), ("0:05:07", "No."),
    ]  # fmt: skip
    assert parse_subtitles(text.encode(), "talk.vtt", Options()).title == "A talk about boats"


def test_long_speech_is_cut_at_the_ends_of_sentences() -> None:
    text = "".join(
        f"{i}\n00:{i:02}:00,000 --> 00:{i + 1:02}:00,000\n{i} Words of a talk that goes on and on.\n\n"
        for i in range(30)
    )
    found = cues(text)
    assert 2 < len(found) < 10
    assert sum(len(said.split()) for _, said in found) == 30 * 10
    assert all(said.endswith("on.") for _, said in found)


ASS = """[Script Info]
[V4+ Styles]
Format: Name, Fontname
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:01:05.00,0:01:06.00,Default,Bo,0,0,0,,{\\p1}m 0 0 l 3 3{\\p0}In the\\hshed, I think.
Comment: 0,0:00:01.00,0:00:02.00,Default,Bo,0,0,0,,secret
Dialogue: 1,0:00:05.00,0:00:06.00,Default,Anna,0,0,0,,{\\i1}Where{\\i0}\\Nis it?
Dialogue: 0,0:00:05.00,0:00:06.00,Default,Anna,0,0,0,,Where\\Nis it?
"""
TTML = """<?xml version="1.0" encoding="{}"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:m="http://www.w3.org/ns/ttml#metadata" xmlns:p="urn:p" p:tickRate="10">
<head><m:agent xml:id="a"><m:name>Anna</m:name></m:agent><m:agent xml:id="b"><m:name>Bo</m:name></m:agent></head>
<body><div><p begin="5s" end="6.5s" m:agent="a">Where<br/>is
 it?</p><p m:agent="b"><span begin="650t" end="00:01:06:12">In the shed, I think.</span></p></div></body></tt>"""
SBV = "0:00:05.000,0:00:06.000\nAnna: Where\nis it?\n\n0:01:05.000,0:01:06.000\nBo: In the shed, I think.\n"


@pytest.mark.parametrize(
    "data", [ASS.encode(), SBV.encode(), TTML.format("utf-8").encode(), TTML.format("utf-16").encode("utf-16")]
)
def test_other_kinds_of_subtitles(data: bytes) -> None:
    assert detect_format(data, "talk.txt") == "subtitles"
    document = parse_subtitles(data, "talk.txt", Options())
    assert [(one.place, document.text[one.start : one.end].strip()) for one in document.paragraphs] == [
        ("0:00:05", "Anna: Where is it?"), ("0:01:05", "Bo: In the shed, I think.")
    ]  # fmt: skip


def test_a_paragraph_of_ttml_without_times_is_kept() -> None:
    text = (
        '<tt xmlns="http://www.w3.org/ns/ttml"><body><div begin="10s" end="20s"><p>From the part.</p></div>'
        '<div><p begin="60s" end="61s">Its own.</p><p>Without any.</p></div></body></tt>'
    )
    assert cues(text) == [("0:00:10", "From the part."), ("0:01:00", "Its own. Without any.")]


def test_broken_cues_are_tolerated() -> None:
    text = """1
00:00:01 --> 00:00:02
No fractions.
2
00:00:02,5 --> 00:00:03,0

A blank line within.

3
00:00:xx --> nowhere
Never cues.

4
00:00:59,000 --> 00:00:01,000
Backwards."""
    assert [said for _, said in cues(text)] == ["No fractions. A blank line within.", "Backwards."]
