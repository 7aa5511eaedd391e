"""The statements of an answer as the rules see them: supported, impossible, or to be decided by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readagent.core.question import Question, Quote
from readagent.core.statement import Statement
from readagent.core.support.rules import Rules, whole_sentences
from readagent.core.support.statements import statements

_DENIAL = 'It is not true: "{}"'


@dataclass(frozen=True, slots=True)
class Checkable:
    """An answer to check: its text, its letter or verdict, its quotes, and the text they are from, if it is one."""

    question: Question
    text: str
    choice: str | None
    quotes: Sequence[Quote]
    source: str = ""

    def judge(self) -> list[Judged]:
        """Return what the answer states, judged by rules: its statements, the option that it chose, or the claim.

        The question is known for names and numbers, but for the options and the claim, which are in doubt themselves.
        """
        match self.question.kind:
            case "free":
                rules = self._rules(self.question.shown())
                return [_judged(one, rules) for one in statements(self.text)]
            case "choice":
                return [_judged(self.text, self._rules(self.question.text))]
            case "claim":
                claim, rules = self.question.text.strip(), self._rules("")
                return [_denied(claim, rules) if self.choice == "false" else _judged(claim, rules)]

    def _rules(self, question: str) -> Rules:
        whole = [
            whole_sentences(self.source, quote.start, quote.end)
            if self.source[quote.start : quote.end] == quote.text
            else quote.text
            for quote in self.quotes
        ]
        return Rules(question, [quote.text for quote in self.quotes], whole, self.source)


@dataclass(frozen=True, slots=True)
class Judged:
    """A statement with the state that rules alone give it. ``possible`` is False if a rule is against any support.

    A denial says that a claim is false. It rests on other names and numbers, so these rules do not apply to it.
    """

    statement: Statement
    rules: Rules
    possible: bool
    denial: bool = False

    @property
    def open(self) -> bool:
        """Whether only a model can say if it is supported."""
        return self.possible and self.statement.state != "supported" and bool(self.rules.quotes)

    def after(self, said: bool, quotes: Sequence[int]) -> Statement:
        """Return the statement after a model has said whether these quotes bear it out."""
        text = self.statement.text
        if not said:
            return Statement(text, "unsupported")
        against = not self.denial and self.rules.veto(text, quotes)
        return Statement(text, "quoted" if against else "supported", tuple(quotes))


def _judged(text: str, rules: Rules) -> Judged:
    if copied := rules.copies(text):
        return Judged(Statement(text, "supported", copied), rules, possible=True)
    return Judged(_unshown(text, rules.related(text)), rules, not rules.veto(text, range(len(rules.quotes))))


def _denied(claim: str, rules: Rules) -> Judged:
    """Return the denial of a claim, which is impossible if a quote says just what is claimed."""
    statement = _unshown(_DENIAL.format(claim), rules.related(claim))
    return Judged(statement, rules, not rules.copies(claim), denial=True)


def _unshown(text: str, related: tuple[int, ...]) -> Statement:
    return Statement(text, "quoted" if related else "unsupported", related)
