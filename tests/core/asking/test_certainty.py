"""The line in a reply that says how sure the model is."""

from __future__ import annotations

import pytest

from readagent.core.asking.certainty import split_certainty, with_certainty


@pytest.mark.parametrize("certainty", [0.0, 0.07, 0.62, 1.0])
def test_what_is_written_is_read(certainty: float) -> None:
    assert split_certainty(with_certainty('Ann\nPage 1: "It was Ann."', certainty)) == (
        'Ann\nPage 1: "It was Ann."', certainty)  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        "Ann",
        "Certainty: high",
        "Certainty: 62 % of them came",
        "Certainty: 62 %\nAnn",
        "The certainty: 62 %",
        "Certainty: -1 %",
    ],
)
def test_other_replies_stay_as_they_are(reply: str) -> None:
    assert split_certainty(reply) == (reply, None)


def test_more_than_certain_is_certain() -> None:
    assert split_certainty("Ann\nCertainty: 120 %\n") == ("Ann", 1.0)
