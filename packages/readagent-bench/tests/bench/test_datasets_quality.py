"""QuALITY in its authors' form: two lines are one article, keys count from one, and paragraphs come out right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import lines, one_line, paragraphs, without
from readagent.errors import DatasetError
from readagent_bench.datasets import load_cases

FILE = "quality/QuALITY.v1.0.1.htmlstripped.dev"

# A story as the authors' script leaves it: lines wrapped with a space before each, two blank lines between paragraphs,
# a line end wherever a tag was (around words in italics, before a scene), single blank lines for line breaks.
WRAPPED = (
    "THE LAMP\nBy NOBODY AT ALL\n\n\n [Transcriber's Note: This text was made for\n\n a test, and has never been in\n\n print.]\n"
    "The keeper of the light had a rule for every hour, and a name for each\n rule, and he wrote both of them on the wall"
    ' beside the stair. When the\n boat came with oil he read them out. "Is that all?" asked the mate.\n\n\n'
    ' "That is all," said the keeper, who had read the whole of\nThe Duties of\n Keepers\n, and more than once. He'
    " folded the paper into four and then\n into eight, and put it where he kept his spoons.\n\n\n"
    ' The mate laughed. "And if\nyou\nfall asleep?" he asked.\n'
    "In the winter of that year the sea froze along the shore, and no boat\n came for eleven weeks. The keeper burned"
    " his chairs. After the chairs\n he burned the stair, beginning at the top.\n\n\n"
    ' "Now," he said to nobody, "I shall have to stay\n up here."\n\n\n He stayed, and the lamp burned, and the\n rules'
    " burned last.\n"
)


def question(number: int, **other: Any) -> dict[str, Any]:
    return {
        "question": f"Question {number}?", "question_unique_id": f"1_{number}",
        "options": ["one", "two ", " three", "four"], "writer_label": 1, "gold_label": 3,
        "validation": [{"untimed_annotator_id": "0001", "untimed_answer": 3, "untimed_best_distractor": 1}],
        "speed_validation": [{"speed_annotator_id": "0002", "speed_answer": 2}], "difficult": 1, **other,
    }  # fmt: skip


def article(writer: str, *questions: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "article_id": "1", "set_unique_id": f"1_{writer}", "batch_num": "11", "writer_id": "1001",
        "source": "Gutenberg", "title": "The Lamp", "year": 1950, "author": "Nobody", "topic": "Lamps",
        "article": WRAPPED, "questions": list(questions), **other,
    }  # fmt: skip


def test_two_lines_of_an_article_are_one_document(tmp_path: Path) -> None:
    other = article("C", question(9, question_unique_id="2_1"), article_id="2", article="Another.\n\nText.\n", title="")
    lines(tmp_path / FILE, article("A", question(1), question(2, difficult=0)), other, article("B", question(3)))
    first, second = load_cases("quality", tmp_path)
    assert (first.id, second.id) == ("1", "2")
    assert [example.id for example in first.examples] == ["1_1", "1_2", "1_3"]
    assert [example.gold for example in first.examples] == ["C", "C", "C"]
    assert [example.group for example in first.examples] == ["hard", "easy", "hard"]
    assert first.examples[0].question.options == ("one", "two", "three", "four")
    assert first.document.title == "The Lamp"
    assert first.document.text == WRAPPED


def test_paragraphs_of_a_wrapped_story(tmp_path: Path) -> None:
    lines(tmp_path / FILE, article("A", question(1)))
    (case,) = load_cases("quality", tmp_path)
    found = paragraphs(case)
    assert [text.split()[:3] for text in found] == [
        ["THE", "LAMP", "By"], ["[Transcriber's", "Note:", "This"], ["The", "keeper", "of"], ['"That', "is", 'all,"'],
        ["The", "mate", "laughed."], ["In", "the", "winter"], ['"Now,"', "he", "said"], ["He", "stayed,", "and"],
    ]  # fmt: skip
    assert "".join(case.document.text[one.start : one.end] for one in case.document.paragraphs) == WRAPPED


def test_the_test_split_has_no_keys(tmp_path: Path) -> None:
    hidden = without(question(1), "gold_label", "writer_label", "validation")
    lines(tmp_path / "quality" / "QuALITY.v1.0.1.htmlstripped.test", article("A", hidden))
    (case,) = load_cases("quality", tmp_path, "test")
    assert case.examples[0].gold == ""


@pytest.mark.parametrize(
    ("broken", "parts"),
    [
        (article("A", question(1, gold_label=5)), ('"gold_label" is 5', "4 options")),
        ([], ("Expected `object`, got `array`",)),
    ],
)
def test_a_broken_line_is_an_error_with_its_number(broken: object, parts: tuple[str, ...], tmp_path: Path) -> None:
    path = lines(tmp_path / FILE, article("A", question(7), article_id="0"), broken)
    with pytest.raises(DatasetError) as caught:
        load_cases("quality", tmp_path)
    one_line(caught.value, f"{path}, line 2", *parts)
