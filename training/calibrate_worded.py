"""Find out how sure an answer may be that a language model worded: the last constants of ``embedded/confidence.py``.

    python training/calibrate_worded.py MODEL.gguf ROWS.jsonl --texts FOLDER [FOLDER ...]

FOLDER has ``questions.jsonl`` and ``texts``, as ``benchmarks/offline.py`` reads them; use no questions that are
reported. Every question is answered once by ``local`` with MODEL as its writer, and ROWS keeps what was said, so that
an interrupted run continues. The weights are those of a logistic regression; the figures below them are of a
regression that has not seen the text in question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from calibrate import has_one_of

from readagent.core.document import Document
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.embedded.confidence import SURE, is_absent
from readagent.embedded.extracts import Extract, repeated
from readagent.embedded.minilm import WordVectors
from readagent.embedded.model import WORDED, LocalModel
from readagent.embedded.networks import MiniLMEmbedder, PassageReader
from readagent.embedded.shorten import KeptVectors
from readagent.embedded.wording import Wording, Writer, writer_of
from readagent.library import Library

GIVEN = 0.40


@dataclass(frozen=True, slots=True)
class Row:
    """What the model said to a question, and whether it is right by the key."""

    text: str
    question: str
    answerable: bool
    said: str
    repeated: float
    fluent: float
    right: bool


class Recording(LocalModel):
    """A reader that keeps the extracts of the last question, and what its writer made of them."""

    last: tuple[Sequence[Extract], Wording] | None = None

    async def _worded(self, question: Question, extracts: Sequence[Extract], writer: Writer) -> str:
        said = await writer.word(question.text, [" ".join(one.passage.text.split()) for one in extracts[:WORDED]])
        absent = is_absent([one.certainty for one in extracts])  # then the writer is not asked
        self.last = extracts, Wording("" if absent else said.text, said.fluent)
        return said.text or "Not found."


async def answered(folder: Path, model: Recording, done: set[str], rows: Path) -> None:
    """Answer the questions of a folder, and append a row for each."""
    records = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    free = [one for one in records if one["kind"] in ("answerable", "unanswerable") and one["question"] not in done]
    for name in dict.fromkeys(one["text"] for one in free):
        text = (folder / "texts" / f"{name}.txt").read_text("utf-8")
        session = Session(model, Prompts.load(), preset("books"))
        memory = await read(Document.from_text(text), session)
        for record in (one for one in free if one["text"] == name):
            await ask(memory, Question(record["question"]), Session(model, Prompts.load(), preset("books")))
            assert model.last is not None
            extracts, said = model.last
            right = bool(said.text) and has_one_of(record.get("answers", []))(said.text)
            row = Row(name, record["question"], record["kind"] == "answerable", said.text,
                      repeated(record["question"], said.text, extracts), said.fluent, right)  # fmt: skip
            with rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            print(f"{name}: {record['question']} -> {said.text[:60]}", flush=True)


def fitted(some: Sequence[Row]) -> np.ndarray:
    """Return the weights of a logistic regression, by Newton's method with a small penalty."""
    inputs, right = _inputs(some), np.array([one.right for one in some], float)
    weights, penalty = np.zeros(3), 0.05 * np.array([1.0, 1.0, 0.0])
    for _ in range(100):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        curve = (inputs * (likely * (1 - likely))[:, None]).T @ inputs + np.diag(penalty + 1e-9)
        weights += np.linalg.solve(curve, inputs.T @ (right - likely) - penalty * weights)
    return weights


def _inputs(some: Sequence[Row]) -> np.ndarray:
    return np.array([(one.repeated, one.fluent, 1.0) for one in some])


def main(options: argparse.Namespace) -> None:
    """Answer what is not answered yet, fit, and print the constants and what they mean."""
    rows: Path = options.rows
    rows.touch()
    done = {json.loads(line)["question"] for line in rows.read_text("utf-8").splitlines()}
    with tempfile.TemporaryDirectory() as place, Library(Path(place) / "cache.db") as library:
        embedder = KeptVectors(MiniLMEmbedder(options.minilm), library)
        writer = writer_of(options.model)
        model = Recording(embedder, PassageReader(options.minilm), WordVectors(options.minilm), writer)

        async def all_folders() -> None:
            for folder in options.texts:
                await answered(folder, model, done, rows)
            await model.aclose()

        asyncio.run(all_folders())
    every = [Row(**json.loads(line)) for line in rows.read_text("utf-8").splitlines()]
    said = [one for one in every if one.said]
    print("_REPEATED, _FLUENT, _LESS =", ", ".join(f"{weight:.2f}" for weight in fitted(said)))
    given, sure = list[Row](), list[Row]()
    for name in dict.fromkeys(one.text for one in said):
        own = [one for one in said if one.text == name]
        likely = 1 / (1 + np.exp(-_inputs(own) @ fitted([one for one in said if one.text != name])))
        given += [one for one, chance in zip(own, likely, strict=True) if chance >= GIVEN]
        sure += [one for one, chance in zip(own, likely, strict=True) if chance >= SURE]
    asked = [one for one in every if one.answerable]
    absent = len(every) - len(asked)
    print(f"{len(asked)} with an answer: worded and right {sum(one.right for one in given)}")
    print(f"{absent} without: recognised {absent - sum(not one.answerable for one in given)}")
    print(f"wrong without a warning: {sum(not one.right for one in sure)} of {len(every)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    parser.add_argument("--minilm", type=Path, default=Path(".weights/models/minilm"))
    main(parser.parse_args())
