"""The answer of a visit: its quotes are looked for on the pages that were seen, and its statements checked."""

from __future__ import annotations

from readagent.core.asking.reply_parts import split_reply
from readagent.core.asking.verify import check_quotes, find_support
from readagent.core.question import Answer, Question
from readagent.core.quotes.quotable import Quotable
from readagent.core.quotes.weight import LEAST_WORDS
from readagent.core.session import Session
from readagent.core.statement import Support
from readagent.core.support.check import check_support
from readagent.core.support.judged import Checkable
from readagent.core.words import count_words
from readagent_browse.live.seen_pages import SeenPages


async def checked_answer(said: str, instruction: str, seen: SeenPages, session: Session) -> Answer:
    """Return the answer in what the model said last, with the quotes that are on the pages it saw.

    Without such a quote, the nearest passages are found for it. The place of a quote is the address of its page.
    """
    memory, question = seen.memory(), Question(instruction)
    text = Quotable(memory.document.text)

    def stands(words: str) -> bool:
        return count_words(words) >= LEAST_WORDS and text.locate(words) is not None

    parts = split_reply(said, stands)
    quotes, false = check_quotes(memory, parts.quotes, ())
    answer = parts.answer or (quotes[0].text if quotes else said)
    quotes = quotes or find_support(memory, (), instruction, answer if parts.found_in_text else "")
    support = Support()
    if quotes and parts.found_in_text:
        support = await check_support(Checkable(question, answer, None, quotes, memory.document.text), session)
    return Answer(
        question, answer, None, (), (), 0.0, session.trace, tuple(quotes), false, parts.found_in_text, None, support,
        document=memory.document,
    )  # fmt: skip
