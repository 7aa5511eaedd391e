"""Check which statements of an answer its quotes support: by rules, and for what these leave open by one call.

The model sees the question, the open statements and the quotes, and nothing else. A statement is supported if the model
says so and no rule is against it, or if it is nearly a copy of a quote. A reply that cannot be used changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readagent.core.model import Ask, Material
from readagent.core.session import Session, useless
from readagent.core.statement import Support
from readagent.core.support.judged import Checkable, Judged
from readagent.core.support.verdicts import only_near, parse_verdicts
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback
from readagent.errors import ReadAgentError

_INSTEAD = "the rules alone"


async def check_support(answer: Checkable, session: Session) -> Support:
    """Return the statements of an answer, each with its state. With ``plan.check`` the model is asked if needed."""
    judged = answer.judge()
    by_rules = Support(tuple(one.statement for one in judged), "rules")
    wanted = {at: one for at, one in enumerate(judged) if one.open}
    if not session.plan.check or not wanted:
        return by_rules
    request = _fitting(answer, wanted, session)
    if request is None:
        session.fell_back(Fallback("check", "statements and quotes do not fit the window", _INSTEAD))
        return by_rules
    reply = await _reply(request, session)
    found = list(by_rules.statements)
    verdicts = parse_verdicts(reply, len(request.statements), len(request.quotes))
    for place, (said, named) in verdicts.items():
        at = request.statements[place]
        found[at] = judged[at].after(said, request.meant(named, judged[at]))
    return Support(tuple(found), "vectors" if only_near(reply) else "model") if verdicts else by_rules


def may_be_supported(answer: Checkable) -> bool:
    """Return whether no rule is against any statement of an answer."""
    return all(one.possible for one in answer.judge())


@dataclass(frozen=True, slots=True)
class _Request:
    """The prompt of the check, with the indices of its statements and quotes in the answer."""

    ask: Ask
    statements: Sequence[int]
    quotes: Sequence[int]

    def meant(self, named: Sequence[int], judged: Judged) -> Sequence[int]:
        """Return the quotes that a verdict names; if it names none, those about the statement that no rule excludes."""
        if named:
            return [self.quotes[one] for one in named]
        about = [at for at in self.quotes if at in judged.statement.quotes] or self.quotes
        return [at for at in about if not judged.rules.veto(judged.statement.text, [at])] or about


def _fitting(answer: Checkable, wanted: Mapping[int, Judged], session: Session) -> _Request | None:
    """Return the prompt with as many quotes and statements as fit the window: the longest are left out first."""
    texts = {at: one.statement.text for at, one in wanted.items()}
    quotes = {at: " ".join(quote.text.split()) for at, quote in enumerate(answer.quotes)}
    while texts and quotes:
        prompt = session.prompts.fill(
            "check",
            question=escape_tags(answer.question.shown()),
            statements=_numbered(list(texts.values())),
            quotes=_numbered([f'"{quote}"' for quote in quotes.values()]),
        )
        if session.window.fits(prompt):
            material = Material(passages=tuple(quotes.values()), statements=tuple(texts.values()))
            return _Request(Ask("check", prompt, material=material), list(texts), list(quotes))
        longest = quotes if len(quotes) > 1 else texts
        del longest[max(longest, key=lambda at: len(longest[at]))]
    return None


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}: {escape_tags(text)}" for number, text in enumerate(texts, 1))


async def _reply(request: _Request, session: Session) -> str:
    """Return the reply; "" after recording why there is none that can be used. The answer stands in any case."""
    try:
        reply = await session.ask(request.ask)
    except ReadAgentError as error:
        session.fell_back(Fallback("check", str(error), _INSTEAD))
        return ""
    if parse_verdicts(reply.text, len(request.statements), len(request.quotes)):
        return reply.text
    session.fell_back(Fallback("check", useless(reply) or "it said of no statement whether it is supported", _INSTEAD))
    reply.discard()
    return ""
