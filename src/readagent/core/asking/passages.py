"""Choose the pages that matter to a question, without answering it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from readagent.core.asking.lookup import closest, look_up
from readagent.core.asking.position import memory_up_to
from readagent.core.asking.prepare import Fit, prepare, shorten_and_fit
from readagent.core.asking.zoom import is_part, looked_up_in
from readagent.core.memory import GistMemory
from readagent.core.question import Lookup, Question, Quote, Turn
from readagent.core.session import Session


async def choose_passages(
    memory: GistMemory,
    question: Question,
    session: Session,
    history: Sequence[Turn] = (),
    up_to: int | None = None,
    *,
    fit_memory: Fit = shorten_and_fit,
) -> tuple[Quote, ...]:
    """Return the pages that the model chooses to open for a question, as passages, in the order of its choice.

    They are pages of ``memory.whole``. If the model wants none, because the gists tell it enough, the page that shares
    the rarest words with the question is returned. The parameters are those of ``ask``.
    """
    plan = session.plan
    one_by_one = plan.look_up == "sequential"
    session = replace(session, plan=plan if one_by_one else replace(plan, look_up="parallel"))
    whole = memory.whole
    if up_to is not None:
        memory = whole = await memory_up_to(whole, up_to, session)
        history = [turn for turn in history if turn.up_to is not None and turn.up_to <= up_to]
    situation = await prepare(memory, question, session, history, fit_memory)
    chosen = await look_up(situation, session, lambda opened: not is_part(situation.memory, opened[-1]))
    numbers: Iterable[int] = looked_up_in(whole, [(situation.memory, Lookup(chosen.pages))]).pages
    if not numbers and plan.max_pages:
        numbers = map(int, closest(replace(situation, memory=whole)))
    return pages_as_passages(whole, tuple(numbers))


def pages_as_passages(memory: GistMemory, numbers: Sequence[int]) -> tuple[Quote, ...]:
    """Return pages as passages of the text, without the white space around them."""
    texts = [memory.page_text(number) for number in numbers]
    starts = [
        memory.pages[number].start + len(text) - len(text.lstrip()) for number, text in zip(numbers, texts, strict=True)
    ]
    return tuple(
        Quote(text.strip(), number, _paragraph(memory, start), start, start + len(text.strip()), place)
        for number, text, start, place in zip(numbers, texts, starts, memory.document.places(starts), strict=True)
    )


def _paragraph(memory: GistMemory, offset: int) -> int:
    found = memory.document.paragraph_at(offset)
    return 0 if found is None else found.index
