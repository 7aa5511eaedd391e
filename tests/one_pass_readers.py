"""Models for tests that can read in one pass, and that cannot."""

from __future__ import annotations

from readagent.core.model import Ask
from readagent.core.pages.page_form import Pages
from sessions import sensible


def able(ask: Ask) -> str:
    """Reply like a model that reads in one pass as it is asked to."""
    if ask.step != "read":
        return sensible(ask)
    assert isinstance(ask.form, Pages)
    *inner, last = ask.form.labels
    ends = [0]
    for label in inner:
        if label - ends[-1] >= ask.form.most * 3 // 4 and last - label >= ask.form.least:
            ends.append(label)
    ends = [*ends[1:], last]
    words = " ".join(ask.material.passages).split()
    return "\n".join(f"<{end}> {' '.join(words[end - 20 : end - 12])}" for end in ends)


def unable(ask: Ask) -> str:
    """Reply like a model that repeats the form instead."""
    return "The page, shortened." if ask.step == "read" else sensible(ask)
