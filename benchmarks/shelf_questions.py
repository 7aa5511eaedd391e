"""Questions about facts in some of many real documents: is the right one chosen, and is the fact in the answer?

`--folder` has documents of any formats. Twenty-two facts are planted in as many of them: fifteen have one template and
names that share their words. The model that reads leaves every planted fact out of gists and cards. The one that is
asked is scripted too: it chooses documents, opens pages and answers by the words that the question shares with what the
prompt shows, in a window of 8,192 tokens. Eight questions are about what was in the documents before. With `--tokens`,
a file of ranks such as cl100k_base.tiktoken, prompts are counted by that tokenizer (tiktoken has to be installed), else
by our estimate. `--library` keeps what was read.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from common import SEED, Rows, Value, generated, manifest, parser, print_figures, workplace, write_results
from tokens_count import ranked

from readagent.agent import AsyncReadAgent
from readagent.core.model import Ask, Reply
from readagent.core.tokens import estimate_tokens
from readagent.library import Library
from readagent.shelf import AsyncShelf
from readagent.testing import Habits, Skimmer

_WINDOW, _DOCUMENTS = 8192, 2859
_SMALL, _LARGE = 2000, 20_000  # bytes of a document
_NAMES = [
    f"{one} {two}" for one, two in product(("North", "South", "Old", "New"), ("Harbour", "Mill", "Ferry", "Bridge"))
]
_SAME = [
    (f"The access code of depot {name} is {{}}.", f"What is the access code of depot {name}?") for name in _NAMES[1:]
]
_OTHERS = (
    ("Anna Berg paid {} crowns for the brass lamp of the lighthouse.", "What did Anna Berg pay for the brass lamp?"),
    ("The ferry to Corran is insured under policy {} since May.", "Under which policy is the ferry to Corran insured?"),
    ("Room {} of the customs house is where the seals are kept.", "In which room are the seals of customs kept?"),
    ("Dr Odile Marten can be reached by telephone at {} on Mondays.", "What is the telephone number of Dr Marten?"),
    ("The bridge at Harrow Quay carries at most {} kilograms.", "How many kilograms may the bridge at Harrow carry?"),
    ("Invoice {} was never settled by the brewery of Sandvik.", "Which invoice did the Sandvik brewery not settle?"),
    ("Train {} is the last one that stops at Lower Wexcombe.", "Which is the last train that stops at Wexcombe?"),
)
_REAL = (  # file, question, answer
    ("general.txt", "After which jazz guitarist is Django named?", "Reinhardt"),
    ("pipe.7", "How large was the capacity of a pipe before Linux 2.6.11?", "4096"),
    ("gethostname.2", "Which value has HOST_NAME_MAX on Linux?", "64"),
    ("romfs.rst", "Which user program creates a romfs file system?", "genromfs"),
    ("9p.rst", "Who originally developed the software of the 9p filesystem?", "Minnich"),
    ("hfs.rst", "Who wrote the HFS drivers?", "Hargrove"),
    ("whatsnew-5.1.rst", "After whose songs are Celery releases of the 5.x series codenamed?", "Jon Hopkins"),
    ("perlhist.pod", "When was perl 1.000 by Larry released?", "1987-Dec-18"),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A question, what its answer contains, the file that has it, and the sentence if it was planted there."""

    kind: str
    question: str
    answer: str
    file: Path
    said: str = ""


class Forgetful(Skimmer):
    """A skimmer that leaves these facts out when it shortens, and keeps the prompts that it was asked with."""

    def __init__(self, facts: list[str]) -> None:
        super().__init__(Habits(pages_to_open=2))
        self._facts, self.asked = facts, list[str]()

    async def complete(self, ask: Ask) -> Reply:
        prompt = ask.prompt
        if "<question>" in prompt:
            self.asked.append(prompt)
        else:
            for fact in self._facts:
                prompt = prompt.replace(fact, "")
        return await super().complete(replace(ask, prompt=prompt))


def documents(folder: Path | None, count: int, home: Path) -> tuple[list[Path], list[Fact]]:
    """Return so many documents of a folder, or generated ones, and the questions about those that are there."""
    if folder is None:
        (home / "generated").mkdir()
        files = [home / "generated" / f"{number}.txt" for number in range(count)]
        for number, file in enumerate(files):
            file.write_text(generated(600, seed=number))
        return files, []
    found = sorted(one for one in folder.rglob("*") if one.is_file())
    named = [(one, question, answer) for name, question, answer in _REAL for one in found if one.name == name]
    real = {question: Fact("real", question, answer, file) for file, question, answer in named}
    some = [one for one in found if _SMALL <= one.stat().st_size <= _LARGE]
    files = random.Random(SEED).sample(some, min(count, len(some)))
    return list(dict.fromkeys([*(one.file for one in real.values()), *files]))[:count], list(real.values())


def planted(files: list[Path], taken: Collection[Path], home: Path) -> list[Fact]:
    """Replace some files by copies with a fact in them, and return the facts."""
    dice, facts = random.Random(SEED), list[Fact]()
    plain = [one for one in files if one.suffix in (".txt", ".rst", ".md", ".pod") and one not in taken]
    kinds = [*(("template", *one) for one in _SAME), *(("other", *one) for one in _OTHERS)]
    for (kind, fact, question), file in zip(kinds, dice.sample(plain, len(kinds)), strict=True):
        number = str(dice.randint(10_000, 99_999))
        blocks = file.read_text("utf-8", "replace").split("\n\n")
        blocks.insert(len(blocks) * 2 // 3, fact.format(number))
        copy = home / f"{len(facts)}-{file.name}"
        copy.write_text("\n\n".join(blocks), "utf-8")
        files[files.index(file)] = copy
        facts.append(Fact(kind, question, number, copy, fact.format(number)))
    return facts


async def ask_all(files: list[Path], facts: list[Fact], library: Library, count: Callable[[str], int]) -> Rows:
    """Read the files, ask for the facts, and return a row for each."""
    model = Forgetful([one.said for one in facts if one.said])
    async with AsyncReadAgent(model, library=library, window=_WINDOW) as agent:
        shelf, rows = AsyncShelf(agent, "documents"), list[dict[str, Value]]()
        failed = [file async for file, one in shelf.add_all(map(str, files)) if isinstance(one, Exception)]
        print(f"{len(failed)} of {len(files)} could not be read")
        for one in facts:
            model.asked.clear()
            answer = await shelf.ask(one.question)
            rows.append({
                "kind": one.kind,
                "question": one.question,
                "shown": int(one.answer in model.asked[0]),
                "opened": int(str(one.file) in [card.source for card in answer.documents]),
                "right": int(one.answer in answer.text),
                "prompts": len(model.asked),
                "longest prompt": max(map(count, model.asked)),
                "among": answer.among,
            })  # fmt: skip
            print(rows[-1], answer.text[:100], flush=True)
        return rows


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--folder", type=Path, help="a folder with documents; without it, they are generated")
    options.add_argument("--tokens", type=Path, help="a file of ranks of tiktoken, such as cl100k_base.tiktoken")
    options.add_argument("--library", type=Path, help="a folder for the library and the documents with facts")
    given = options.parse_args()
    count = estimate_tokens if given.tokens is None else ranked(given.tokens)
    with workplace() as place:
        home = given.library or place
        files, real = documents(given.folder, 40 if given.quick else _DOCUMENTS, home)
        facts = [*planted(files, [one.file for one in real], home), *real]
        with Library(home / "library") as library:
            rows = asyncio.run(ask_all(files, facts, library, count))
    sums: list[dict[str, Value]] = []
    for kind in dict.fromkeys(one.kind for one in facts):
        own = [row for row in rows if row["kind"] == kind]
        added = {name: sum(int(row[name]) for row in own) for name in ("shown", "opened", "right")}
        sums.append({"kind": kind, "questions": len(own), **added})
    longest = max(int(row["longest prompt"]) for row in rows)
    if not given.quick:
        tokenizer = given.tokens.stem if given.tokens else "our estimate"
        made_with = manifest(window=_WINDOW, documents=len(files), tokenizer=tokenizer, longest_prompt=longest)
        write_results("shelf_questions", "Facts in some of many documents", {"All": sums, "Questions": rows}, made_with)
    figures = {f"{row['kind']}_{name}": row[name] for row in sums for name in ("questions", "shown", "opened", "right")}
    print_figures({**figures, "longest_prompt": longest, "documents": rows[0]["among"]})


if __name__ == "__main__":
    main()
