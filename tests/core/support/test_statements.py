"""An answer is split into what it states: sentences and list items, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.support.statements import statements


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Irma left.", ["Irma left."]),
        ("Dr. Smith paid $3.5 million. He left.", ["Dr. Smith paid $3.5 million.", "He left."]),
        ("It cost approx. 500 dollars.", ["It cost approx. 500 dollars."]),
        ("Yes. Irma took it.", ["Yes. Irma took it."]),
        ("No.", ["No."]),
        ("Irma left (page 3). So did Jakob [pages 4-5].", ["Irma left.", "So did Jakob."]),
        ("The reasons are:\n- money\n- fear of **Jakob**", ["money", "fear of Jakob"]),
        ("There are two reasons.\n1. Money. He had none.\n2) Fear", ["There are two reasons.", "Money.", "He had none.", "Fear"]),
        ("# Answer\n\nIt _ended_\nin `May`.", ["It ended in May."]),
        ("| who | what |\n|---|---|\n| Irma | left |", ["who , what", "Irma , left"]),
        ("他走了。她留下了！", ["他走了。", "她留下了！"]),
        ("Они ушли в 1905 г. Потом вернулись.", ["Они ушли в 1905 г. Потом вернулись."]),
        ("Die Brücke wurde am 12. Mai 1952 eröffnet.", ["Die Brücke wurde am 12. Mai 1952 eröffnet."]),
        ("Im 19. Jahrhundert kam sie. Dann ging sie.", ["Im 19. Jahrhundert kam sie.", "Dann ging sie."]),
        ("В 1952 г. И. И. Иванов жил там.", ["В 1952 г. И. И. Иванов жил там."]),
        ("See Sec. 5.2 and Fig. 3, p. 17.", ["See Sec. 5.2 and Fig. 3, p. 17."]),
        ("El Sr. López y la Sra. Ruiz viven allí.", ["El Sr. López y la Sra. Ruiz viven allí."]),
        ('He said: "I came. I saw. I won." Then he left.', ['He said: "I came. I saw. I won."', "Then he left."]),
        ("Er sagte: „Ich kam. Ich ging.“ Dann kam er.", ["Er sagte: „Ich kam. Ich ging.“", "Dann kam er."]),
        ('It is 5" long. It is red.', ['It is 5" long.', "It is red."]),
        ('Irma left. [Page 3: "Irma left the house."]', ["Irma left."]),
        ("...", []),
        ("", []),
    ],
)  # fmt: skip
def test_answers_are_split(answer: str, expected: list[str]) -> None:
    assert statements(answer) == expected


@given(st.text(max_size=200))
def test_any_text_can_be_split_and_every_statement_says_something(answer: str) -> None:
    assert all(any(map(str.isalnum, one)) for one in statements(answer))
