"""The reply of the check is understood in many forms; what is unclear is not taken for a yes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.parsing.verdicts import parse_verdicts

BOTH = {0: (True, (1,)), 1: (False, ())}


@pytest.mark.parametrize(
    "reply",
    [
        "1: yes [2]\n2: no",
        "**1:** yes [2]\n**2:** no, no quote says so",
        "| 1 | yes | 2 |\n| 2 | no | |",
        "Here is my check:\n\n1: yes [2] because it says so\n2: no (only likely)\n\nI hope this helps.",
        '{"1": "yes [2]", "2": "no"}',
        '{"1": {"supported": true, "quotes": [2]}, "2": {"supported": false, "quotes": []}}',
        "1: ja [2]\n2: nein",
        "1: yes [2]\n2: yes, but not the number [1]",
        "Statement 1: yes [2]. Statement 2: no.",
    ],
)
def test_replies_in_many_forms(reply: str) -> None:
    assert parse_verdicts(reply, 2, 3) == BOTH


def test_a_yes_without_a_quote_stands_for_all_of_them() -> None:
    assert parse_verdicts("1: yes", 1, 3) == {0: (True, ())}
    assert parse_verdicts("Yes, the quotes say so.", 1, 3) == {0: (True, ())}


@pytest.mark.parametrize("reply", ["", "1: yes [1]\n1: no", "7: yes"])
def test_what_says_nothing_clear_gives_nothing(reply: str) -> None:
    assert parse_verdicts(reply, 2, 3) == {}


@given(st.text(max_size=120) | st.from_regex(r"(\d: (yes|no) ?(\[\d+\])?\n?){1,4}", fullmatch=True))
def test_no_reply_raises_or_names_what_does_not_exist(reply: str) -> None:
    for at, (said, quotes) in parse_verdicts(reply, 2, 3).items():
        assert at in (0, 1)
        assert set(quotes) <= {0, 1, 2}
        assert said or not quotes
