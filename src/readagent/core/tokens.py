"""Estimate the tokens of a text without a tokenizer, corrected for each model by the counts that its server reports.

Each class of characters (the letters that are common in English, digits, Greek, Hangul) has a rate in
``token_rates.json``: the tokens of a character, for each tokenizer that is known by the names of its models.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from statistics import median_high
from typing import Any

DEFAULT = "default"  # the rates for models whose tokenizer is not known: those of the worst of four tokenizers
_NAMES = (
    ("qwen", r"qwen|qwq|qvq"),
    ("llama3", r"llama[-_]?3|distill-llama"),
    ("o200k", r"gpt-?4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|\bo[1-9]\b|codex"),
    ("cl100k", r"gpt-?4|gpt-?3\.?5"),
    ("deepseek", r"deepseek"),
    ("mistral", r"mistral-(?:nemo|small|medium)|ministral|pixtral|devstral|magistral"),
    ("gemma", r"gemma-?3|gemini"),
)
AIM = 1.038  # corrected estimates are this much above what servers count
_REMEMBERED = 40_000  # characters; the weights of shorter texts are remembered for a while
_MESSAGE = 4000  # characters; of these, more are remembered
_OF_A_WORD = 0.75  # tokens at least, whatever the rates of its letters are
_FEWEST = 300  # tokens; in shorter prompts the tokens of the chat template count too much
_LATEST = 6  # counts that are remembered for each kind of character
_ENOUGH = 3  # counts that an estimate is lowered after; it is raised at once
_LEAST = 0.02  # tokens that a server must count for each token of the estimate
_MOST = 2  # tokens that it may count for each byte
_SURE = 4.0  # times the estimate; higher counts are believed only if several agree
_ODD = 0.75, 1.35  # counts that differ more than this from the usual one of their kind are not used
_TRUST = 0.01  # in the rates of the table, against the square of a kind's share in a count
_REPEATED = re.compile(r"(.)\1{7,}", re.S)
_FEWEST_SHARE = 0.7  # of a corrected estimate; ordinary prompts have more tokens than this,
_FEWEST_AT_FIRST = 0.55  # and than this share of one that is not corrected


def family_of(model: str) -> str:
    """Return the tokenizer that a model of this name uses, or the default if that is not known."""
    return next((family for family, names in _NAMES if re.search(names, model, re.I)), DEFAULT)


@dataclass(frozen=True, slots=True)
class Table:
    """The classes of characters. Those of ASCII are named one by one, each other one by the first of its range."""

    ascii: Mapping[str, int]
    starts: Sequence[int]
    first: int  # the class of the first range
    kinds: Sequence[str]
    rates: Mapping[str, Sequence[float]]

    def class_of(self, character: str) -> int:
        """Return the number of the class of a character."""
        known = self.ascii.get(character)
        return known if known is not None else self.first + bisect_right(self.starts, ord(character)) - 1


@cache
def table() -> Table:
    """Return the classes of characters and their rates."""
    data = json.loads(Path(__file__).with_name("token_rates.json").read_text("utf-8"))
    named = {character: at for at, (characters, *_) in enumerate(data["ascii"]) for character in characters}
    rows = [*data["ascii"], *data["ranges"]]
    rates = {family: [row[2][at] for row in rows] for at, family in enumerate(data["families"])}
    starts = [int(start, 16) for start, *_ in data["ranges"]]
    return Table(named, starts, len(data["ascii"]), [row[1] for row in rows], rates)


@cache
def _rate(family: str, character: str) -> tuple[str, float]:
    """Return the kind of a character, and its tokens."""
    known = table()
    at = known.class_of(character)
    return known.kinds[at], known.rates.get(family, known.rates[DEFAULT])[at]


def fewest_tokens(text: str, family: str = DEFAULT) -> int:
    """Return the fewest tokens that a text has with this tokenizer, or with any if it is not known which it is.

    Some tokenizers have one token for many characters that are the same, such as those of a ruler.
    """
    text = _REPEATED.sub(r"\1", text)
    families = list(table().rates) if family == DEFAULT else [family]
    return int(_FEWEST_AT_FIRST * min(sum(_weights(one, text).values()) for one in families))


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """Estimates tokens for one tokenizer. The tokens of each kind of character are multiplied by its factor, if any."""

    family: str = DEFAULT
    factors: Mapping[str, float] = field(default_factory=dict)

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        found = sum(self.factors.get(kind, 1.0) * tokens for kind, tokens in self.kinds(text).items())
        return 1 + int(max(found, _OF_A_WORD * _words(text)))

    def kinds(self, text: str) -> Mapping[str, float]:
        """Return the estimated tokens of a text by kind of character, without corrections."""
        return _weights(self.family, text)

    def at_least(self, least: float) -> TokenEstimate:
        """Return estimates that are so many times the ones without corrections, or more, for each kind of character."""
        return TokenEstimate(self.family, {kind: max(least, factor) for kind, factor in self.factors.items()})


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens that a server counted in a prompt, and our estimate by kind of character."""

    tokens: int
    estimate: Mapping[str, float]

    @property
    def kind(self) -> str:
        """The kind of character that most tokens of the prompt come from."""
        return max(self.estimate, key=lambda kind: self.estimate[kind])

    @property
    def ratio(self) -> float:
        """The tokens counted for each token of the estimate."""
        return self.tokens / sum(self.estimate.values())


class TokenCounter:
    """Estimates tokens for one model, and learns from the counts that its server reports.

    ``counted`` is what was learnt before. ``changed`` is called when a correction has changed noticeably.
    """

    def __init__(
        self,
        model: str = "",
        counted: Sequence[Counted] = (),
        changed: Callable[[TokenCounter], None] | None = None,
    ) -> None:
        self.family = family_of(model)
        self.counted = tuple(counted)
        self._changed = changed
        self._estimate = TokenEstimate(self.family, _factors(self.counted))

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        return self._estimate.count(text)

    def snapshot(self) -> TokenEstimate:
        """Return the estimates as they are now, which later counts do not change."""
        return self._estimate

    def knows(self, prompt: str) -> bool:
        """Whether enough prompts of this kind were counted for the estimate to be near what a server counts."""
        kind = Counted(1, _weights(self.family, prompt)).kind
        return sum(one.kind == kind for one in self.counted) >= _ENOUGH

    def fewest(self, prompt: str) -> int:
        """Return the fewest tokens that a server may count in a prompt; fewer show that it has not counted all."""
        if self.knows(prompt):
            return int(_FEWEST_SHARE * self.count(prompt))
        return min(int(_FEWEST_SHARE * self.count(prompt)), fewest_tokens(prompt, self.family))

    def learn(self, prompt: str, tokens: int) -> None:
        """Take into account that a server counted this many tokens in a prompt. Implausible counts are ignored."""
        new = Counted(tokens, _weights(self.family, prompt))
        size, most = sum(new.estimate.values()), _MOST * len(prompt.encode("utf-8", "surrogatepass"))
        if size < _FEWEST or not _LEAST * size <= tokens <= most:
            return
        same = [one for one in self.counted if one.kind == new.kind]
        self.counted = (*(one for one in self.counted if one.kind != new.kind), *same[1 - _LATEST :], new)
        before, after = self._estimate.factors, _factors(self.counted)
        self._estimate = TokenEstimate(self.family, after)
        moved = max((abs(after.get(kind, 1.0) - before.get(kind, 1.0)) for kind in {**before, **after}), default=0.0)
        if self._changed is not None and (len(same) < _ENOUGH or moved > 0.01):
            self._changed(self)

    def record(self) -> list[Any]:
        """Return what was learnt, to be kept as JSON."""
        return [[one.tokens, {kind: round(found, 1) for kind, found in one.estimate.items()}] for one in self.counted]


def counted_from(record: Any) -> tuple[Counted, ...]:
    """Return what ``TokenCounter.record`` returned; nothing where that can no longer be read."""
    try:
        return tuple(
            Counted(int(tokens), {str(kind): float(n) for kind, n in found.items()}) for tokens, found in record
        )
    except (TypeError, ValueError, AttributeError):
        return ()


def estimate_tokens(text: str) -> int:
    """Return the estimated tokens of a text for a model whose tokenizer is not known."""
    return _UNKNOWN.count(text)


_UNKNOWN = TokenEstimate()


def _weights(family: str, text: str) -> Mapping[str, float]:
    """Return the estimated tokens of a text by the kinds of character that it has."""
    known = _known_messages if len(text) < _MESSAGE else _known_weights if len(text) < _REMEMBERED else _weigh
    return known(family, text)


def _weigh(family: str, text: str) -> Mapping[str, float]:
    found = dict[str, float]()
    for character, times in Counter(text).items():
        kind, tokens = _rate(family, character)
        found[kind] = found.get(kind, 0.0) + times * tokens
    return found


@lru_cache(maxsize=256)
def _words(text: str) -> int:
    """Return the number of words in a text, divided by white space."""
    return len(text.split())


_known_weights = lru_cache(maxsize=256)(_weigh)  # a prompt is weighed several times until its reply is there
_known_messages = lru_cache(maxsize=4096)(_weigh)  # a message of a conversation is weighed again at each turn


def _factors(counted: Sequence[Counted]) -> dict[str, float]:
    """Return what the estimate for each kind of character is multiplied with, by the counts that can be used.

    It is the mean of what was counted for each token of the estimate. A count weighs more the larger the share of a
    kind is in it. The kind that prompts have most of gets what is left, so that their estimates are right.
    """
    usable, above, below = _usable(counted), dict[str, float](), dict[str, float]()
    for one in usable:
        whole = sum(one.estimate.values())
        for kind, found in one.estimate.items():
            weight = (found / whole) ** 2
            above[kind] = above.get(kind, _TRUST) + weight * AIM * one.ratio
            below[kind] = below.get(kind, _TRUST) + weight
    factors = {kind: above[kind] / below[kind] for kind in above}
    for kind in dict.fromkeys(one.kind for one in usable):
        same = [one for one in usable if one.kind == kind]
        others = sum(factors[other] * found for one in same for other, found in one.estimate.items() if other != kind)
        left = AIM * sum(one.tokens for one in same) - others
        factors[kind] = max(_LEAST, left / sum(one.estimate[kind] for one in same))
    return {kind: round(factor, 3) for kind, factor in factors.items()}


def _usable(counted: Sequence[Counted]) -> list[Counted]:
    """Return the counts that agree with others of their kind, and that are enough to be believed."""
    usable = []
    for one in counted:
        same = [other.ratio for other in counted if other.kind == one.kind]
        usual = median_high(same)
        agreed = sum(_ODD[0] <= ratio / usual <= _ODD[1] for ratio in same)
        if _ODD[0] <= one.ratio / usual <= _ODD[1] and (agreed >= _ENOUGH or 1 / AIM < one.ratio <= _SURE):
            usable.append(one)
    return usable
