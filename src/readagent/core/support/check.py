"""Check which statements of an answer its quotes support: numbers must be there, and the model judges the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readagent.core.escaping import escape_tags
from readagent.core.model import Ask, Material, Reply
from readagent.core.question import Question, Quote
from readagent.core.session import Session, useless
from readagent.core.statement import State, Statement, Support
from readagent.core.support.evidence import is_copy, missing_numbers, related, words_that_differ
from readagent.core.support.statements import statements
from readagent.core.support.verdicts import Verdicts, does_not_judge, verdict_form, verdicts
from readagent.core.trace import Fallback
from readagent.errors import ReadAgentError

_DENIAL = 'It is not true: "{}"'


@dataclass(frozen=True, slots=True)
class Checkable:
    """An answer to check: its text, its letter or verdict, and its quotes."""

    question: Question
    text: str
    choice: str | None
    quotes: Sequence[Quote]

    def judge(self) -> list[Judged]:
        """Return what the answer states, judged by rules: its statements, the option that it chose, or the claim."""
        match self.question.kind:
            case "free":
                return [self._judged(one) for one in statements(self.text)]
            case "choice":
                return [self._judged(self.text)]
            case "claim":
                return [self._denied() if self.choice == "false" else self._judged(self.question.text.strip())]

    def _judged(self, text: str) -> Judged:
        quotes = [quote.text for quote in self.quotes]
        copied = tuple(at for at, quote in enumerate(quotes) if is_copy(text, quote))
        about = copied or related(text, quotes)
        state: State = "supported" if copied else "quoted" if about else "unsupported"
        possible = bool(copied) or not missing_numbers(text, "\n".join(quotes))
        return Judged(Statement(text, state, about), quotes, possible)

    def _denied(self) -> Judged:
        """Return the denial of a claim, which is impossible if a quote says just what is claimed."""
        claim = self._judged(self.question.text.strip())
        text, about = _DENIAL.format(claim.statement.text), claim.statement.quotes
        statement = Statement(text, "quoted" if about else "unsupported", about)
        return Judged(statement, claim.quotes, claim.statement.state != "supported", denial=True)


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with the state that rules alone give it. ``possible`` is False if it has numbers of its own.

    A denial says that a claim is false. It may rest on other numbers, so they are not compared.
    """

    statement: Statement
    quotes: Sequence[str]
    possible: bool
    denial: bool = False

    @property
    def open(self) -> bool:
        """Whether only a model can say if it is supported."""
        return self.possible and self.statement.state != "supported" and bool(self.quotes)

    def after(self, said: bool, among: Sequence[int]) -> Statement:
        """Return the statement after a model has said whether these quotes show that it is true."""
        text = self.statement.text
        if not said:
            return Statement(text, "unsupported")
        return Statement(text, "supported" if self.has_numbers(among) else "quoted", tuple(among))

    def has_numbers(self, among: Sequence[int]) -> bool:
        """Return whether these quotes have the numbers of the statement."""
        evidence = "\n".join(self.quotes[at] for at in among)
        return self.denial or not missing_numbers(self.statement.text, evidence)


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

    def read(reply: Reply) -> tuple[Verdicts, str]:
        found = verdicts(reply.text, len(request.statements), len(request.quotes))
        usable = found or does_not_judge(reply.text)
        return found, "" if usable else useless(reply) or "it did not say whether a statement is supported"

    try:
        said, problem = await session.judged(request.ask, read)
    except ReadAgentError as error:
        said, problem = {}, str(error)
    if problem:
        session.fell_back(Fallback("check", problem, _INSTEAD))
    found = list(by_rules.statements)
    for place, (verdict, named) in said.items():
        at = request.statements[place]
        found[at] = judged[at].after(verdict, request.meant(named, judged[at]))
    return Support(tuple(found), "model") if said else by_rules


@dataclass(frozen=True, slots=True)
class _Request:
    """The prompt of the check, with the indices of its statements and quotes in the answer."""

    ask: Ask
    statements: Sequence[int]
    quotes: Sequence[int]

    def meant(self, named: Sequence[int], judged: Judged) -> Sequence[int]:
        """Return the quotes that a verdict names; if it names none, those about the statement that have its numbers."""
        if named:
            return [self.quotes[one] for one in named]
        about = [at for at in self.quotes if at in judged.statement.quotes] or self.quotes
        return [at for at in about if judged.has_numbers([at])] or about


def _fitting(answer: Checkable, wanted: Mapping[int, Judged], session: Session) -> _Request | None:
    """Return the prompt with as many quotes and statements as fit the window: the longest are left out first."""
    texts = {at: one.statement.text for at, one in wanted.items()}
    quotes = {at: " ".join(quote.text.split()) for at, quote in enumerate(answer.quotes)}
    while texts and quotes:
        form = verdict_form(len(texts))
        prompt = session.prompts.fill(
            "check",
            form=form,
            question=escape_tags(answer.question.shown()),
            statements=_numbered(list(texts.values())),
            quotes=_numbered([f'"{quote}"' for quote in quotes.values()]),
            differ=_differing(list(texts.values()), list(quotes.values())),
        )
        if session.window.fits(prompt):
            material = Material(passages=tuple(quotes.values()), statements=tuple(texts.values()))
            return _Request(Ask("check", prompt, material=material, form=form), list(texts), list(quotes))
        longest = quotes if len(quotes) > 1 else texts
        del longest[max(longest, key=lambda at: len(longest[at]))]
    return None


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}: {escape_tags(text)}" for number, text in enumerate(texts, 1))


def _differing(texts: Sequence[str], quotes: Sequence[str]) -> str:
    """Return a line for each statement that has words which no quote has: another month or unit is among them."""
    found = ((number, words_that_differ(text, quotes)) for number, text in enumerate(texts, 1))
    return "\n".join(
        f"Not in the quotes, of statement {number}: {', '.join(words)}. Say no if that changes what it says."
        for number, words in found
        if words
    )
