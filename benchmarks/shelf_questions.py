"""Questions about facts in some of many real documents: is the fact in the prompts, and in the answer?

`--folder` has documents of any formats. Twenty-two facts are planted in as many of them: fifteen have one template and
names that share their words. The model that reads leaves every planted fact out of gists and cards. The one that is
asked is scripted too: it opens two documents and pages, and answers with a sentence, by the words that the question
shares with what the prompt shows, in a window of 8,192 tokens. Eight questions are about what was there before.
`--tokens` is a file of ranks such as cl100k_base.tiktoken, for tiktoken. `--library` keeps what was read.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

from common import SEED, Value, generated, manifest, parser, print_figures, workplace, write_results
from tokens_count import ranked

from readagent import AsyncReadAgent, Library
from readagent.core.model import Ask, Reply
from readagent.core.tokens import estimate_tokens
from readagent.shelf import AsyncShelf
from readagent.testing import Habits, Skimmer

_WINDOW, _DOCUMENTS = 8192, 2859
_SMALL, _LARGE = 2000, 20_000  # bytes of a document
_NAMES = [" ".join(two) for two in product(("North", "South", "Old", "New"), ("Harbour", "Mill", "Ferry", "Bridge"))]
_PLANTED = [
    *((f"The access code of depot {one} is {{}}.", f"What is the access code of depot {one}?") for one in _NAMES[1:]),
    ("Anna Berg paid {} crowns for the brass lamp of the lighthouse.", "What did Anna Berg pay for the brass lamp?"),
    ("The ferry to Corran is insured under policy {} since May.", "Under which policy is the ferry to Corran insured?"),
    ("Room {} of the customs house is where the seals are kept.", "In which room are the seals of customs kept?"),
    ("Dr Odile Marten can be reached by telephone at {} on Mondays.", "What is the telephone number of Dr Marten?"),
    ("The bridge at Harrow Quay carries at most {} kilograms.", "How many kilograms may the bridge at Harrow carry?"),
    ("Invoice {} was never settled by the brewery of Sandvik.", "Which invoice did the Sandvik brewery not settle?"),
    ("Train {} is the last one that stops at Lower Wexcombe.", "Which is the last train that stops at Wexcombe?"),
]
_REAL = (  # file, what the answer says, question
    ("general.txt", "Reinhardt", "After which jazz guitarist is Django named?"),
    ("pipe.7", "4096", "How large was the capacity of a pipe before Linux 2.6.11?"),
    ("gethostname.2", "value 64", "Which value has HOST_NAME_MAX on Linux?"),
    ("romfs.rst", "genromfs", "Which user program creates a romfs file system?"),
    ("9p.rst", "Minnich", "Who originally developed the software of the 9p filesystem?"),
    ("hfs.rst", "Hargrove", "Who wrote the HFS drivers?"),
    ("whatsnew-5.1.rst", "Jon Hopkins", "After whose songs are Celery releases of the 5.x series codenamed?"),
    ("perlhist.pod", "1987-Dec-18", "When was perl 1.000 by Larry released?"),
)
Fact = tuple[str, str, str, str]  # its kind, the question, what the answer says, and the sentence if it was planted


class Forgetful(Skimmer):
    """A skimmer that leaves these sentences out when it shortens."""

    def __init__(self, said: list[str]) -> None:
        super().__init__(Habits(pages_to_open=2))
        self._said = said

    async def complete(self, ask: Ask) -> Reply:
        prompt = ask.prompt
        for fact in () if "<question>" in prompt else self._said:
            prompt = prompt.replace(fact, "")
        return await super().complete(replace(ask, prompt=prompt))


def documents(folder: Path | None, count: int, home: Path) -> tuple[list[Path], list[Fact]]:
    """Return so many documents, some of them copies with a fact in them, and all facts."""
    dice, files, real = random.Random(SEED), list[Path](), list[Fact]()
    for number in range(0 if folder else count):
        files.append(home / f"generated {number}.txt")
        files[-1].write_text(generated(600, seed=number))
    found = sorted(one for one in folder.rglob("*") if one.is_file()) if folder else []
    for name, answer, question in _REAL:
        if named := [one for one in found if one.name == name]:
            files.append(named[-1])
            real.append(("real", question, answer, ""))
    some = [one for one in found if _SMALL <= one.stat().st_size <= _LARGE]
    files = list(dict.fromkeys([*files, *dice.sample(some, min(count, len(some)))]))[:count]
    plain = [at for at, one in enumerate(files) if at >= len(real) and one.suffix in (".txt", ".rst", ".md", ".pod")]
    dice, facts = random.Random(SEED), list[Fact]()
    for (said, question), at in zip(_PLANTED, dice.sample(plain, len(_PLANTED)), strict=True):
        number = str(dice.randint(10_000, 99_999))
        blocks = files[at].read_text("utf-8", "replace").split("\n\n")
        blocks.insert(len(blocks) * 2 // 3, said.format(number))
        files[at] = home / f"{len(facts)}-{files[at].name}"
        files[at].write_text("\n\n".join(blocks), "utf-8")
        facts.append(("template" if "depot" in said else "other", question, number, said.format(number)))
    return files, [*facts, *real]


async def answers(
    files: list[Path], facts: list[Fact], library: Library, count: Callable[[str], int]
) -> list[dict[str, Value]]:
    """Read the files, ask for the facts, and return a row for each."""
    async with AsyncReadAgent(
        Forgetful([fact[3] for fact in facts if fact[3]]), library=library, window=_WINDOW
    ) as agent:
        shelf, rows = AsyncShelf(agent, "documents"), list[dict[str, Value]]()
        if not library.shelves.all():
            failed = [str(one) async for _, one in shelf.add_all(map(str, files)) if isinstance(one, Exception)]
            print(f"{len(failed)} of {len(files)} could not be read")
        for kind, question, said, _ in facts:
            answer = await shelf.ask(question)
            first, *later = [call.prompt for call in answer.trace.calls if "<question>" in call.prompt]
            has = {"below a card": said in first, "in the prompt answered from": any(said in one for one in later),
                   "right": said in answer.text}  # fmt: skip
            rows.append({"kind": kind, "question": question, **{name: int(one) for name, one in has.items()},
                         "longest prompt": max(map(count, [first, *later])), "among": answer.among})  # fmt: skip
        return rows


def main() -> None:
    options = parser(__doc__)
    for name in ("--folder", "--tokens", "--library"):
        options.add_argument(name, type=Path, help="see above")
    given = options.parse_args()
    count = ranked(given.tokens) if given.tokens else estimate_tokens
    with workplace() as place:
        home = given.library or place
        files, facts = documents(given.folder, 40 if given.quick else _DOCUMENTS, home)
        with Library(home / "library") as library:
            rows = asyncio.run(answers(files, facts, library, count))
    sums: list[dict[str, Value]] = []
    for kind in dict.fromkeys(fact[0] for fact in facts):
        own = [row for row in rows if row["kind"] == kind]
        sums.append(
            {"kind": kind, "questions": len(own), **{n: sum(int(row[n]) for row in own) for n in [*rows[0]][2:5]}}
        )
    figures = {"documents": rows[0]["among"], "longest_prompt": max(int(row["longest prompt"]) for row in rows)}
    if not given.quick:
        made_with = manifest(window=_WINDOW, tokenizer=given.tokens.stem if given.tokens else "our estimate", **figures)
        write_results("shelf_questions", "Facts in some of many documents", {"All": sums, "Questions": rows}, made_with)
    print_figures({**{f"{row['kind']}_right": row["right"] for row in sums}, **figures})


if __name__ == "__main__":
    main()
