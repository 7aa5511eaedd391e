"""Whatever a model replies, in two steps, in one pass or in the mode that is found out: pages tile the text, are legal and reproducible."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from properties.test_reading import NONSENSE, TEXTS
from readagent.core.document import Document
from readagent.core.gists.shorten import VERBATIM_WORDS
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.pages.page_form import Pages
from readagent.core.pages.windows import max_page_words
from readagent.core.plan import Plan
from readagent.core.reading import read
from readagent.core.words import count_words
from readagent.errors import NoAnswerError, UsageError
from sessions import make_session, run, sensible

NUMBERS = st.integers(-5, 400)
GISTS = st.sampled_from(["So.", "w " * 300, "", "I'm sorry, I can't help with that.", "<Page 3>", "a b c", "<90> x"])
PAGES = st.lists(st.tuples(NUMBERS, GISTS), max_size=12)
AS_JSON = PAGES.map(lambda pages: json.dumps({"pages": [{"end": end, "gist": gist} for end, gist in pages]}))
AS_LINES = PAGES.map(lambda pages: "\n".join(f"<{end}> {gist}" for end, gist in pages))
CUT = st.tuples(AS_JSON, st.integers(0, 400)).map(lambda pair: pair[0][: pair[1]])
REPLIES = st.lists(
    st.tuples(st.one_of(NONSENSE, AS_JSON, AS_LINES, CUT), st.sampled_from(["stop", "stop", "length", "refused"])),
    min_size=1,
    max_size=8,
)
PLANS = st.builds(
    lambda least, more, mode: Plan(min_page_words=least, page_words=least + more, mode=mode),
    st.integers(5, 60), st.integers(0, 60), st.sampled_from(["paper", "fast", "auto", "auto"]),
)  # fmt: skip


def answering(replies: list[tuple[str, str]]) -> object:
    """Return a model whose replies depend on the prompt alone, and not on the order of asks."""

    def answer(ask: Ask) -> Reply:
        text, finish = replies[len(ask.prompt) % len(replies)]
        return Reply(text, finish)  # type: ignore[arg-type]

    return answer


def legal(memory: GistMemory, text: str, plan: Plan) -> None:
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == text
    assert [page.number for page in memory.pages] == list(range(len(memory.pages)))
    assert all(page.start < page.end for page in memory.pages)
    assert all(page.words <= plan.page_words for page in memory.pages)
    assert all(page.words >= plan.min_page_words for page in memory.pages[:-1])


@settings(max_examples=200, deadline=None)
@given(TEXTS, PLANS, REPLIES, st.sampled_from([None, 600, 900]))
@example("𒀀𒀁𒀂𒀃𒀄𒀅𒀆𒀇 " * 60, Plan(min_page_words=60, page_words=120), [("So.", "stop")], 600)
@pytest.mark.slow
def test_no_reply_of_any_model_can_break_a_reading(
    text: str, plan: Plan, replies: list[tuple[str, str]], window: int | None
) -> None:
    text *= 3
    if not count_words(text):
        return
    document, session = Document.from_text(text), make_session(answering(replies), plan, window)  # type: ignore[arg-type]
    room = max_page_words(document, session)  # letters of some scripts take several tokens each
    if room is not None and room < min(document.words, plan.page_words):
        with pytest.raises(UsageError, match="cannot take a page"):
            run(read(document, session))
        assert not session.model.asks  # type: ignore[attr-defined]
        return
    try:
        memory = run(read(document, session))
    except NoAnswerError as error:  # nothing that it returned was of any use
        assert "returned nothing usable" in str(error)  # noqa: PT017
        return
    legal(memory, text, plan)
    assert memory.plan.mode in ({"fast", "paper"} if plan.mode == "auto" else {plan.mode})
    for page, one in zip(memory.pages, memory.gists, strict=True):
        assert one.text
        assert one.origin != "verbatim" or page.words <= VERBATIM_WORDS
        assert one.words <= page.words
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    told = {fallback.page for fallback in session.trace.fallbacks if fallback.step == "gist"}
    assert told == set(memory.leads)  # a page that was halved is told twice
    again = run(read(document, make_session(answering(replies), plan, window)))  # type: ignore[arg-type]
    assert (again.pages, again.gists) == (memory.pages, memory.gists)


@settings(deadline=None)
@given(TEXTS, PLANS, st.randoms(use_true_random=False))
def test_any_pauses_end_in_legal_pages(text: str, plan: Plan, dice: object) -> None:
    def pick(ask: Ask) -> str:
        if ask.step == "paginate":
            return f"<{dice.choice(ask.choice.values)}>"  # type: ignore[attr-defined,union-attr]
        if not isinstance(ask.form, Pages):
            return sensible(ask)
        named = sorted(dice.sample(ask.form.labels, dice.randint(1, len(ask.form.labels))))  # type: ignore[attr-defined]
        return "\n".join(f"<{label}> So." for label in named)

    text *= 3
    if count_words(text):
        legal(run(read(Document.from_text(text), make_session(pick, plan))), text, plan)


@given(st.one_of(st.text(), AS_JSON, AS_LINES, CUT))
def test_the_parser_of_pages_never_raises(reply: str) -> None:
    labels = (30, 60, 90, 120)
    named = Pages(labels, 20, 60).parse(reply)
    assert [label for label, _ in named] == sorted({label for label, _ in named})
    assert {label for label, _ in named} <= set(labels)
