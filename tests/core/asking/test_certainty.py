"""The line in a reply that says how sure the model is."""

from __future__ import annotations

import pytest

from readagent.core.asking.answer import split_certainty, with_certainty


@pytest.mark.parametrize("certainty", [0.0, 0.07, 0.62, 1.0])
def test_what_is_written_is_read(certainty: float) -> None:
    assert split_certainty(with_certainty('Ann\nPage 1: "It was Ann."', certainty)) == (
        'Ann\nPage 1: "It was Ann."', certainty)  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    ["Certainty: high", "Certainty: 62 %\nAnn"],
)
def test_other_replies_stay_as_they_are(reply: str) -> None:
    assert split_certainty(reply) == (reply, None)
