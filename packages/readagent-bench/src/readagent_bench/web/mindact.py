"""MindAct: a ranker keeps the best elements of a page, and the model picks among five of them until one is left."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import msgspec

from readagent.core.form import Choice
from readagent.core.model import Ask
from readagent.core.question import letter
from readagent.core.session import Session
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.retrieval.bm25 import Bm25
from readagent_bench.context import Context, templates
from readagent_bench.web.data import Acted, Moment
from readagent_browse.decide import decide_action
from readagent_browse.dom import Element, Node, Snapshot
from readagent_browse.goal import Goal
from readagent_browse.material import page_head
from readagent_browse.material import templates as web_templates
from readagent_browse.page_view import PageView, cut_and_record, page_fits
from readagent_browse.render import render

_TARGET_WORDS, _AROUND_WORDS = 100, 50  # of a candidate and of its ancestors, as in the reference
_DEPTH, _CHILDREN, _SIBLINGS = 5, 50, 3  # as in the reference implementation
_AT_ONCE = 5
_NONE = "none of these"


@dataclass(frozen=True, slots=True)
class Ranker:
    """Scores how likely each candidate is the element of the next action.

    The reference uses a cross-encoder trained for this. Here it is the words that a candidate shares with the
    instruction, or given scores: of ``by_step``, or those in the records. ``name`` goes into the manifest of a run.
    """

    name: str = "lexical"
    by_step: Mapping[str, Mapping[str, float]] | None = None

    def scores(self, moment: Moment, ids: Sequence[str]) -> Sequence[float]:
        task, step = moment.task, moment.step
        if self.by_step is None:
            return Bm25(_texts_of(moment.page, ids)).scores(moment.goal.search_text())
        known = self.by_step.get(f"{task.id}_{step.id}", step.scores)
        if not known:
            raise UsageError(f"no scores for step {step.id} of task {task.id}", hint="use another --ranker")
        return [float(known.get(one, float("-inf"))) for one in ids]


def ranker_of(name: str) -> Ranker:
    """Return a ranker: ``lexical``, ``scores`` (of the data), or a JSON file of scores."""
    if name in ("", "lexical"):
        return Ranker()
    if name == "scores":
        return Ranker("scores of the data", {})
    file = Path(name)
    if file.suffix != ".json":
        raise UsageError(f"invalid ranker {name!r}", hint="lexical, scores or FILE.json")
    try:
        return Ranker(file.name, msgspec.json.decode(file.read_bytes(), type=_Scores).scores)
    except (OSError, msgspec.MsgspecError) as error:
        hint = 'for example {"scores": {"TASK_STEP": {"12": 0.7}}}'
        raise UsageError(f"cannot read scores from {file}: {error}", hint=hint) from None


class _Scores(msgspec.Struct):
    scores: dict[str, dict[str, float]]


@dataclass(slots=True)
class NavigationContext(Context):
    """The plan of the agent says how long snippets of a page are."""

    ranker: Ranker = field(default_factory=Ranker)


@dataclass(frozen=True, slots=True)
class MindActMethod:
    """Keeps ``count`` candidates."""

    count: int

    @property
    def name(self) -> str:
        return f"mindact:{self.count}"

    @property
    def title(self) -> str:
        return "MindAct" if self.count == 50 else f"MindAct (best {self.count})"

    async def answer(self, moment: Moment, context: NavigationContext) -> Acted:
        kept = self._kept(moment, context)
        if not any(element.id in moment.step.positives for element in kept):
            return Acted(None, skipped=f"no right element among the {len(kept)} that the ranker kept")
        return await context.within_window(context.plan, lambda session: _pick(moment, list(kept), session))

    def _kept(self, moment: Moment, context: NavigationContext) -> list[Element]:
        known = {element.id: element for element in moment.page.elements}
        ids = [one for one in moment.step.candidates if one in known]
        scores = context.ranker.scores(moment, ids)
        order = sorted(range(len(ids)), key=lambda place: (-scores[place], place))
        return [known[ids[place]] for place in order[: self.count]]


async def _pick(moment: Moment, left: list[Element], session: Session) -> Acted:
    """Play rounds of five, the winner of each joining the end of the queue, until one is left, or none.

    One that is left because every other was rejected was never shown to the model. It is not acted on, as in the
    reference.
    """
    page, goal = moment.page, moment.goal
    Random(moment.step.id).shuffle(left)
    winner: Element | None = None
    while len(left) > 1:
        group, left = left[:_AT_ONCE], left[_AT_ONCE:]
        chosen = await _one_of(group, page, goal, session)
        if chosen is not None:
            left.append(chosen)
            winner = chosen
    if not left or winner is None:
        return Acted(None)
    return Acted(await decide_action(_view(page, [winner], goal, session), goal, session))


async def _one_of(group: list[Element], page: Snapshot, goal: Goal, session: Session) -> Element | None:
    view = _view(page, group, goal, session)
    texts = (_NONE, *(element.description for element in group))
    letters = tuple(letter(place) for place in range(len(texts)))
    options = "\n".join(f"({name}) {text}" for name, text in zip(letters, texts, strict=True))
    choice = Choice(letters, texts=texts)
    prompt = templates().fill("mindact", form=choice, page=view.prompt, goal=goal.render(session), options=options)
    ask = Ask("act", prompt, choice)
    (chosen,) = await session.decide(ask, lambda: (letters[0],))
    place = letters.index(chosen)
    return group[place - 1] if place else None


def _view(page: Snapshot, elements: list[Element], goal: Goal, session: Session) -> PageView:
    """Return the page around these elements."""
    text = render(pruned(page.root, [element.id for element in elements]))

    def fill(part: str) -> str:
        return web_templates().fill("page", head=page_head(page.title), extent=": a part of it", page=part)

    choices = "\n".join(element.description for element in elements)
    text = cut_and_record(
        text, lambda part: page_fits(fill(part) + choices, goal.render(session), session), "act", "the page", session
    )
    return PageView(fill(text), tuple(elements), count_words(text))


def _texts_of(page: Snapshot, ids: Sequence[str]) -> list[str]:
    """Return each candidate as text: its content, and the names of its ancestors."""
    found: dict[str, str] = {}
    _describe(page.root, [], frozenset(ids), found)
    return [found.get(one, "") for one in ids]


def _describe(node: Node, above: list[str], ids: frozenset[str], found: dict[str, str]) -> None:
    if node.id in ids:
        target = render(node).split()[:_TARGET_WORDS]
        found[node.id] = " ".join([*target, *" ".join(above).split()[-_AROUND_WORDS:]])
    named = " ".join(node.attributes.get(name, "") for name in ("aria-label", "title", "name", "label")).strip()
    for child in node.children:
        if isinstance(child, Node):
            _describe(child, [*above, f"{node.tag} {named}".strip()], ids, found)


def pruned(root: Node, ids: Collection[str]) -> Node:
    """Return the tree with these elements and what is around them; only these elements keep their ids."""
    kept: set[str] = set()
    _mark(root, None, frozenset(ids), kept)
    return _only(root, kept, frozenset(ids))


def _mark(node: Node, above: Node | None, ids: frozenset[str], kept: set[str]) -> bool:
    """Add the paths of what is kept in a node; return whether one of the elements is in it."""
    found = node.id in ids
    if found:
        inside = [one.path for one in _within(node, _DEPTH)][:_CHILDREN]
        kept.update(inside)
        siblings = [one for one in above.children if isinstance(one, Node)] if above is not None else []
        place = next((i for i, one in enumerate(siblings) if one is node), 0)
        kept.update(one.path for one in siblings[max(0, place - _SIBLINGS) : place + _SIBLINGS + 1])
    for child in node.children:
        if isinstance(child, Node) and _mark(child, node, ids, kept):
            found = True
    if found:
        kept.add(node.path)
    return found


def _within(node: Node, depth: int) -> Iterator[Node]:
    for child in node.children if depth >= 0 else ():
        if isinstance(child, Node):
            yield child
            yield from _within(child, depth - 1)


def _only(node: Node, kept: set[str], ids: frozenset[str]) -> Node:
    children = tuple(
        child if isinstance(child, str) else _only(child, kept, ids)
        for child in node.children
        if isinstance(child, str) or child.path in kept
    )
    return replace(node, children=children, id=node.id if node.id in ids else "")
