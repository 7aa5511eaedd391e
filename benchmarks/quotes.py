"""How many false quotes are caught and how many true ones are found, and how many answers have a verified quote.

- **False quotes**: sentences of 8 to 40 words with one change: a word changed, removed or inserted, two words swapped,
  a number changed, the halves of two sentences joined. A result whose words are in the text in a row is not counted.
  Each quote is put into a reply as a model would write it, parsed, and checked.
- **True quotes**: sentences with other white space, quotation marks, dashes, ligatures, a word hyphenated at a line
  end, or a part replaced by an ellipsis. ``placed`` is the share located where they were taken from (or where the same
  words first occur).
- **Answers**: our own questions, answered by the offline reader without its language model (its answers are quotes) and
  by a scripted model that gives no quotes: for those answers, passages are found and marked as ours.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from common import ROOT, SEED, Rows, Value, arguments, dataset, manifest, print_figures, write_results

from readagent.core.asking.reply_parts import split_reply
from readagent.core.asking.verify import check_quotes
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Model
from readagent.core.plan import Plan, preset
from readagent.core.prompts import Prompts
from readagent.core.question import Question, Quote
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.words import count_words, sentence_ends
from readagent.testing.scripted import Skimmer

EACH = 25  # quotes of each kind and text
_WORD = re.compile(r"\w+")
_NUMBERS = "one two three four five six seven eight nine ten twenty thirty forty fifty hundred thousand".split()
_NUMBER = re.compile(rf"\d+|\b(?:{'|'.join(_NUMBERS)})\b", re.I)

Dice = random.Random


@dataclass(frozen=True, slots=True)
class Taken:
    """A sentence of a text, and its offsets."""

    text: str
    start: int
    end: int


# False quotes: changes to a sentence, given another one


def changed(words: list[str], other: list[str], dice: Dice) -> str:
    at = dice.choice([i for i, word in enumerate(words) if len(word) > 3] or [0])
    words[at] = dice.choice([word for word in other if len(word) > 3] or ["nothing"])
    return " ".join(words)


def left_out(words: list[str], other: list[str], dice: Dice) -> str:
    del words[dice.randrange(1, len(words) - 1)]
    return " ".join(words)


def put_in(words: list[str], other: list[str], dice: Dice) -> str:
    words.insert(dice.randrange(1, len(words) - 1), dice.choice(["not", *other]))
    return " ".join(words)


def swapped(words: list[str], other: list[str], dice: Dice) -> str:
    at = dice.randrange(len(words) - 1)
    words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def number_changed(words: list[str], other: list[str], dice: Dice) -> str:
    text = " ".join(words)
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    one = dice.choice(found)
    new = str(int(one[0]) + 1) if one[0].isdecimal() else dice.choice([n for n in _NUMBERS if n != one[0].lower()])
    return text[: one.start()] + new + text[one.end() :]


def joined(words: list[str], other: list[str], dice: Dice) -> str:
    return " ".join([*words[: len(words) // 2], *other[len(other) // 2 :]])


FALSE: dict[str, Callable[[list[str], list[str], Dice], str]] = {
    "word changed": changed, "word left out": left_out, "word put in": put_in, "words swapped": swapped,
    "number changed": number_changed, "sentences joined": joined,
}  # fmt: skip


# True quotes: changes to the way a sentence is written


def spaced(text: str, dice: Dice) -> str:
    return "".join(dice.choice([" ", "  ", "\n", "\u00a0"]) if one == " " else one for one in " ".join(text.split()))


def marked(text: str, dice: Dice) -> str:
    curly = re.sub(r'"(?=\w)|(?<=\s)"', "“", text).replace('"', "”").replace("'", "’")
    straight = re.sub("[“”]", '"', text).replace("’", "'").replace("‘", "'")
    return curly if curly != text else straight


def dashed(text: str, dice: Dice) -> str:
    return re.sub(r"\s*(?:--|—|–)\s*", lambda found: dice.choice(["—", " — ", "--", " – "]), text)


def broken(text: str, dice: Dice) -> str:
    long = list(re.finditer(r"[a-z]{7,}", text))
    if not long:
        return text
    at = dice.choice(long).start() + dice.randint(2, 4)
    return f"{text[:at]}-\n{text[at:]}"


def ligatured(text: str, dice: Dice) -> str:
    return text.replace("ffi", "ﬃ").replace("fi", "ﬁ").replace("fl", "ﬂ").replace("ff", "ﬀ")


def shortened(text: str, dice: Dice) -> str:
    words = text.split()
    third = len(words) // 3
    return f"{' '.join(words[:third])} {dice.choice(['...', '…', '[...]'])} {' '.join(words[-third:])}"


TRUE: dict[str, Callable[[str, Dice], str]] = {
    "unchanged": lambda text, dice: text, "white space": spaced, "quotation marks": marked, "dashes": dashed,
    "broken word": broken, "ligatures": ligatured, "ellipsis": shortened,
}  # fmt: skip


def texts(data: Path | None, quick: bool) -> dict[str, list[str]]:
    """Return the texts by their source."""
    names = ("story",) if quick else ("story", "meeting")
    found = {"examples": [(ROOT / "examples" / f"{name}.txt").read_text("utf-8") for name in names]}
    if quick:
        return found
    if (file := dataset(data, "quality/QuALITY.sample.dev.jsonl")) is not None:
        found["QuALITY"] = [json.loads(line)["article"] for line in file.read_text("utf-8").splitlines()]
    if (file := dataset(data, "narrativeqa/sample.jsonl")) is not None:
        records = map(json.loads, file.read_text("utf-8").splitlines())
        found["NarrativeQA"] = ["\n\n".join(record["paragraphs"]) for record in records]
    return found


async def memory_of(text: str) -> GistMemory:
    """Return a memory with pages of equal length and gists of the scripted model."""
    return await read(Document.from_text(text), Session(Skimmer(), Prompts.load(), Plan(pauses="uniform")))


def sentences_of(memory: GistMemory, dice: Dice) -> list[Taken]:
    """Return the sentences of a text that may be quoted, in random order."""
    text, found = memory.document.text, []
    for one in memory.document.paragraphs:
        cuts = [one.start, *sentence_ends(text, one.start, one.end), one.end]
        for start, end in pairwise(cuts):
            sentence = text[start:end].strip()
            if 8 <= count_words(sentence) <= 40:
                begin = text.index(sentence, start)
                found.append(Taken(sentence, begin, begin + len(sentence)))
    dice.shuffle(found)
    return found


def said(quote: str) -> list[tuple[int | None, str]]:
    """Return the quote as it is parsed from a reply."""
    return [(page, text) for page, text in split_reply(f'It is so.\nPage 0: "{quote}"').quotes][:1]


def false_quotes(memory: GistMemory, dice: Dice) -> Iterator[tuple[str, int, int]]:
    """Yield each kind with the number of quotes planted and caught."""
    sentences = sentences_of(memory, dice)
    plain = f" {' '.join(_WORD.findall(memory.document.text.lower()))} "
    for kind, alter in FALSE.items():
        planted: list[tuple[int | None, str]] = []
        for one, other in zip(sentences, reversed(sentences), strict=True):
            quote = alter(one.text.split(), other.text.split(), dice)
            if f" {' '.join(_WORD.findall(quote.lower()))} " not in plain:
                planted += said(quote)
            if len(planted) == EACH:
                break
        yield kind, len(planted), check_quotes(memory, planted, ())[1]


def true_quotes(memory: GistMemory, dice: Dice) -> Iterator[tuple[str, int, int, int]]:
    """Yield each kind with the number of quotes rewritten, found, and found in the right place."""
    sentences = sentences_of(memory, dice)
    for kind, rewrite in TRUE.items():
        written = [(one, rewrite(one.text, dice)) for one in sentences]
        some = [(one, quote) for one, quote in written if quote != one.text or kind == "unchanged"][:EACH]
        quotes = [check_quotes(memory, said(quote), ())[0] for _, quote in some]
        placed = sum(_placed(found, one, memory) for found, (one, _) in zip(quotes, some, strict=True))
        yield kind, len(some), sum(map(bool, quotes)), placed


def _placed(found: Sequence[Quote], one: Taken, memory: GistMemory) -> bool:
    first = memory.document.text.find(one.text)
    return any(abs(quote.start - place) <= 2 for quote in found for place in (one.start, first))


async def planted(data: Path | None, quick: bool) -> tuple[dict[str, Rows], dict[str, Value]]:
    caught: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for source, several in texts(data, quick).items():
        for number, text in enumerate(several):
            memory, dice = await memory_of(text), Dice(SEED + number)
            for kind, count, hits in false_quotes(memory, dice):
                caught[source, kind] += Counter(planted=count, caught=hits)
            for kind, count, hits, placed in true_quotes(memory, dice):
                found[source, kind] += Counter(quoted=count, found=hits, placed=placed)
        print(f"{source} …", file=sys.stderr)
    false = [{"texts": source, "what was done": kind, "planted": one["planted"], "caught": one["caught"]}
             for (source, kind), one in caught.items()]  # fmt: skip
    true = [{"texts": source, "written otherwise": kind, "quoted": one["quoted"], "found": one["found"],
             "placed": one["placed"]} for (source, kind), one in found.items()]  # fmt: skip
    totals = sum(caught.values(), Counter[str]()) + sum(found.values(), Counter[str]())
    figures: dict[str, Value] = {
        f"quotes_{name}": totals[name] for name in ("planted", "caught", "quoted", "found", "placed")
    }
    figures["false_caught_percent"] = 100 * totals["caught"] / max(1, totals["planted"])
    figures["true_found_percent"] = 100 * totals["found"] / max(1, totals["quoted"])
    return {"False quotes": false, "True quotes": true}, figures


async def answered(model: Model, name: str) -> list[dict[str, Value]]:
    """Answer our own questions and count the kinds of quotes."""
    rows = []
    for text, plan in (("story", "articles"), ("meeting", "meetings")):
        session = Session(model, Prompts.load(), preset(plan))
        memory = await read(Document.from_text((ROOT / "examples" / f"{text}.txt").read_text("utf-8")), session)
        lines = (ROOT / "examples" / f"{text}.questions.jsonl").read_text("utf-8").splitlines()
        free = [one["question"] for one in map(json.loads, lines) if one["kind"] == "free"]
        answers = [await ask(memory, Question(one), session) for one in free]
        count = Counter[str]()
        for answer in answers:
            count += Counter(verified=answer.verified, silent=not answer.found_in_text, false=answer.false_quotes > 0,
                             ours=any(quote.by_us for quote in answer.quotes))  # fmt: skip
        rows.append({"reader": name, "text": text, "free questions": len(answers), "verified quote": count["verified"],
                     "passages of ours": count["ours"], "false quote": count["false"],
                     "not in the text": count["silent"]})  # fmt: skip
    return rows


async def measure(data: Path | None, quick: bool) -> None:
    tables: dict[str, Rows | str] = {}
    some, figures = await planted(data, quick)
    tables |= some
    rows = await answered(Skimmer(), "scripted")
    if not quick and (folder := _weights()) is not None:
        from readagent.embedded.embedder import MiniLMEmbedder
        from readagent.embedded.model import LocalModel
        from readagent.library import Library
        from readagent.models.embeddings import CachedEmbedder

        embedder = CachedEmbedder(MiniLMEmbedder(folder / "minilm"), Library.in_memory())
        rows = [*await answered(LocalModel(embedder), "offline, quotes alone"), *rows]
    tables["Answers to our own questions"] = rows
    if not quick:
        write_results("quotes", "Quotes", tables, manifest(each=EACH))
    print_figures(figures)


def _weights() -> Path | None:
    try:
        import embedded_setup
    except ImportError:
        return None
    return embedded_setup.weights()


if __name__ == "__main__":
    options = arguments(__doc__)
    asyncio.run(measure(options.data, options.quick))
