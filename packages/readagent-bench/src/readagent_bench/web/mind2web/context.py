"""NavigationContext: what the methods on web pages share: a context with a ranker of elements."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent_bench.context import Context
from readagent_bench.web.mind2web.rank import LexicalRanker, Ranker


@dataclass(slots=True)
class NavigationContext(Context):
    """The plan of the agent says how long snippets of a page are."""

    ranker: Ranker = field(default_factory=LexicalRanker)
