"""Write the entry of a part: what is in its pages, from their gists, so that a question can be led to it."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.fitting import largest
from readagent.core.gists.measure import Measure
from readagent.core.gists.shorten import check_of, judge_gist
from readagent.core.memory import Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.session import Session
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback
from readagent.core.words import count_words, lead


async def entry_of(page: Page, gists: Sequence[str], limit: int, session: Session) -> str:
    """Return an entry of at most ``limit`` words for a part with these gists.

    After two useless replies the entry is the beginnings of the gists.
    """
    shown = _shown(gists, limit, session)
    measure = Measure.of(shown)
    check = check_of(session)
    check.may_copy = True

    def judge(reply: Reply) -> tuple[str, str]:
        return judge_gist(reply, measure.length(shown), limit, lambda text: check.problem(text, shown), measure)

    material = Material(passages=(shown,), words=min(limit, count_words(shown)))
    ask = Ask("merge", _prompt(shown, limit, session), material=material)
    text, problem = "", "the gists do not fit the window"
    if session.window.fits(ask.prompt):
        text, problem = await session.judged(ask, judge)
    if not problem:
        return text
    session.fell_back(Fallback("merge", problem, "the beginnings of the gists", page.number))
    return _beginnings(gists, limit)


def _shown(gists: Sequence[str], limit: int, session: Session) -> str:
    """Return the gists as one text, each with as many words as fit the window."""
    shown = "\n\n".join(gists)
    if session.window.fits(_prompt(shown, limit, session)):
        return shown

    def cut(words: int) -> str:
        return "\n\n".join(lead(gist, words) for gist in gists)

    longest = max(map(count_words, gists))
    return cut(max(1, largest(longest, lambda words: session.window.fits(_prompt(cut(words), limit, session)))))


def _prompt(shown: str, limit: int, session: Session) -> str:
    measure = Measure.of(shown)
    return session.prompts.fill(
        "merge",
        passage=escape_tags(shown),
        instructions=session.plan.instructions,
        task=session.plan.task,
        limit=None if measure.characters else limit,
        aim=measure.told(limit) if measure.characters else "",
    )


def _beginnings(gists: Sequence[str], limit: int) -> str:
    return lead(" ".join(lead(gist, max(3, limit // len(gists))) for gist in gists), limit)
