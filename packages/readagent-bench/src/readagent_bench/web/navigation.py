"""Mind2Web as a task of a study: every method at every step of recorded tasks, measured as in the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import ClassVar

from readagent.agent import AsyncReadAgent
from readagent.core.model import Embedder
from readagent.core.tokens import estimate_tokens
from readagent.errors import UsageError
from readagent_bench.folder import PREDICTIONS, Key, RunFolder
from readagent_bench.methods import require_embedder
from readagent_bench.records import Spent, described, spent
from readagent_bench.report.paper import published
from readagent_bench.report.tables import HEADINGS, Cell, Line, Spread, cell, markdown
from readagent_bench.report.write import listed
from readagent_bench.score import Row, by_method, estimates
from readagent_bench.study import Task, Trial
from readagent_bench.web.data import Acted, Moment, Split, page_of
from readagent_bench.web.data import Task as WebTask
from readagent_bench.web.methods import METHODS, Method
from readagent_bench.web.mindact import NavigationContext, Ranker
from readagent_browse.goal import Action
from readagent_browse.material import templates

MIND2WEB = "mind2web"
MEASURES = ("element_accuracy", "operation_f1", "step_success", "success", "cr", "lookups")
_OVER_TASKS = ("element_accuracy", "operation_f1", "step_success")
_NO_POSITIVE = "no right element is left in the cleaned page"
_MINDACT = "MindAct (PaLM 2-L + ranker)"


@dataclass(frozen=True, slots=True)
class StepPrediction:
    """The record of a step. Without a prediction ``element`` is empty and ``error`` says why."""

    FILE: ClassVar[str] = PREDICTIONS

    run: int
    method: str
    title: str
    task: str
    step: str
    number: int
    website: str
    gold: str
    positives: tuple[str, ...]
    element: str = ""
    operation: str = ""
    words: int | None = None
    full_words: int = 0
    opened: tuple[int, ...] | None = None
    longest_prompt: int = 0
    spent: Spent = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    skipped: str = ""
    error: str = ""

    @property
    def key(self) -> Key:
        """Run, method, task and step."""
        return self.run, self.method, self.task, self.step


@dataclass(slots=True)
class StepTrial(Trial):
    """One method at one step."""

    run: int
    method: Method
    moment: Moment
    context: NavigationContext
    _acted: Acted | None = None

    @property
    def key(self) -> Key:
        return self.run, self.method.name, self.moment.task.id, self.moment.step.id

    async def attempt(self) -> None:
        """Ask for the action, unless no element is right: the reference evaluation skips such a step too."""
        if self.moment.step.positives:
            self._acted = await self.method.answer(self.moment, self.context)
        else:
            self._acted = Acted(None, skipped=_NO_POSITIVE)

    def prediction(self, error: str) -> StepPrediction:
        acted, task, step = self._acted or Acted(None), self.moment.task, self.moment.step
        trace = self.context.trace
        return StepPrediction(
            self.run, self.method.name, self.method.title, task.id, step.id, self.moment.number, task.website,
            step.gold, step.positives,
            element=acted.action.element if acted.action is not None else "",
            operation=operation_of(acted.action) if acted.action is not None else "",
            words=acted.words,
            full_words=acted.full_words,
            opened=acted.opened,
            longest_prompt=max((estimate_tokens(call.prompt) for call in trace.calls), default=0),
            spent=spent(trace),
            fallbacks=described(trace),
            skipped=acted.skipped,
            error=error,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Navigation(Task):
    """The steps of a split of Mind2Web, predicted by some methods."""

    record: ClassVar = StepPrediction
    data: Split
    ranker: Ranker

    @property
    def documents(self) -> int:
        return len(self.data.tasks)

    @property
    def questions(self) -> int:
        return self.data.steps

    @property
    def data_hash(self) -> str:
        return self.data.fingerprint

    def cases(self) -> Iterable[WebTask]:
        return self.data

    def check(self, embedder: Embedder | None) -> None:
        if not self.questions:
            raise UsageError(f"{self.dataset} has no tasks here", hint="check --data and --split")
        require_embedder(self.methods, METHODS, embedder)

    def manifest(self) -> Mapping[str, object]:
        return {"web_prompts": templates().fingerprint, "ranker": self.ranker.name}

    def context(self, agent: AsyncReadAgent, embedder: Embedder | None, folder: RunFolder) -> NavigationContext:
        return NavigationContext(agent, embedder, ranker=self.ranker)

    def trials(self, run: int, case: WebTask, context: NavigationContext) -> Iterator[StepTrial]:
        for number, step in enumerate(case.steps):
            moment = Moment(case, number, partial(page_of, step))
            for method in self.methods:
                yield StepTrial(run, method, moment, context.with_own_trace())


def operation_of(action: Action) -> str:
    """Return the operation and value of an action as the data set writes them."""
    name = action.operation.upper()
    return name if name == "CLICK" else f"{name} {action.value}".strip()


def operation_f1(predicted: str, gold: str) -> float:
    """Return the F1 of two operations over their distinct words."""
    said, right = set(predicted.split()), set(gold.split())
    shared = len(said & right)
    if not shared:
        return 1.0 if said == right else 0.0
    precision, recall = shared / len(said), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def step_scores(prediction: StepPrediction) -> dict[str, float]:
    """Return the three measures of one step."""
    if not prediction.positives or not prediction.element:
        return dict.fromkeys(_OVER_TASKS, 0.0)
    element = float(prediction.element in prediction.positives)
    f1 = operation_f1(prediction.operation, prediction.gold)
    return {"element_accuracy": element, "operation_f1": f1, "step_success": float(element == 1.0 == f1)}


def rows(folder: RunFolder) -> list[Row]:
    """Return a row for each method, in the order of the manifest."""
    found = by_method(folder.records(StepPrediction), folder.manifest().get("methods", []))
    return [_row(some) for some in found.values()]


def _row(found: Sequence[StepPrediction]) -> Row:
    tasks: dict[tuple[int, str], list[StepPrediction]] = {}
    for one in found:
        tasks.setdefault((one.run, one.task), []).append(one)
    scores: dict[str, dict[tuple[int, str], dict[str, float]]] = {name: {} for name in MEASURES}
    for key, steps in tasks.items():
        each = [step_scores(one) for one in steps]
        for name in _OVER_TASKS:
            scores[name][key] = {"": fmean(one[name] for one in each)}
        scores["success"][key] = {"": float(all(one["step_success"] for one in each))}
        scores["cr"][key] = {one.step: 100 * (1 - one.words / one.full_words) for one in steps if one.words is not None}
        scores["lookups"][key] = {one.step: float(len(one.opened)) for one in steps if one.opened is not None}
    runs = len({one.run for one in found})
    totals = {
        **{name: sum(one.spent.get(name) or 0 for one in found) / runs for name in ("calls", "words", "cost")},
        "longest_prompt": float(max(one.longest_prompt for one in found)),
        "fallbacks": sum(len(one.fallbacks) for one in found) / runs,
        "skipped": sum(bool(one.skipped) for one in found) / runs,
    }
    return Row(
        found[0].method,
        found[0].title,
        {"tasks": len({one.task for one in found}), "steps": len(found) // runs},
        sum(bool(one.error) for one in found),
        estimates(scores),
        totals,
        scores=scores,
    )


def table(found: Sequence[Row], split: str, spread: Spread = "interval", *, paper: bool = True) -> str:
    """Return a line for each method; with ``paper``, figures of the paper and its other methods too."""
    theirs = published(MIND2WEB, split) if paper else {}
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
