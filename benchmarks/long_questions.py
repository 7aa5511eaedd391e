"""Long texts, questions with keys, and what answers take: words, words new to a prefix cache, calls, pages.

``--set FOLDER`` has texts (NAME.md) and questions (NAME.jsonl: id, kind, question, key). The answers of the model that
the settings name are kept in ``FOLDER/NAME.answers.jsonl``, for raters. Their scores, a JSON object of lists by
``NAME/id``, are added with ``--scores``. ``--pages`` asks nothing: it prints where the search has the pages with the
``evidence`` of each question. The quick form asks a scripted reader about the example meeting.

``--fetch FOLDER`` makes such a folder: it downloads the texts that ``long_set/sources.json`` lists, and adds the
questions of ``long_set``, also as ``questions.jsonl`` for `readagent bench run own`. ``--compare FILE`` prints
the tables of rated answers by several methods, such as ``results/long_set.jsonl``.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean, median
from typing import Any

from common import ROOT, Value, parser, print_figures, table
from real_archives import download_source, members

from readagent import AsyncReadAgent, Document, Library, load
from readagent.core.plan import LookUp
from readagent.core.question import Answer, Question
from readagent.errors import ReadAgentError
from readagent.retrieval.hints import WordHinter
from readagent.testing.scripted import Skimmer

Asked = Mapping[str, Any]
LONG_SET = Path(__file__).resolve().parent / "long_set"
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def text_of(archive: Path, source: Mapping[str, Any]) -> str:
    """Return the files of a source as one text, in the order of its patterns and of their names; ``*`` matches "/".

    Front matter is left out. Raise ValueError if the archive or the text is not the one that was listed.
    """
    _check(archive.read_bytes(), source["archive_sha256"], archive.name)
    files = {path.partition("/")[2]: data for path, data in members(archive)}  # within the folder of the package
    order = dict.fromkeys(path for one in source["files"] for path in sorted(files) if fnmatchcase(path, one))
    parts = [_FRONT_MATTER.sub("", files[path].decode().replace("\r\n", "\n")).strip() for path in order]
    text = "\n\n".join(parts) + "\n"
    _check(text.encode(), source["text_sha256"], f"the text {source['name']}")
    return text


def _check(data: bytes, wanted: str, what: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise ValueError(f"{what} has the SHA-256 {found}, and {wanted} is listed")


def fetch(folder: Path) -> None:
    """Write the texts of the set, and the questions that it has, to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    own = list[dict[str, str]]()
    for source in json.loads((LONG_SET / "sources.json").read_text("utf-8")):
        name = source["name"]
        with tempfile.TemporaryDirectory() as here:
            text = text_of(download_source(source["archive"], Path(here)), source)
        (folder / f"{name}.md").write_bytes(text.encode())
        print(f"{name}.md: {len(text.split()):,} words")
        if (file := LONG_SET / f"{name}.jsonl").is_file():
            (folder / file.name).write_bytes(file.read_bytes())
            for asked in map(json.loads, file.read_text("utf-8").splitlines()):
                own.append({"document": f"{name}.md", "id": f"{name}/{asked['id']}", "group": asked["kind"],
                            "question": asked["question"], "answer": asked["key"]})  # fmt: skip
    (folder / "questions.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in own), "utf-8")


def row_of(asked: Asked, answer: Answer) -> dict[str, Any]:
    """Return what an answer took. The call that checks it is left out."""
    calls = [call for call in answer.trace.calls if call.step != "check"]
    return {
        "id": asked["id"],
        "kind": asked["kind"],
        "question": asked["question"],
        "key": asked["key"],
        "answer": answer.text,
        "words": sum(call.prompt_words for call in calls),
        "new": sum(call.prompt_words - call.shared_words for call in calls),
        "calls": len(calls),
        "pages": len(answer.pages),
    }


async def answers(
    agent: AsyncReadAgent, document: Document, questions: Sequence[Asked], look_up: LookUp = "direct"
) -> list[dict[str, Any]]:
    """Read a text and ask every question by itself. All ways of looking up have the same pages and gists."""
    memory = await agent.read(document)
    asked = [str(one["question"]) for one in questions]
    results = await agent.ask_all(memory, asked, check=False, look_up=look_up)
    pairs = zip(questions, results, strict=True)
    return [row_of(one, result) for one, result in pairs if not isinstance(result, ReadAgentError)]


def summary(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Value]]:
    """Return a row for each kind of question, and one for all."""
    kinds = list(dict.fromkeys(str(row["kind"]) for row in rows))
    found = list[dict[str, Value]]()
    for kind in [*kinds, "all"]:
        own = [row for row in rows if kind in ("all", row["kind"])]
        scores = [fmean(row["scores"]) for row in own if row.get("scores")]
        found.append(
            {
                "kind": kind,
                "questions": len(own),
                "score of 10": round(fmean(scores), 2) if scores else "-",
                "words, median": round(median(row["words"] for row in own)),
                "words, mean": round(fmean(row["words"] for row in own)),
                "new to a prefix cache, median": round(median(row["new"] for row in own)),
                "calls, median": median(row["calls"] for row in own),
                "pages opened": round(fmean(row["pages"] for row in own), 1),
            }
        )
    return found


def compared(rows: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Value]], list[dict[str, Value]]]:
    """Return a row for each method, and the scores of every kind of question and text as one row each.

    The cost is in words, of which one that a server has in its cache costs a tenth.
    """
    methods = list(dict.fromkeys(str(row["method"]) for row in rows))
    cells: dict[str, list[Mapping[str, Any]]] = {one: [row for row in rows if row["method"] == one] for one in methods}

    def score(own: Sequence[Mapping[str, Any]]) -> Value:
        return round(fmean(fmean(row["scores"]) for row in own), 2) if own else "-"

    per_method: list[dict[str, Value]] = [
        {
            "method": method,
            "questions": len(own),
            "score of 10": score(own),
            "right (7 or more), %": round(100 * fmean(fmean(row["scores"]) >= 7 for row in own), 1),
            "words, median": round(median(row["words"] for row in own)),
            "words, mean": round(fmean(row["words"] for row in own)),
            "cost, mean": round(fmean(row["words"] - 0.9 * row["shared"] for row in own)),
            "calls, mean": round(fmean(row["calls"] for row in own), 1),
        }
        for method, own in cells.items()
    ]
    parts = [(key, value) for key in ("kind", "text") for value in dict.fromkeys(str(row[key]) for row in rows)]
    per_part: list[dict[str, Value]] = [
        {"questions": value}
        | {method: score([row for row in own if row[key] == value]) for method, own in cells.items()}
        for key, value in parts
    ]
    return per_method, per_part


async def of_set(folder: Path, texts: Sequence[Path], look_up: LookUp) -> list[dict[str, Any]]:
    """Ask the questions of a set that have no answer yet; return all rows."""
    rows = list[dict[str, Any]]()
    suffix = ".answers.jsonl" if look_up == "direct" else f".{look_up}.answers.jsonl"
    async with AsyncReadAgent(library=folder / "library.db") as agent:
        for text in texts:
            file = text.with_suffix(".jsonl")
            if not file.is_file():
                continue
            kept = text.with_suffix(suffix)
            known = [json.loads(line) for line in kept.read_text("utf-8").splitlines()] if kept.is_file() else []
            asked = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            left = [one for one in asked if one["id"] not in {row["id"] for row in known}]
            known += await answers(agent, load(text), left, look_up) if left else []
            kept.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in known), "utf-8")
            rows += [{**row, "text": text.stem} for row in known]
    return rows


async def found_pages(folder: Path, texts: Sequence[Path]) -> list[dict[str, Value]]:
    """Return how often the search has a page with the evidence first, or among the first 3, 6 and 12, by kind."""
    first = defaultdict[str, list[int]](list)
    parts = defaultdict[str, list[float]](list)
    async with AsyncReadAgent(library=folder / "library.db") as agent:
        for text in texts:
            memory = await agent.recall(load(text).id)
            lines = text.read_text("utf-8").splitlines()
            for line in text.with_suffix(".jsonl").read_text("utf-8").splitlines():
                asked = json.loads(line)
                patterns = [r"\W+".join(re.findall(r"\w+", lines[number - 1])) for number in asked["evidence"]]
                places = [re.search(pattern, memory.document.text) for pattern in patterns]
                wanted = {memory.page_at(place.start()) for place in places if place}
                if not wanted:
                    continue
                hints = await WordHinter().hints(memory, Question(asked["question"]))
                ranks = {hint.page: rank for rank, hint in enumerate(hints, start=1)}
                for kind in (asked["kind"], "all"):
                    first[kind].append(min(ranks[page] for page in wanted))
                    parts[kind].append(sum(ranks[page] <= 6 for page in wanted) / len(wanted))
    return [
        {"kind": kind, "questions": len(ranks)}
        | {f"among the first {most}, %": round(100 * fmean(rank <= most for rank in ranks)) for most in (1, 3, 6, 12)}
        | {"pages with evidence among the first 6, %": round(100 * fmean(parts[kind]))}
        for kind, ranks in sorted(first.items(), key=lambda item: item[0] == "all")
    ]


async def quick() -> list[dict[str, Any]]:
    """Ask a scripted reader the free questions about the example meeting."""
    lines = (ROOT / "examples" / "meeting.questions.jsonl").read_text("utf-8").splitlines()
    asked = [{**json.loads(line), "key": ""} for line in lines][:5]
    async with AsyncReadAgent(Skimmer(), library=Library.in_memory(), window=8192) as agent:
        return await answers(agent, load(ROOT / "examples" / "meeting.txt"), asked)


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--fetch", type=Path, metavar="FOLDER", help="download the texts of long_set to a folder")
    made.add_argument("--set", type=Path, help="a folder with texts and questions")
    made.add_argument("--scores", type=Path, help="a JSON file with the scores of raters, by NAME/id")
    made.add_argument("--pages", action="store_true", help="only where the search has the pages with the evidence")
    made.add_argument("--compare", type=Path, metavar="FILE", help="print the tables of answers of several methods")
    made.add_argument("--look-up", choices=("direct", "parallel"), default="direct", help="parallel: ReadAgent-P")
    options = made.parse_args()
    if options.fetch:
        fetch(options.fetch)
        return
    if options.compare:
        kept = [json.loads(line) for line in options.compare.read_text("utf-8").splitlines()]
        print(*map(table, compared(kept)), sep="\n\n")
        return
    if options.set and options.pages:
        print(table(asyncio.run(found_pages(options.set, sorted(options.set.glob("*.md"))))))
        return
    asked = options.set and not options.quick
    rows = asyncio.run(of_set(options.set, sorted(options.set.glob("*.md")), options.look_up) if asked else quick())
    if options.scores:
        scores = json.loads(options.scores.read_text("utf-8"))
        rows = [{**row, "scores": scores.get(f"{row['text']}/{row['id']}", [])} for row in rows]
    found = summary(rows)
    print(table(found))
    print_figures({f"{row['kind']}_{name.replace(' ', '_').replace(',', '')}": row[name]
                   for row in found for name in ("words, median", "calls, median")})  # fmt: skip


if __name__ == "__main__":
    main()
