"""Replies of the offline reader are computed from the text, and kept for that text only, whatever the gists are."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, Document, Library, Plan
from readagent.core.memory import GistMemory
from readagent.embedded.model import LocalModel

pytestmark = pytest.mark.anyio

GIST = "Anna Weber met a lawyer."
FIRST = (
    "Anna Weber met a lawyer in Prague on 2 March 1975. Anna Weber smiled. Mr. Novak was the lawyer. Mr. Novak left."
)
REST = "Miss {0} of the {1} Company wrote a letter on 5 May {2}. Miss {0} said hello. The {1} Company paid for it."
TEXT = f"{FIRST}\n\n{REST.format('Harper', 'Acme', 1980)}"
OTHER = f"{FIRST.replace('Prague', 'Vienna')}\n\n{REST.format('Lincoln', 'Bolt', 1990)}"
KINDS = ("timeline", "summary")


class SameGists(LocalModel):
    """The offline reader, with one gist for every page."""

    async def _extract_gist(self, passage: str, words: int) -> str:
        return GIST


def agent_in(folder: Path) -> AsyncReadAgent:
    plan = Plan(page_words=400, min_page_words=100, gist_words=10)
    return AsyncReadAgent(SameGists(WordMeanings(), WordReader()), library=Library(folder), plan=plan)


async def told(agent: AsyncReadAgent, memory: GistMemory, kind: str, up_to: str | None = None) -> str:
    options = {"words": 12} if kind == "summary" else {}
    result = await getattr(agent, kind)(memory, up_to=up_to, **options)
    return f"{getattr(result, 'points', None) or list(result)} {result.dropped}"


@pytest.mark.parametrize("kind", KINDS)
async def test_an_overview_is_the_same_whatever_was_asked_before(tmp_path: Path, kind: str) -> None:
    async def run(name: str, *wanted: tuple[str, str | None]) -> list[str]:
        async with agent_in(tmp_path / name) as agent:
            return [await told(agent, await agent.read(Document.from_text(text)), kind, to) for text, to in wanted]

    whole, half, other = (TEXT, None), (TEXT, "50%"), (OTHER, None)
    (alone,), (half_alone,), (other_alone,) = await run("a", whole), await run("b", half), await run("c", other)
    assert await run("d", half, whole, other, half) == [half_alone, alone, other_alone, half_alone]
    assert await run("e", other, whole, half) == [other_alone, alone, half_alone]
    assert not any(word in half_alone for word in ("Harper", "Acme", "1980"))
