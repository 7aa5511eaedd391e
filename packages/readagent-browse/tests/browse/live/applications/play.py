"""Play a flow: start its site behind the slow proxy, visit it with the scripted model, and look at how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from browse.live.applications.flows import PASSWORD, Flow, Places
from browse.live.applications.slow_proxy import slowed
from browse.live.applications.visitor import Visitor
from readagent import AsyncReadAgent
from readagent.errors import ReadAgentError
from readagent_browse.live import Limits, Visit, agree, browse

WINDOW = 8000
LIMITS = Limits(steps=30)


@dataclass(frozen=True, slots=True)
class Run:
    """How a flow went once: ``problem`` is empty if it ended rightly."""

    flow: str
    seed: int
    problem: str
    steps: int
    calls: int
    seconds: float


async def play(flow: Flow, seed: int, docs: Path, slowest: float) -> Run:
    """Play a flow; ``slowest`` is the longest time that a resource is kept back for, in seconds."""
    began = monotonic()
    model = Visitor(flow.acts, flow.ends)
    visit, problem = None, ""
    with TemporaryDirectory(prefix="readagent-flow-") as folder:
        places = Places(Path(folder), docs)
        with flow.site(places) as site, slowed(site, seed, slowest) as address:
            try:
                async with AsyncReadAgent(model, window=WINDOW) as agent:
                    visit = await browse(
                        address + flow.start, flow.name, agent,
                        secrets={"PW": PASSWORD}, confirm=agree, limits=LIMITS, folder=places.run / "trace",
                    )  # fmt: skip
            except (LookupError, ReadAgentError) as error:
                problem = str(error)
        problem = problem or _problem(flow, visit, model.pages[-1], places)
    steps = len(visit.steps) if visit else len(model.pages)
    return Run(flow.name, seed, problem, steps, model.calls, monotonic() - began)


def _problem(flow: Flow, visit: Visit | None, last: str, places: Places) -> str:
    """Return what is wrong with how a flow ended."""
    if visit is None or not visit.done:
        return visit.reason if visit else "no visit"
    if failed := [step for step in visit.steps if step.error]:
        return f"{failed[0].description}: {failed[0].error}"
    if missing := [text for text in flow.ends if text not in last]:
        return f"no {missing[0]!r} in:\n{last}"
    if flow.quote and (visit.answer is None or [quote.text for quote in visit.answer.quotes] != [flow.quote]):
        return f"not quoted: {visit.answer}"
    return "" if flow.check(places) else "the data of the application is not as it should be"
