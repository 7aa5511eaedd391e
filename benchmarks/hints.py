"""Pages found by hints alone, and what many questions about one text share.

- **Meetings** (QMSum, validation set, specific queries): pages of whole turns up to 600 words; a page is right if it
  has a turn of a span marked as relevant. ``bm25`` is ours over pages, ``vectors_page`` is the mean of the vectors of
  a page, ``vectors_passage`` its nearest passage, ``fusion`` the reciprocal ranks of bm25 and that. ``hints_words`` are
  the hints of the base install, ``hints_hybrid`` those with an embedder, and ``hints_read`` those of the offline
  reader, which also reads the 24 nearest passages. The gists are those of the offline reader. The measures of
  ``hints_hybrid`` were chosen on the even-numbered meetings; which words of a question are left out, and the weight of
  what is read, on all of them.
- **Shared prompts**: our two texts with their twenty questions each, read and asked by a scripted model that opens 2.3
  pages. The table has the words that a perfect prefix cache would not read again.

The weights are looked for as by ``embedded.py``; without them, or without the data, only the second part is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from common import ROOT, Rows, Value, arguments, dataset, manifest, print_figures, workplace, write_results

from readagent.core.document import Document
from readagent.core.plan import LookUp, preset
from readagent.core.question import Question
from readagent.core.words import count_words
from readagent.library import Library
from readagent.sync import ReadAgent
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits
from readagent_bench.records import shared_words

_TEXTS = {"story": "articles", "meeting": "meetings"}
_LOOK_UPS: tuple[LookUp, ...] = ("parallel", "sequential")


def questions(name: str) -> list[Question]:
    """Return our questions on one of our texts."""
    lines = (ROOT / "examples" / f"{name}.questions.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [Question(one["question"], tuple(one.get("options", ())), one["kind"]) for one in found]


def shared(quick: bool) -> tuple[Rows, dict[str, Value]]:
    """Return the words of all prompts for each text and look-up, and what a prefix cache leaves of them."""
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {}
    for name, plan in list(_TEXTS.items())[quick:]:
        with ReadAgent(Skimmer(Habits(pages_to_open=2.3)), plan=preset(plan)) as agent:
            memory = agent.read(Document.from_text((ROOT / "examples" / f"{name}.txt").read_text("utf-8")))
            for look_up in _LOOK_UPS:
                answers = [agent.ask(memory, one, look_up=look_up) for one in questions(name)]
                prompts = [call.prompt for answer in answers for call in answer.trace.calls]
                sent, saved = sum(map(count_words, prompts)), shared_words(prompts)
                counts: dict[str, Value] = {"words sent": sent, "saved": saved, "left": sent - saved}
                rows.append({"text": name, "look-up": look_up, **counts, "saved %": 100 * saved / sent})
                figures[f"{name}_{look_up}_left"] = sent - saved
    return rows, figures


async def found(options: argparse.Namespace, folder: Path) -> tuple[dict[str, Rows], dict[str, Value]]:
    import hints_find

    from readagent.embedded.networks import MiniLMEmbedder, PassageReader
    from readagent.embedded.shorten import KeptVectors

    with workplace() as place, Library(options.cache or place / "cache.db") as library:
        embedder = KeptVectors(MiniLMEmbedder(folder / "minilm"), library)
        reader = PassageReader(folder / "minilm")

        async def relevance(question: str, passages: Sequence[str]) -> list[float]:
            return [one.answered for one in await reader.find(question, passages)]

        return await hints_find.meetings(options.data / "qmsum" / "val.jsonl", embedder, relevance, options.quick)


def weights() -> Path | None:
    """Return the folder with the weights of the embedder; None if it cannot be used."""
    try:
        import embedded_setup
    except ImportError:
        return None
    return embedded_setup.weights()


def main() -> None:
    options = arguments(__doc__)
    tables: dict[str, Rows | str] = {}
    rows, figures = shared(options.quick)
    folder = weights()
    if folder is None or dataset(options.data, "qmsum/val.jsonl") is None:
        print("finding pages is skipped: no weights, or no qmsum/val.jsonl in the data", file=sys.stderr)
    else:
        some, more = asyncio.run(found(options, folder))
        tables |= some
        figures |= more
        if not options.quick:
            tables["Shared prompts: words that a perfect prefix cache saves, 20 questions a text"] = rows
            write_results("hints", "Hints, and what questions share", tables, manifest(embedder="minilm-l6-v2"))
    print_figures(figures)


if __name__ == "__main__":
    main()
