"""Mind2Web as a task of a study: every method at every step of recorded tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from readagent.agent import AsyncReadAgent
from readagent.core.model import Embedder
from readagent.core.trace import Trace
from readagent.errors import UsageError
from readagent_bench.folder import CaseRecord, Key, RunFolder
from readagent_bench.methods import require_embedder
from readagent_bench.report.paper import navigation
from readagent_bench.report.tables import HEADINGS, Cell, Line, Spread, cell, markdown
from readagent_bench.report.write import listed
from readagent_bench.score import Row
from readagent_bench.web.mind2web.data import SPLITS, Moment, Split, Task, page_of
from readagent_bench.web.mind2web.methods import METHODS, Method
from readagent_bench.web.mind2web.rank import NavigationContext, Ranker
from readagent_bench.web.mind2web.records import MEASURES, Acted, StepPrediction, predicted, rows
from readagent_browse.templates import templates

_NO_POSITIVE = "no right element is left in the cleaned page"


@dataclass(slots=True)
class StepTrial:
    """One method at one step."""

    run: int
    method: Method
    moment: Moment
    context: NavigationContext
    _acted: Acted | None = None

    @property
    def key(self) -> Key:
        return self.run, self.method.name, self.moment.task.id, self.moment.step.id

    @property
    def trace(self) -> Trace:
        return self.context.trace

    async def attempt(self) -> None:
        """Ask for the action, unless no element is right: the reference evaluation skips such a step too."""
        if self.moment.step.positives:
            self._acted = await self.method.answer(self.moment, self.context)
        else:
            self._acted = Acted(None, skipped=_NO_POSITIVE)

    def prediction(self, error: str) -> StepPrediction:
        return predicted(self.key, self.method.title, self.moment, self.trace, self._acted, error)

    def shared_work(self) -> Iterable[tuple[CaseRecord, Trace | None]]:
        return ()


@dataclass(frozen=True, slots=True)
class Navigation:
    """The steps of a split of Mind2Web, predicted by some methods."""

    data: Split
    methods: Sequence[Method]
    ranker: Ranker
    record: type[StepPrediction] = StepPrediction
    dataset: str = "mind2web"

    @property
    def split(self) -> str:
        return self.data.name

    @property
    def documents(self) -> int:
        return len(self.data.tasks)

    @property
    def questions(self) -> int:
        return self.data.steps

    def cases(self) -> Iterable[Task]:
        return self.data

    def check(self, embedder: Embedder | None) -> None:
        if not self.questions:
            raise UsageError(f"{self.dataset} has no tasks here", hint="check --data and --split")
        require_embedder(self.methods, METHODS, embedder)

    @property
    def data_hash(self) -> str:
        return self.data.fingerprint

    def manifest(self) -> Mapping[str, object]:
        return {"web_prompts": templates().fingerprint, "ranker": self.ranker.name}

    def context(self, agent: AsyncReadAgent, embedder: Embedder | None, folder: RunFolder) -> NavigationContext:
        return NavigationContext(agent, embedder, ranker=self.ranker)

    def trials(self, run: int, case: Task, context: NavigationContext) -> Iterator[StepTrial]:
        for number, step in enumerate(case.steps):
            moment = Moment(case, number, partial(page_of, step))
            for method in self.methods:
                yield StepTrial(run, method, moment, context.with_own_trace())

    def finish(self, case: Task, context: NavigationContext) -> None:
        return


_MINDACT = "MindAct (PaLM 2-L + ranker)"


def table(found: Sequence[Row], split: str, spread: Spread = "interval", *, paper: bool = True) -> str:
    """Return a line for each method; with ``paper``, figures of the paper and its other methods too."""
    theirs = navigation(SPLITS.get(split, "")) if paper else {}
    titles = {_in_paper(row.title): row for row in found}
    lines: list[Line] = [_line(row.title, row, theirs.get(_in_paper(row.title), {}), theirs, spread) for row in found]
    lines += [_line(title, None, printed, theirs, spread) for title, printed in theirs.items() if title not in titles]
    return markdown(lines)


def _in_paper(title: str) -> str:
    return _MINDACT if title == "MindAct" else title


def _line(title: str, row: Row | None, printed: Mapping[str, str], theirs: object, spread: Spread) -> Line:
    line: dict[str, Cell] = {"method": title}
    for name in MEASURES:
        line[HEADINGS[name]] = "" if row is None else cell(row, name, spread=spread)
        if theirs and name != "lookups":
            line[f"{HEADINGS[name]} (paper)"] = printed.get(name, "")
    if row is not None:
        line |= {
            name.replace("_", " "): f"{row.totals[name]:,.0f}" for name in ("longest_prompt", "calls", "fallbacks")
        }
        line["failed"] = row.failed
    return line


def report(folder: RunFolder) -> str:
    """Return the report as Markdown."""
    made = folder.manifest()
    over = "± is the standard deviation over runs" if made["runs"] > 1 else "brackets are 95 % intervals over tasks"
    return "\n\n".join(
        [
            f"# Mind2Web ({made['split']}), {made['model']}",
            f"{made['questions']} steps of {made['documents']} tasks, in per cent, averaged over the steps of a task "
            f"and then over tasks; {over}. A step counts 0 if it failed or, as in the reference evaluation, if its "
            "cleaned page has lost the right element. CR is the share of the words of the page that were not in the "
            "prompt of the action; #LU is the number of snippets shown in full; prompts are in estimated tokens. The "
            "figures of the paper are for its own model and all of its data.",
            table(rows(folder), made["split"]),
            f"## Manifest\n\n{listed(made)}\n",
        ]
    )
