"""What is known about the tokens of models and readings, kept in a library among the facts about servers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from readagent.core.tokens import TokenCounter, TokenEstimate, counted_from
from readagent.library.library import Library


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """The counters of models, and the estimates that readings use."""

    library: Library

    def counter(self, model: str, identity: str) -> TokenCounter:
        """Return a counter for a model on a server, with what was learnt about it before. What it learns is kept."""
        name = f"tokens of {identity}"
        counted = counted_from(self._value(name))
        return TokenCounter(model, counted, lambda counter: self._keep(name, counter.record()))

    def begun_with(self, reading: str, now: TokenEstimate) -> TokenEstimate:
        """Return the estimate that a reading began with; a reading that begins uses the one of ``now``.

        Prompts depend on it: with another estimate, a reading that goes on later would ask for replies that it has.
        """
        name = _name(reading)
        value = self._value(name)
        if isinstance(value, dict) and isinstance(value.get("factors"), dict):
            return TokenEstimate(
                str(value.get("family")), {kind: float(factor) for kind, factor in value["factors"].items()}
            )
        self._keep(name, {"family": now.family, "factors": dict(now.factors)})
        return now

    def begin_again(self, reading: str) -> None:
        """Let a reading and its tree use the newest estimate, because their own was wrong."""
        self._keep(_name(reading), None)
        self._keep(_name(tree_of(reading)), None)

    def _keep(self, name: str, value: Any) -> None:
        self.library.keep_facts(name, json.dumps(value).encode())

    def _value(self, name: str) -> Any:
        data = self.library.facts(name)
        try:
            return json.loads(data) if data else None
        except ValueError:
            return None


def tree_of(reading: str) -> str:
    """Return the name of the tree above a reading: it begins later, with what was learnt while reading."""
    return f"{reading}, tree"


def _name(reading: str) -> str:
    return f"tokens of reading {reading}"
