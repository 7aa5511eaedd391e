"""Conversations in JSON: the usual export formats, and any other JSON as its lines."""

from __future__ import annotations

import json

import pytest

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.speech.chat import looks_like_chat, parse

Shown = list[tuple[int, str, str]]


def read(value: object) -> Document:
    data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    assert looks_like_chat(data)
    return parse(data, "chat.json", Options())


def shown(value: object) -> Shown:
    document = read(value)
    return [(p.heading, p.place, document.text[p.start : p.end].strip()) for p in document.paragraphs]


MEETING = {
    "topic_list": [{"topic": "boats", "relevant_text_span": [["0", "1"]]}],
    "specific_query_list": [{"query": "What of it?", "answer": "Nothing."}],
    "meeting_transcripts": [{"speaker": "Grad G", "content": "So . OK ."}, {"speaker": "Prof E", "content": ""}],
}
MESSAGES = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url", "image_url": {"url": "x"}}]},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "assistant", "content": "Hello."},
]
TALK = [(0, "", "System: Be kind."), (0, "", "User: Hi"), (0, "", "Assistant: Hello.")]


def test_a_meeting_of_qmsum() -> None:
    assert shown(MEETING) == [(0, "", "Grad G: So . OK .")]
    several = "\n".join(json.dumps(MEETING) for _ in range(2)) + "\n"
    turn = (0, "", "Grad G: So . OK .")
    assert shown(several) == [(1, "", "Conversation 1"), turn, (1, "", "Conversation 2"), turn]


@pytest.mark.parametrize(
    "value", [MESSAGES, {"conversations": [{"messages": MESSAGES}]}, "\ufeff" + json.dumps(MESSAGES, indent=2)]
)
def test_messages_with_role_and_content(value: object) -> None:
    assert shown(value) == TALK


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"from": "human", "value": "Hi"}, ("", "Human: Hi")),
        ({"sender_name": "Bo", "timestamp_ms": 1700000000000, "content": "Look", "photos": [{"uri": "inbox/a.jpg"}],
          "share": {"link": "a.no", "share_text": "T"}}, ("2023-11-14 22:13", "Bo: Look T a.no (file: a.jpg)")),
        ({"sender_name": "Bo", "timestamp_ms": 1700000000000, "sticker": {"uri": "s/b.png"}},
         ("2023-11-14 22:13", "Bo: (file: b.png)")),
        ({"user": "U1", "user_profile": {"real_name": "Anna"}, "text": "Hi"}, ("", "Anna: Hi")),
        ({"sender": "human", "text": "Hi", "created_at": 1700000000000}, ("2023-11-14 22:13", "Human: Hi")),
        ({"speaker": "A", "text": "Hi", "time": 75}, ("0:01:15", "A: Hi")),
    ],
)  # fmt: skip
def test_messages_of_many_programs(message: dict[str, object], expected: tuple[str, str]) -> None:
    assert shown([message, message]) == [(0, *expected)] * 2


def test_the_current_branch_of_a_chatgpt_export() -> None:
    def node(role: str, text: str, parent: str) -> dict[str, object]:
        return {
            "message": {"author": {"role": role}, "content": {"parts": [text]}, "create_time": 1.7e9},
            "parent": parent,
        }

    tree = {
        "root": {"message": None, "parent": None},
        "hidden": {**node("system", "secret", "root"), "message": {"weight": 0, "content": {"parts": ["x"]}}},
        "q": node("user", "Where is the boat?", "hidden"),
        "old": node("assistant", "In the river.", "q"),
        "new": node("assistant", "In the shed.", "q"),
    }
    value = [{"title": "Boats", "mapping": tree, "current_node": "new"}]
    time = "2023-11-14 22:13"
    assert shown(value) == [(0, time, "User: Where is the boat?"), (0, time, "Assistant: In the shed.")]
    value[0]["mapping"] = {**tree, "root": {"message": None, "parent": "new"}}  # circular references end
    assert shown(value)


@pytest.mark.parametrize("text", ['{\n "a": [\n  1\n ]\n}', "NaN", "[]"])
def test_other_json_is_read_as_its_lines(text: str) -> None:
    assert not looks_like_chat(text.encode())
    document = parse(text.encode(), "data.json", Options())
    assert document.text == text + "\n"
    assert document.code == "JSON"


@pytest.mark.parametrize("text", ["[" * 200_000, '{"messages":' * 100_000])
def test_deep_nesting_is_refused(text: str) -> None:
    assert not looks_like_chat(text.encode())
    with pytest.raises(LoadError, match="nested too deeply"):
        parse(text.encode(), "deep.json", Options())


def test_an_invalid_line_does_not_affect_the_others() -> None:
    lines = [json.dumps({"role": "user", "content": f"line {i}"}) for i in range(20)]
    assert len(shown("\n".join([*lines, '{"role": "us']))) == 20
