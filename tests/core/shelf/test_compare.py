"""Comparing documents: a line from each, and an answer from the lines."""

from __future__ import annotations

from dataclasses import replace

from readagent.core.model import Ask
from readagent.core.shelf.compare import compare_all
from sessions import make_session, run, supported
from shelf_members import FARM, INN, MILL, WHO


def comparing(ask: Ask) -> str:
    """Open the second page, quote from it, and conclude with the name of a document."""
    if ask.step in ("look_up", "check"):
        return "Pages: 1" if ask.step == "look_up" else supported(ask)
    if "one of several that are compared" not in ask.prompt:
        return "The farm."
    if "Anna pays" in ask.prompt:
        return 'Anna pays it in May.\nPage 1: "Anna pays the rent of the mill"'
    return 'Bert pays nobody.\nPage 1: "Bert owns the farm"' if "Bert" in ask.prompt else "NOT IN THE TEXT"


def test_a_comparison_sees_one_line_from_each_document() -> None:
    session = make_session(comparing)
    answer = run(compare_all([MILL, INN, FARM], WHO, session))
    assert [(line.title, line.text, line.silent) for line in answer.lines] == [
        ("The mill", "Anna pays it in May.", False),
        ("The inn", "", True),
        ("The farm", "Bert pays nobody.", False),
    ]
    assert [(cited.title, cited.quote.page) for cited in answer.quotes] == [("The mill", 1), ("The farm", 1)]
    assert answer.text == "The farm."
    *_, last, check = (one.prompt for one in session.model.asks)  # type: ignore[attr-defined]
    assert '<Document "The mill">\n<Page 0>\nAnna pays it in May.' in last
    assert "(this document does not say)" in last
    assert '1: "Anna pays the rent of the mill in May."\n2: "Bert owns the farm' in check
    assert session.trace.steps()["check"] == 1  # not for every line
    assert answer.verified


def test_if_no_document_says_anything_the_model_is_not_asked() -> None:
    session = make_session(lambda ask: "Pages: none" if ask.step == "look_up" else "NOT IN THE TEXT")
    answer = run(compare_all([MILL, INN], WHO, session))
    assert not answer.found_in_text
    assert len(session.trace.calls) == 4


def test_a_document_without_a_line_does_not_stop_the_others() -> None:
    def reply(ask: Ask) -> str:
        return "" if "The inn" in ask.prompt and "compared" in ask.prompt and ask.step == "respond" else comparing(ask)

    session = make_session(reply)
    answer = run(compare_all([MILL, INN], WHO, session))
    assert [bool(line.problem) for line in answer.lines] == [False, True]
    assert "<Document" in session.model.asks[-2].prompt  # type: ignore[attr-defined]
    assert [one.taken for one in session.trace.fallbacks] == ["no line from The inn"]


def test_many_lines_are_compared_within_a_small_window() -> None:
    line = " ".join(["oak elm ash fir yew bay fig nut hay ivy"] * 4)

    def reply(ask: Ask) -> str:
        if ask.step == "check":
            return supported(ask)
        return "Pages: none" if ask.step == "look_up" else line if "are compared" in ask.prompt else "The first."

    members = [replace(MILL, card=replace(MILL.card, title=f"Mill {number}")) for number in range(50)]
    session = make_session(reply, window=1024)
    answer = run(compare_all(members, WHO, session))
    assert answer.text == "The first."
    assert len(answer.lines) == 50
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    assert [one.step for one in session.trace.fallbacks] == ["compare"]
