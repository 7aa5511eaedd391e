"""If the text does not say, passages that were found are shown as near, not as support."""

from __future__ import annotations

from readagent.cli.output import answer_record, evidence_lines
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import ask
from sessions import make_session, prose, read_and_fit, run


def test_passages_for_a_text_that_does_not_say_are_shown_as_near() -> None:
    memory = run(read_and_fit(prose(6), make_session()))
    session = make_session(["It is not stated in the text."], Plan(look_up="none"))
    answer = run(ask(memory, Question("What of w17?"), session))
    lines = "\n".join(evidence_lines(memory, answer))
    assert "nearest passages:" in lines
    assert "w17" in lines
    record = answer_record(memory, answer)
    assert (record["found_in_text"], record["verified"]) == (False, False)
    assert record["quotes"]
    assert all(quote["by_us"] for quote in record["quotes"])
