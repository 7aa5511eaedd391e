"""Estimate the tokens of a text without a tokenizer, corrected for each model by the counts that its server reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median_high
from typing import Any

from readagent.core.token_rates import DEFAULT, family_of, fewest_tokens, rates

AIM = 1.038  # corrected estimates are this much above what servers count
_REMEMBERED = 40_000  # characters; the weights of shorter texts are remembered for a while
_MESSAGE = 4000  # characters; of these, more are remembered
_FEWEST = 300  # tokens; in shorter prompts the tokens of the chat template count too much
_LATEST = 6  # counts that are remembered for each kind of character
_ENOUGH = 3  # counts that an estimate is lowered after; it is raised at once
_LEAST = 0.02  # tokens that a server must count for each token of the estimate
_MOST = 2  # tokens that it may count for each byte
_SURE = 4.0  # times the estimate; higher counts are believed only if several agree
_SIMILAR = 0.75  # likeness of prompts whose counts are compared
_ODD = 0.75, 1.35  # counts that differ more than this from the usual one of similar prompts are not used
_BOUNDS = 0.02, 50.0  # of a factor
_CHAT = "chat"  # the tokens of the chat template around a prompt
_CHAT_TOKENS = 10.0
_CHAT_BOUNDS = 0.2, 5.0
_TRUST = 0.01  # in the estimate without corrections, against 1 for a count
_ROUNDS = 60
_NEAR = 0.02  # of AIM; an estimate that is so near to several counts is not corrected further
_FEWEST_SHARE = 0.7  # of an estimate; ordinary prompts have more tokens than this
_SETTLED = 0.0001  # changes of a factor that do not matter


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """Estimates tokens for one tokenizer. The tokens of each kind of character are multiplied by its factor, if any."""

    family: str = DEFAULT
    factors: Mapping[str, float] = field(default_factory=dict)

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        return 1 + int(self.weighed(_weights(self.family, text)))

    def kinds(self, text: str) -> Mapping[str, float]:
        """Return the estimated tokens of a text by kind of character, without corrections."""
        return _weights(self.family, text)

    def at_least(self, least: float) -> TokenEstimate:
        """Return estimates that are so many times the ones without corrections, or more, for each kind of character."""
        return TokenEstimate(self.family, {kind: max(least, factor) for kind, factor in self.factors.items()})

    def weighed(self, weights: Mapping[str, float]) -> float:
        """Return the sum of these tokens of each kind of character, each multiplied by its factor."""
        return sum(self.factors.get(kind, 1.0) * tokens for kind, tokens in weights.items())


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
    def mixture(self) -> dict[str, float]:
        """The share of tokens of each kind of character."""
        whole = sum(self.estimate.values())
        return {kind: found / whole for kind, found in self.estimate.items()}

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
        self._fitted = _fitted(self.counted)
        self._estimate = TokenEstimate(self.family, _rounded(self._fitted))

    def count(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        return self._estimate.count(text)

    def snapshot(self) -> TokenEstimate:
        """Return the estimates as they are now, which later counts do not change."""
        return self._estimate

    def knows(self, prompt: str) -> bool:
        """Whether enough prompts like this one were counted for the estimate to be near what a server counts."""
        mixture = Counted(1, _weights(self.family, prompt)).mixture
        return sum(likeness(one.mixture, mixture) >= _SIMILAR for one in self.counted) >= _ENOUGH

    def fewest(self, prompt: str) -> int:
        """Return the fewest tokens that a server may count in a prompt; fewer show that it has not counted all."""
        fewest = int(_FEWEST_SHARE * self.count(prompt))
        return fewest if self.knows(prompt) else min(fewest, fewest_tokens(prompt, self.family))

    def learn(self, prompt: str, tokens: int) -> None:
        """Take into account that a server counted this many tokens in a prompt. Implausible counts are ignored."""
        estimate = _weights(self.family, prompt)
        new = Counted(tokens, estimate)
        most = _MOST * len(prompt.encode("utf-8", "surrogatepass"))
        if sum(estimate.values()) < _FEWEST or not _LEAST * sum(estimate.values()) <= tokens <= most:
            return
        same = [one for one in self.counted if one.kind == new.kind]
        others = [one for one in self.counted if one.kind != new.kind]
        self.counted = (*others, *same[1 - _LATEST :], new)
        if len(same) >= _ENOUGH and abs(self._estimate.weighed(estimate) / tokens - AIM) < _NEAR:
            return
        before = self._estimate.factors
        self._fitted = _fitted(self.counted, self._fitted)
        factors = _rounded(self._fitted)
        self._estimate = TokenEstimate(self.family, factors)
        moved = (abs(factors.get(kind, 1.0) - before.get(kind, 1.0)) for kind in {**before, **factors})
        if self._changed is not None and (len(same) < _ENOUGH or max(moved, default=0.0) > 0.01):
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
    return {kind: found for kind, found in rates(family).weigh(text).items() if found}


_known_weights = lru_cache(maxsize=256)(_weigh)  # a prompt is weighed several times until its reply is there
_known_messages = lru_cache(maxsize=4096)(_weigh)  # a message of a conversation is weighed again at each turn


def _fitted(counted: Sequence[Counted], near: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the factors with which the estimates come closest to the counts, and to those without factors.

    The search begins at the factors ``near``, if these are given: those that were fitted to most of the same counts.
    """
    usable = _usable(counted)
    shares = [
        {kind: found / (AIM * one.tokens) for kind, found in (*one.estimate.items(), (_CHAT, _CHAT_TOKENS))}
        for one in usable
    ]
    factors = {kind: (near or {}).get(kind, 1.0) for one in shares for kind in one}
    trust = {kind: _TRUST * _trusted(kind, usable) for kind in factors}
    within = {kind: [(at, one[kind]) for at, one in enumerate(shares) if one.get(kind)] for kind in factors}
    totals = [
        sum(factors[kind] * share for kind, share in one.items()) for one in shares
    ]  # what the factors make of each prompt
    for _ in range(_ROUNDS):
        largest = 0.0
        for kind, before in factors.items():
            least, most = _CHAT_BOUNDS if kind == _CHAT else _BOUNDS
            above, below = trust[kind], trust[kind]
            for at, share in within[kind]:
                above, below = above + share * (1 - totals[at] + before * share), below + share * share
            after = min(most, max(least, above / below))
            for at, share in within[kind]:
                totals[at] += (after - before) * share
            factors[kind] = after
            largest = max(largest, abs(after - before))
        if largest < _SETTLED:
            break
    return factors


def _rounded(factors: Mapping[str, float]) -> dict[str, float]:
    """Return the factors of characters, so rounded that small changes do not count."""
    return {kind: round(factor, 3) for kind, factor in factors.items() if kind != _CHAT}


def _trusted(kind: str, counted: Sequence[Counted]) -> float:
    """Return how far the estimate without corrections is trusted, at most 1: less for texts that it was too low for."""
    found = [(one.estimate.get(kind, 0.0) / one.tokens, min(1.0, 1 / (AIM * one.ratio))) for one in counted]
    weight = sum(share for share, _ in found)
    return sum(share * low * low for share, low in found) / weight if weight else 1.0


def _usable(counted: Sequence[Counted]) -> list[Counted]:
    """Return the counts that agree with those of similar texts, and that are enough to be believed."""
    usable = []
    known = [(one.mixture, one.ratio) for one in counted]
    for one, (mixture, ratio) in zip(counted, known, strict=True):
        similar = [its for other, its in known if likeness(mixture, other) >= _SIMILAR]
        usual = median_high(similar)
        agreed = sum(_ODD[0] <= its / usual <= _ODD[1] for its in similar)
        if _ODD[0] <= ratio / usual <= _ODD[1] and (agreed >= _ENOUGH or 1 / AIM < ratio <= _SURE):
            usable.append(one)
    return usable


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the share of tokens that two mixtures have of the same kinds: 1 for the same mixture."""
    return 1.0 if one == other else sum(min(share, other.get(kind, 0.0)) for kind, share in one.items())
