"""Check which statements of an answer its quotes support: by rules, and for what these leave open by one call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readagent.core.escaping import escape_tags
from readagent.core.model import Ask, Material
from readagent.core.parsing.verdicts import only_near, parse_verdicts
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question, Quote
from readagent.core.session import Session, useless
from readagent.core.statement import Statement, Support
from readagent.core.support.rules import Rules, whole_sentences
from readagent.core.support.units import MONTHS
from readagent.core.trace import Fallback
from readagent.core.words import sentences
from readagent.errors import ReadAgentError

_ABBREVIATED = lazy_pattern(
    r"(?:^|[\s(])(?:[^\W\d_]|approx|ca|circa|incl|max|min|est|dept|inc|ltd|co|corp|jan|feb|mar|apr|jun|jul|aug|sept?|oct"
    r"|nov|dec|secs?|par|art|chap|app|ref|pp?|bzw|z\. ?B|d\. ?h|u\. ?a|Nr|Abs|Kap|Bd|S|Hr|Fr|Hl|vgl|geb|gest|env|av|mme"
    r"|mlle|sra?|srta|dra?|ud|núm|pág|EE|sig|dott|т\. ?е|т\. ?д|гг?|им|ул|руб|стр|рис|см|св|проф)\.$",
    re.I,
)
_ONE_LETTER = lazy_pattern(r"(?:^|[\s(.])([^\W\d_])\.$")
_VERDICT = lazy_pattern(
    r"^(?:yes|no|true|false|correct|ja|nein|oui|non|sí|si|да|нет|是的?|不是|はい|いいえ)[.!。]$", re.I
)
_ORDINAL = lazy_pattern(r"(?P<before>[^\W\d_]+)?\s*\b(?:\d{1,2}|[IVX]{1,5})\.$")
_BEFORE_ORDINAL = frozenset(
    "am der dem den des im zum zur vom die das bis seit ab nach und den dne ze od do".split()
)  # in languages that write 12. for 12th
_AFTER_GERMAN_QUOTE = lazy_pattern(r"(?<=[.!?]“)\s+(?=[A-ZÄÖÜ])")
_FIRST = lazy_pattern(r"[^\W\d_]+")
_MARKS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text. A bare yes or no belongs to the sentence after it."""
    pieces = [piece for sentence in sentences(text) for piece in _AFTER_GERMAN_QUOTE.split(sentence)]
    found: list[str] = []
    for at, piece in enumerate(pieces):
        if found and (_goes_on(found[-1], piece) or (_is_open(found[-1]) and _closes(found[-1], pieces[at:]))):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def _goes_on(before: str, after: str) -> bool:
    """Return whether the point that ends one piece does not end the sentence."""
    if _VERDICT.match(before):
        return True
    if single := _ONE_LETTER.search(before):
        return single[1].isupper() or bool(_ABBREVIATED.search(before))
    if _ABBREVIATED.search(before):
        return True
    ordinal, first = _ORDINAL.search(before), _FIRST.match(after)
    if ordinal is None or first is None:
        return False
    return first[0].casefold() in MONTHS or (ordinal["before"] or "").casefold() in _BEFORE_ORDINAL


def _is_open(text: str) -> bool:
    """Return whether a quotation begins in a text and does not end there."""
    if text.count('"') % 2:
        return True
    marks = (mark for mark in _MARKS if mark in text and not (mark == "“" and "„" in text))
    return any(text.count(mark) > sum(map(text.count, _MARKS[mark])) for mark in marks)


def _closes(text: str, pieces: list[str]) -> bool:
    """Return whether the quotation that is open ends in one of the next pieces."""
    return any(not _is_open(f"{text} {' '.join(pieces[: end + 1])}") for end in range(len(pieces)))


_ITEM = lazy_pattern(r"^\s*(?:[-*+•‣·–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_HEADING = lazy_pattern(r"^\s{0,3}#{1,6}\s|^\s*(?:[-=*_]\s*){3,}$|^\s*```")
_QUOTED = lazy_pattern(r"^\s*>+\s?")
_RULE = lazy_pattern(r"^[\s|:\-]+$")
_MARKUP = lazy_pattern(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_PAGES = lazy_pattern(
    r"\s*[(\[]\s*(?:see\s+|cf\.?\s+)?(?:pages?|pp?\.)\s*\d+(?:\s*(?:[,;&–-]|and|to)\s*(?:pages?\s*)?\d+)*\s*[)\]]", re.I
)
_QUOTE = lazy_pattern(r"\s*[(\[]\s*page\s*\d+\s*:\s*[\"“][^\"“”\n]*[\"”]\s*[)\]]", re.I)


def statements(answer: str) -> list[str]:
    """Return the statements of an answer, in order and as they are worded, without markup and references to pages.

    A line that only introduces a list is none, and neither is a heading. A bare "Yes." belongs to what follows it.
    """
    found: list[str] = []
    for unit in _units(answer):
        found += [piece for piece in split_sentences(unit) if any(map(str.isalnum, piece))]
    return found


def _units(answer: str) -> Iterator[str]:
    """Yield paragraphs, list items and rows of tables, each on one line."""
    held: list[str] = []
    lines = [_QUOTED.sub("", line) for line in answer.splitlines()]
    for number, line in enumerate(lines):
        item = _ITEM.match(line)
        ends = not line.strip() or bool(_HEADING.match(line)) or bool(_RULE.match(line))
        if held and (item or ends or line.lstrip().startswith("|")):
            if not (_introduces(held[-1]) and _item_follows(lines[number:])):
                yield _plain(" ".join(held))
            held = []
        if not ends:
            held.append(line[item.end() :] if item else line.strip().strip("|").replace("|", ", "))
    if held:
        yield _plain(" ".join(held))


def _introduces(line: str) -> bool:
    return line.rstrip(" *_").endswith((":", "："))


def _item_follows(lines: list[str]) -> bool:
    return bool(_ITEM.match(next((line for line in lines if line.strip()), "")))


def _plain(text: str) -> str:
    text = " ".join(_MARKUP.sub("", text).split())
    return " ".join(_PAGES.sub("", _QUOTE.sub("", text)).split())


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
