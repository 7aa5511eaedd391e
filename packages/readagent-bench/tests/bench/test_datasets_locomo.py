"""LoCoMo: the published record form field by field, with the slips that the published file has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import one_line, paragraphs, shown_by, whole
from readagent.errors import DatasetError
from readagent_bench.datasets import load_cases
from readagent_bench.datasets.locomo import NOT_SAID
from readagent_bench.example import Example


def turn(name: str, speaker: str, text: str, **other: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": name, "text": text, **other}


PICTURE = {
    "img_url": ["https://example.org/kite.jpg"],
    "blip_caption": "a photo of a red kite",
    "query": "red kite",
    "re-download": True,
}


def conversation() -> dict[str, Any]:
    return {
        "speaker_a": "Ines",
        "speaker_b": "Tom",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn("D1:1", "Ines", "Hi Tom! I moved to Porto last week."),
            turn("D1:2", "Tom", "Lovely. Look what I made!", **PICTURE),
        ],
        "session_10_date_time": "9:03 am on 2 June, 2023",
        "session_10": [turn("D10:1", "Ines", "My sister Rita came to stay.")],
        "session_2_date_time": "6:10 pm on 20 May, 2023",
        "session_2": [turn("D2:1", "Tom", "The kite is lost at sea."), turn("D2:2", "Ines", "")],
        "session_11_date_time": "7:00 pm on 3 June, 2023",
    }


def question(text: str, category: int, evidence: list[str], **other: Any) -> dict[str, Any]:
    return {"question": text, "category": category, "evidence": evidence, **other}


QUESTIONS = [
    question("Where does Ines live and who stays with her?", 1, ["D1:1", "D10:1"], answer="Porto, Rita"),
    question("When did Ines move?", 2, ["D1:1"], answer=2023),
    question("Would Tom like windy days?", 3, ["D1:2; D2:1"], answer="Likely yes; he makes kites"),
    question("What did Tom make?", 4, ["(D1:02)"], answer="a kite"),
    question("What did Ines lose at sea?", 5, ["D2:1"], adversarial_answer="a kite"),
    question("Did Ines make the kite?", 5, ["D1:2"], adversarial_answer="Yes", answer="No"),
    question("Who came?", 4, ["D10:19"], answer="Rita"),
    question("Who made what?", 1, ["D:1:2 D10:1", "D"], answer="Tom a kite"),
    question("Is Tom old?", 3, [], answer="It is not clear"),
]


def sample(**other: Any) -> dict[str, Any]:
    return {
        "sample_id": "conv-1",
        "conversation": conversation(),
        "qa": QUESTIONS,
        "event_summary": {"events_session_1": {"Ines": ["Ines moves."], "Tom": [], "date": "8 May, 2023"}},
        "observation": {"session_1_observation": {"Ines": [["Ines moved to Porto.", "D1:1"]]}},
        "session_summary": {"session_1_summary": "Ines tells Tom that she moved."},
        **other,
    }


def loaded(tmp_path: Path, *samples: object) -> tuple[Any, tuple[Example, ...]]:
    whole(tmp_path / "locomo" / "locomo10.json", list(samples))
    (case,) = load_cases("locomo", tmp_path)
    return case, case.examples


def test_sessions_are_in_the_order_of_their_numbers_under_their_dates(tmp_path: Path) -> None:
    case, _ = loaded(tmp_path, sample())
    assert paragraphs(case) == [
        "Session 1, 1:56 pm on 8 May, 2023",
        "Ines: Hi Tom! I moved to Porto last week.",
        "Tom: Lovely. Look what I made! (shares a picture: a photo of a red kite)",
        "Session 2, 6:10 pm on 20 May, 2023",
        "Tom: The kite is lost at sea.",
        "Session 10, 9:03 am on 2 June, 2023",
        "Ines: My sister Rita came to stay.",
    ]
    assert [one.heading for one in case.document.paragraphs] == [1, 0, 0, 1, 0, 1, 0]
    assert (case.id, case.document.title) == ("conv-1", "Ines and Tom")


def test_categories_and_keys(tmp_path: Path) -> None:
    _, examples = loaded(tmp_path, sample())
    assert [example.group for example in examples[:6]] == [
        "multi-hop", "temporal", "open-domain", "single-hop", "adversarial", "adversarial",
    ]  # fmt: skip
    assert examples[1].references == ("2023",)
    assert examples[2].references == ("Likely yes; he makes kites", "Likely yes")
    assert examples[4].references == NOT_SAID
    assert examples[5].references == ("No", *NOT_SAID)
    assert not any("kite" in reference for reference in examples[4].references)
    assert [example.id for example in examples[:2]] == ["conv-1-1", "conv-1-2"]


def test_evidence_shows_the_turns(tmp_path: Path) -> None:
    case, examples = loaded(tmp_path, sample())
    moved, made, lost, rita = (paragraphs(case)[index] for index in (1, 2, 4, 6))
    assert shown_by(case, examples[0]) == [moved, rita]
    assert shown_by(case, examples[2]) == [made, lost]
    assert shown_by(case, examples[3]) == [made]
    assert examples[6].spans == ()  # names a turn that is not there
    assert examples[7].spans == ()  # names one that cannot be read
    assert examples[8].spans == ()


@pytest.mark.parametrize(
    ("broken", "parts"),
    [
        (sample(qa=[question("Who?", 9, [], answer="a")]), ('"qa" number 1', '"category" is 9')),
        (sample(conversation={"session_1": "Hi"}), ("\"session_1\" is 'Hi', not a list",)),
    ],
)
def test_a_broken_conversation_is_an_error(broken: object, parts: tuple[str, ...], tmp_path: Path) -> None:
    path = whole(tmp_path / "locomo10.json", [sample(sample_id="conv-0"), broken])
    with pytest.raises(DatasetError) as caught:
        load_cases("locomo", tmp_path)
    one_line(caught.value, f"{path}, record 2", *parts)


def test_answers_are_scored_as_by_the_authors(tmp_path: Path) -> None:
    _, examples = loaded(tmp_path, sample())
    assert [example.scored for example in examples[:5]] == ["f1-parts", "f1", "f1-verdict", "f1", "absent"]
